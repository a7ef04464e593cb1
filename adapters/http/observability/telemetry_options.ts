import type { Tracer } from "effect"
import type { ProblemName } from "../message/mod.ts"

/** A request and its answer, as a log tells them. */
export interface RequestRecord {
  /** That of the client's header X-Request-Id where it is a plain one; the answer repeats it. */
  readonly id: string
  readonly method: string
  readonly url: string
  /**
   * That of the contract, such as `getAccounts`; `docs`, `openapi`, `index`, `options`, or `none`
   * where nothing stands at the path.
   */
  readonly operation: string
  readonly revision: string
  /** 499 where the client left before there was an answer. */
  readonly status: number
  readonly problem: ProblemName | undefined
  readonly durationMs: number
  /** Length of the body. */
  readonly bytes: number
  /** Address of the client, as far as the transport knows it. */
  readonly client: string | undefined
  /** Of the trace that the request is a part of, 32 hexadecimal digits. */
  readonly traceId: string | undefined
}

/** What is done about each request besides answering it. Nobody pays for what is absent. */
export interface Observing {
  /**
   * Called when the answer is there, before it is sent. Answers that are told of, here or in a
   * trace, carry X-Request-Id. It must not throw, nor take long.
   */
  readonly log?: (record: RequestRecord) => void
  /** Whether answers carry Server-Timing: it tells everybody how many milliseconds they took. */
  readonly serverTiming?: boolean
  readonly traces?: {
    readonly tracer: Tracer.Tracer
    /**
     * Share of the requests without a `traceparent` that are traced, from 0 to 1; one that has it
     * says by itself whether it is.
     */
    readonly ratio: number
  }
}
