import { Effect, type Scope } from "effect"
import {
  type Admin,
  type AdminOptions,
  openAdmin,
  openOtlp,
  openRequestLog
} from "../../adapters/admin/mod.ts"
import type { TelemetryOptions } from "../../adapters/http/mod.ts"
import { metricSnapshot, openMonitor } from "../../adapters/metrics/mod.ts"
import type { Monitor } from "../../core/mod.ts"
import { optionsOf, settings } from "../config/mod.ts"
import { ProgramFailure } from "../process/mod.ts"
import { lastVerification, locationOf } from "./verification.ts"
import { groupTimeoutMs, monitorGroup, type WorkerGroup, type WorkerSelf } from "../workers/mod.ts"

/** Default port: a conventional one of Prometheus exporters, below the range of ephemeral ports. */
export const adminPortDefault = 9464

/** The monitoring of a server. `attachNode` reports the node as ready, until the scope closes. */
export interface Monitoring extends Pick<Admin, "attachNode"> {
  /** Collects metrics; null if nothing reads them. */
  readonly monitor: Monitor | null
  readonly telemetry: TelemetryOptions
  /** Exports the last metrics, before the node closes. */
  readonly snapshotMetrics: Effect.Effect<void>
}

/**
 * Opens the admin listener, the request log and the export of metrics and traces that are enabled.
 *
 * @param self - This worker; undefined for a single process
 */
export const openMonitoring = Effect.fnUntraced(
  function*(
    settings: settings.ServeSettings,
    self: WorkerSelf | undefined
  ): Effect.fn.Return<Monitoring, ProgramFailure, Scope.Scope> {
    const {
      adminToken,
      ledgerAgeMaxSeconds,
      logFormat,
      otlpUrl,
      requestLog,
      serverTiming,
      traceRatio
    } = settings
    const port = adminPortOf(settings, self?.number ?? 0)
    const isMonitored = port !== null || otlpUrl !== undefined
    const monitor = openMonitor()
    const admin = port === null ? null : yield* openListener(settings, {
      monitor,
      port,
      ...adminToken === undefined ? {} : { token: adminToken },
      ...ledgerAgeMaxSeconds === undefined ? {} : { ledgerAgeMaxMs: ledgerAgeMaxSeconds * 1000 }
    })
    if (admin !== null) {
      const subject = self === undefined ? "Health" : `Worker ${self.number}: health`
      const writing = adminToken === undefined ? "" : ", feed and pool with the token"
      yield* Effect.log(`${subject} and metrics at ${admin.url}${writing}`)
      yield* self?.report({ metrics: metricSnapshot(monitor), readiness: admin.readiness }) ??
        Effect.void
    }
    const otlp = otlpUrl === undefined ? undefined : yield* openOtlp({ url: otlpUrl, monitor })
    return {
      monitor: isMonitored ? monitor : null,
      telemetry: {
        ...requestLog
          ? {
            log: yield* openRequestLog({
              colors: process.stdout.hasColors?.() === true,
              format: logFormat !== "auto" ? logFormat : process.stdout.isTTY ? "text" : "json",
              isShared: self !== undefined
            })
          }
          : {},
        ...serverTiming ? { serverTiming } : {},
        ...otlp === undefined ? {} : { traces: { tracer: otlp.tracer, ratio: traceRatio } }
      },
      snapshotMetrics: otlp?.snapshotMetrics ?? Effect.void,
      attachNode: admin === null ? () => Effect.void : admin.attachNode
    }
  }
)

/**
 * Opens the admin listener of a supervisor until the scope closes: health and metrics of all
 * workers. Returns the effect that lets it report their checks; null if the listener is disabled.
 */
export const openGroupMonitoring = Effect.fnUntraced(
  function*(
    settings: settings.ServeSettings,
    group: WorkerGroup
  ): Effect.fn.Return<Effect.Effect<void, never, Scope.Scope> | null, ProgramFailure, Scope.Scope> {
    const port = adminPortOf(settings, 0)
    if (port === null) return null
    const monitor = openMonitor({ timeoutMs: groupTimeoutMs })
    const { markServing, url } = yield* openListener(settings, { monitor, port })
    yield* monitorGroup(group, monitor)
    yield* Effect.log(`Health and metrics at ${url}, of all workers`)
    return markServing
  }
)

/**
 * Opens an admin listener with the settings for its address and its clients. It shows the last result
 * of `verify` for the data, unless these are in memory.
 */
const openListener = (
  resolved: settings.ServeSettings,
  options: Omit<AdminOptions, "host" | "limits" | "verification">
) =>
  Effect.catchTag(
    openAdmin({
      ...options,
      ...resolved.memory ? {} : {
        verification: Effect.suspend(() => lastVerification(locationOf(resolved), resolved))
      },
      host: resolved.adminHost,
      limits: optionsOf("admin", settings.serverSettings, resolved)
    }),
    "AdminError",
    (cause) =>
      Effect.fail(
        new ProgramFailure({
          exitReason: "inUse",
          cause,
          message: `${cause.message}; choose another ${
            isAddressFault(cause.message) ? "address with --admin-host" : "port with --admin-port"
          }, or none with --admin-port off`
        })
      )
  )

/** Whether the reason why a port cannot be listened on is its address. */
export const isAddressFault = (reason: string): boolean => /ENOTFOUND|EADDRNOTAVAIL/u.test(reason)

/**
 * Returns the port of an admin listener: a free one by default if the server's port is free too.
 *
 * @param workerNumber - 0 for a single process or the supervisor
 */
export const adminPortOf = (
  { adminPort, port }: Pick<settings.ServeSettings, "adminPort" | "port">,
  workerNumber: number
): number | null => {
  if (adminPort === "off") return null
  const first = adminPort === undefined ? port === 0 ? 0 : adminPortDefault : Number(adminPort)
  return first === 0 ? 0 : first + workerNumber
}
