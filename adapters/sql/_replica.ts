import { type Context, Effect } from "effect"
import type { LedgerReader, LedgerStamp, LedgerWriter, NotRegistered, StoreFailure } from "../../core/ports/mod.ts"

type Reader = Context.Service.Shape<typeof LedgerReader>
type Writer = Context.Service.Shape<typeof LedgerWriter>

export interface ReplicaOptions {
  readonly primary: Reader
  readonly replica: Reader
  readonly writer: Writer
  /** How long a replica that failed or lagged behind is left alone; 200 ms by default. */
  readonly restMs?: number
}

/**
 * Reads from a replica, but never an answer that is older than one that this process has given, or than what it has written: then, and
 * where the replica fails, the primary is asked. Who reads through one process so never sees the ledger go back; through several,
 * a client can compare the versions in the headers.
 */
export const preferReplica = ({ primary, replica, restMs = 200, writer }: ReplicaOptions): { readonly reader: Reader; readonly writer: Writer } => {
  let seenVersion = 0
  let restsUntilMs = 0
  const seen = ({ version }: LedgerStamp): void => {
    if (version > seenVersion) seenVersion = version
  }
  const rest = (): void => {
    restsUntilMs = Date.now() + restMs
  }
  /** Whether an answer of the replica may be given. */
  const isCurrent = ({ version }: LedgerStamp): boolean => {
    if (version >= seenVersion) return true
    rest()
    return false
  }
  const from = <A, E extends NotRegistered | StoreFailure>(ask: (reader: Reader) => Effect.Effect<A, E>, stampOf: (answer: A) => LedgerStamp) => {
    const given = (asked: Effect.Effect<A, E>) =>
      asked.pipe(
        Effect.tap((answer) => Effect.sync(() => seen(stampOf(answer)))),
        Effect.tapError((failure) => Effect.sync(() => {
          if (failure._tag === "NotRegistered") seen(failure.stamp)
        }))
      )
    return Effect.suspend(() => Date.now() < restsUntilMs ? given(ask(primary)) : Effect.matchEffect(ask(replica), {
      onSuccess: (answer) => isCurrent(stampOf(answer)) ? given(Effect.succeed(answer)) : given(ask(primary)),
      onFailure: (failure) => {
        if (failure._tag === "NotRegistered") return isCurrent(failure.stamp) ? given(Effect.fail(failure)) : given(ask(primary))
        rest()
        return given(ask(primary))
      }
    }))
  }
  const noted = <A, E>(write: Effect.Effect<A, E>, stampOf: (answer: A) => LedgerStamp): Effect.Effect<A, E> =>
    Effect.tap(write, (answer) => Effect.sync(() => seen(stampOf(answer))))
  const own = (stamp: LedgerStamp): LedgerStamp => stamp
  const ofAnswer = ({ stamp }: { readonly stamp: LedgerStamp }): LedgerStamp => stamp
  return {
    reader: {
      list: (name, query) => from((reader) => reader.list(name, query), ofAnswer),
      find: (name, key) => from((reader) => reader.find(name, key), ofAnswer),
      parties: (of) => from((reader) => reader.parties(of), ofAnswer),
      state: from((reader) => reader.state, ofAnswer),
      stamp: from((reader) => reader.stamp, own)
    },
    writer: {
      apply: (block, decide) => noted(writer.apply(block, decide), ofAnswer),
      rollBack: (toBlock, check) => noted(writer.rollBack(toBlock, check), ofAnswer),
      setPrices: (prices, check) => noted(writer.setPrices(prices, check), own)
    }
  }
}
