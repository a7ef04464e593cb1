import type { Tracer } from "effect"
import type { ProblemName } from "../message/mod.ts"

/** The log record of a request and its answer. */
export interface RequestRecord {
  /** The client's X-Request-Id if it is safe to log, otherwise a new id. The answer repeats it. */
  readonly id: string
  readonly method: string
  readonly url: string
  /**
   * The operation of the contract, such as `getAccounts`; or `docs`, `openapi`, `index`, `options`;
   * or `none` if the path is unknown.
   */
  readonly operation: string
  readonly revision: string
  /** 499 if the client disconnected before the answer. */
  readonly status: number
  readonly problem: ProblemName | undefined
  readonly durationMs: number
  /** Bytes of the body. */
  readonly bytes: number
  /** Address of the client, if the transport knows it. */
  readonly client: string | undefined
  /** Trace id of the request, 32 hexadecimal digits. */
  readonly traceId: string | undefined
}

/**
 * Logging, timing and tracing of requests. Each one is off by default.
 *
 * @example
 * ```ts
 * import { openNode } from "rollup-node-api/embed"
 * import type { TelemetryOptions } from "rollup-node-api/http"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const telemetry: TelemetryOptions = {
 *   log: ({ operation, status }) => console.log(operation, status) // => getTokens 200
 * }
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis, telemetry })
 * await node.fetch(new Request("http://node/tokens"))
 * await node.close()
 * ```
 */
export interface TelemetryOptions {
  /**
   * Called before each answer is sent; it must not throw or block. Answers that are logged, timed
   * or traced have the header X-Request-Id.
   */
  readonly log?: (record: RequestRecord) => void
  /** Whether answers have the header Server-Timing, with their duration in milliseconds. */
  readonly serverTiming?: boolean
  /** Creates a span for each sampled request. */
  readonly traces?: {
    readonly tracer: Tracer.Tracer
    /**
     * Sampling ratio, from 0 to 1, of requests without a `traceparent`; otherwise its sampled flag
     * decides.
     */
    readonly ratio: number
  }
}
