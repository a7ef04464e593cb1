import { type Context, Effect, type Scope } from "effect"
import {
  type AdminLimits,
  type AdminPorts,
  openAdmin,
  openOtlp,
  openRequestLog
} from "../../adapters/admin/mod.ts"
import type { TelemetryOptions } from "../../adapters/http/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import type { Monitor } from "../../core/mod.ts"
import type { ResolvedOptions, settings } from "../config/mod.ts"
import { ProgramFailure } from "../exit_codes.ts"

/** Default port: a conventional one of Prometheus exporters, below the range of ephemeral ports. */
export const adminPortDefault = 9464

export type AdminSettings = ResolvedOptions<typeof settings.monitoring & typeof settings.log> & {
  readonly port: number
}

/** The monitoring of a server. */
export interface Monitoring {
  /** Collects metrics; null if nothing reads them. */
  readonly monitor: Monitor | null
  readonly telemetry: TelemetryOptions
  /** Exports the last metrics, before the node closes. */
  readonly snapshotMetrics: Effect.Effect<void>
  /** Reports the node as ready, until the scope closes. */
  readonly attachNode: (
    node: Context.Context<AdminPorts>
  ) => Effect.Effect<void, never, Scope.Scope>
}

/**
 * Opens the admin listener, the request log and the export of metrics and traces that are enabled.
 *
 * @param workerIndex - Index of this worker, from 0; null for a single process
 * @param verification - Reads the last result of `verify`
 */
export const openMonitoring = Effect.fnUntraced(
  function*(
    settings: AdminSettings,
    workerIndex: number | null,
    verification?: Effect.Effect<string | null, unknown>
  ): Effect.fn.Return<Monitoring, ProgramFailure, Scope.Scope> {
    const {
      adminHost,
      adminToken,
      ledgerAgeMaxSeconds,
      otlpUrl,
      requestLog,
      serverTiming,
      traceRatio
    } = settings
    const port = adminPortOf(settings, workerIndex ?? 0)
    const isMonitored = port !== null || otlpUrl !== undefined
    const monitor = openMonitor()
    const admin = port === null ? null : yield* openAdmin({
      monitor,
      port,
      host: adminHost,
      ...verification === undefined ? {} : { verification },
      ...adminToken === undefined ? {} : { token: adminToken },
      limits: adminLimitsOf(settings),
      ...ledgerAgeMaxSeconds === undefined ? {} : { ledgerAgeMaxMs: ledgerAgeMaxSeconds * 1000 }
    }).pipe(Effect.catchTag("AdminError", (cause) =>
      Effect.fail(
        new ProgramFailure({
          exitReason: "inUse",
          cause,
          message:
            `${cause.message}; choose another port with --admin-port, or none with --admin-port off`
        })
      )))
    if (admin !== null) {
      yield* Effect.log(
        `Health and metrics at ${admin.url}${
          adminToken === undefined ? "" : ", feed and pool with the token"
        }`
      )
    }
    const otlp = otlpUrl === undefined ? undefined : yield* openOtlp({ url: otlpUrl, monitor })
    return {
      monitor: isMonitored ? monitor : null,
      telemetry: {
        ...requestLog
          ? {
            log: yield* openRequestLog({
              format: logFormatOf(settings),
              isShared: workerIndex !== null
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

const adminLimitsOf = (settings: AdminSettings): AdminLimits => {
  const {
    adminBodyIdleMs,
    adminConnectionsMax,
    adminHeaderBytesMax,
    adminHeadersTimeoutMs,
    feedLineBytesMax,
    feedRecordTimeoutMs,
    poolBodyBytesMax
  } = settings
  return {
    adminBodyIdleMs,
    adminConnectionsMax,
    adminHeaderBytesMax,
    adminHeadersTimeoutMs,
    feedLineBytesMax,
    feedRecordTimeoutMs,
    poolBodyBytesMax
  }
}

/**
 * Returns the port of the admin listener: a free one by default if the server's port is free too.
 */
const adminPortOf = ({ adminPort, port }: AdminSettings, workerIndex: number): number | null => {
  if (adminPort === "off") return null
  const first = adminPort === undefined ? port === 0 ? 0 : adminPortDefault : Number(adminPort)
  return first === 0 ? 0 : first + workerIndex
}

/** Returns the format of the request log: `auto` is text on a terminal, JSON otherwise. */
const logFormatOf = (
  { logFormat }: Pick<AdminSettings, "logFormat">,
  isTerminal = process.stdout.isTTY
): "text" | "json" => logFormat === "auto" ? isTerminal ? "text" : "json" : logFormat
