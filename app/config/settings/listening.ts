import { group, setting } from "../setting.ts"
import { hostAddress, integer, integerOr, text } from "../value.ts"

const mountPath = {
  placeholder: "path",
  rule: "/, a path such as /earlier, or off",
  pattern: /^(?:off|\/|(?:\/[\w.~-]+)+)$/u
} as const

export const listening = group("Listening", {
  port: setting({
    key: "server.port",
    flag: "port",
    variable: "PORT",
    value: integer({ minimum: 0, maximum: 65535 }),
    default: 8080,
    doc: "Port to listen on; 0 selects a free port"
  }),
  host: setting({
    key: "server.host",
    flag: "host",
    variable: "HOST",
    value: text(hostAddress),
    default: "127.0.0.1",
    doc: "Address to listen on; 0.0.0.0 listens on all IPv4 addresses"
  }),
  workers: setting({
    key: "server.workers",
    flag: "workers",
    variable: "WORKERS",
    value: integerOr("cores", { minimum: 1, maximum: 1024 }),
    default: 1,
    doc:
      "Number of processes that serve the port; `cores` starts one per core. More than one requires a database"
  }),
  shutdownTimeoutMs: setting({
    key: "server.shutdown_timeout_ms",
    flag: "shutdown-timeout-ms",
    value: integer({ minimum: 0, maximum: 3_600_000 }),
    default: 5000,
    doc: "Time for responses in progress to finish after a signal to stop"
  }),
  laterPath: setting({
    key: "server.later_path",
    flag: "later-path",
    value: text(mountPath),
    default: "/",
    doc: "Path of the revision `later`; off disables it"
  }),
  earlierPath: setting({
    key: "server.earlier_path",
    flag: "earlier-path",
    value: text(mountPath),
    default: "/earlier",
    doc: "Path of the revision `earlier`; off disables it"
  })
})
