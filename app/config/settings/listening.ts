import { type RevisionName, revisionList } from "../../../core/mod.ts"
import { group, setting } from "../setting.ts"
import { hostAddress, webUrl, integer, integerOr, text } from "../value.ts"

const mountPath = {
  placeholder: "path",
  rule: "/, a path such as /earlier, or off",
  pattern: /^(?:off|\/|(?:\/[\w.~-]+)+)$/u
} as const

const revisionPath = (name: string, path: string) =>
  setting({
    key: `server.${name}_path`,
    value: text(mountPath),
    default: path,
    doc: `Path of the revision \`${name}\`; off disables it`
  })

/** The path of each revision, or `off`. */
export type RevisionPaths = { readonly [N in RevisionName as `${N}Path`]: string }

/** A setting for the path of each revision. */
export const revisionPaths = Object.fromEntries(
  revisionList.map(({ name, path }) => [`${name}Path`, revisionPath(name, path)])
) as { readonly [N in keyof RevisionPaths]: ReturnType<typeof revisionPath> }

export const listening = group("Listening", {
  port: setting({
    key: "server.port",
    variable: "PORT",
    value: integer({ minimum: 0, maximum: 65535 }),
    default: 8080,
    doc: "Port to listen on; 0 selects a free port"
  }),
  host: setting({
    key: "server.host",
    variable: "HOST",
    value: hostAddress,
    default: "127.0.0.1",
    doc: "Address to listen on; 0.0.0.0 listens on all IPv4 addresses"
  }),
  publicUrl: setting({
    key: "server.public_url",
    value: webUrl({
      // clients append paths to it
      rule: "an http or https URL without a final slash, such as http://localhost:8080",
      pattern: /^\w+:\/\/[^\s/?#]+(?:\/[^\s/?#]+)*$/u
    }),
    doc:
      "URL at which clients reach this server: the URL of every coordinator of the simulated network, spelled exactly as here; fictional URLs if not set"
  }),
  workers: setting({
    key: "server.workers",
    variable: "WORKERS",
    value: integerOr("cores", { minimum: 1, maximum: 1024 }),
    default: 1,
    doc:
      "Number of processes that serve the port; `cores` starts one per core. More than one requires a database"
  }),
  shutdownTimeoutMs: setting({
    key: "server.shutdown_timeout_ms",
    value: integer({ minimum: 0, maximum: 3_600_000 }),
    default: 5000,
    doc: "Time for responses in progress to finish after a signal to stop",
    limit: { beyond: "connections are destroyed", metric: "none: the process ends" }
  }),
  ...revisionPaths
})
