import {
  type Client,
  type ClientOptions,
  type NetworkIdentity,
  type Outcome,
  RequestFailed
} from "../client/mod.ts"

/** What the parts of a connection share. */
export interface Connection {
  readonly network: NetworkIdentity
  /** Typed for the prefix `zk`; the names in its values are those of `network.prefix`. */
  readonly client: Client
  readonly wait: NonNullable<ClientOptions["wait"]>
}

/** Options of an operation that sends requests. */
export interface WaitOptions {
  /** Aborts the operation, which then rejects with RequestFailed. */
  readonly signal?: AbortSignal
}

/** Returns the value of an answer; null if there is no such thing. Throws RequestFailed. */
export function valueOrNull<T>(outcome: Outcome<T>): T | null {
  if (outcome.ok) return outcome.value
  if (
    outcome._tag === "Refused" &&
    (outcome.name === "not-found" || outcome.name === "not-registered")
  ) return null
  throw new RequestFailed(outcome)
}

/** Waits before the next request; rejects with RequestFailed if the signal is aborted. */
export async function pause(
  wait: Connection["wait"],
  ms: number,
  signal: AbortSignal | undefined
): Promise<void> {
  try {
    await wait(ms, signal)
  } catch (cause) {
    throw new RequestFailed({
      ok: false,
      _tag: "Aborted",
      message: "The wait was ended by its signal",
      retry: false,
      cause
    })
  }
}
