import { type Context, Effect, type Scope } from "effect"
import {
  type AdminLimits,
  type AdminPorts,
  openAdmin,
  openOtlp,
  openRequestLog
} from "../../adapters/admin/mod.ts"
import type { Observing } from "../../adapters/http/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import type { Monitor } from "../../core/mod.ts"
import type { ResolvedOptions, settings } from "../config/mod.ts"
import { ProgramFailure } from "../exit_codes.ts"

/**
 * Of exporters of metrics, by custom; scrapers look there, what serves people is elsewhere, and it is below the ports that outgoing
 * connections take by chance.
 */
export const adminPortDefault = 9464

export type AdminSettings = ResolvedOptions<typeof settings.monitoring & typeof settings.log> & {
  readonly port: number
}

/** How a server is watched. */
export interface Monitoring {
  /** For the layers of the node; null where nobody watches, and nothing is counted. */
  readonly monitor: Monitor | null
  readonly observing: Observing
  /** Takes the last figures, while the parts of the node are still there. */
  readonly take: Effect.Effect<void>
  /** From now on the node is ready. */
  readonly serve: (node: Context.Context<AdminPorts>) => Effect.Effect<void, never, Scope.Scope>
}

/** Opens what a server is watched by, as its settings say. @param place which worker this is, from 0; null for a single process @param verification what `verify` found last */
export const openMonitoring = Effect.fnUntraced(
  function*(
    settings: AdminSettings,
    place: number | null,
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
    const port = adminPortOf(settings, place ?? 0)
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
          ending: "taken",
          cause,
          message:
            `${cause.message}; choose another port with --admin-port, or none with --admin-port off`
        })
      )))
    if (admin !== null) {
      yield* Effect.log(
        `Health and metrics at ${admin.url}${
          adminToken === undefined ? "" : ", and with the token the feed and the pool"
        }`
      )
    }
    const otlp = otlpUrl === undefined ? undefined : yield* openOtlp({ url: otlpUrl, monitor })
    return {
      monitor: isMonitored ? monitor : null,
      observing: {
        ...requestLog
          ? {
            log: yield* openRequestLog({ format: logFormatOf(settings), isShared: place !== null })
          }
          : {},
        ...serverTiming ? { serverTiming } : {},
        ...otlp === undefined ? {} : { traces: { tracer: otlp.tracer, ratio: traceRatio } }
      },
      take: otlp?.take ?? Effect.void,
      serve: admin === null ? () => Effect.void : admin.serve
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

/** Whoever takes any port for the interface takes any for this too. */
const adminPortOf = ({ adminPort, port }: AdminSettings, place: number): number | null => {
  if (adminPort === "off") return null
  const first = adminPort === undefined ? port === 0 ? 0 : adminPortDefault : Number(adminPort)
  return first === 0 ? 0 : first + place
}

/** Lines to read for who looks at a terminal, else objects for a program. */
const logFormatOf = (
  { logFormat }: Pick<AdminSettings, "logFormat">,
  isTerminal = process.stdout.isTTY
): "text" | "json" => logFormat === "auto" ? isTerminal ? "text" : "json" : logFormat
