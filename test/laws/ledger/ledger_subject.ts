import { Effect, type Scope } from "effect"
import type { FeedRecord, GenesisFeed } from "../../../core/domain/mod.ts"
import type { Keccak256 } from "../../../core/encoding/mod.ts"
import type { LedgerReader } from "../../../core/ports/mod.ts"
import type { Ledger } from "../../../core/use_cases/mod.ts"
import { type LawViolation, violated } from "../law.ts"

/** A ledger that can be written and read. */
export interface OpenLedger {
  readonly reader: LedgerReader["Service"]
  readonly ledger: Ledger["Service"]
}

/** A store, and a network to try it with. */
export interface LedgerSubject {
  readonly genesis: GenesisFeed
  /** What happens on the network, rollbacks included: every record is valid where it stands. */
  readonly records: ReadonlyArray<FeedRecord>
  /** Opens a new and empty ledger of this genesis each time. */
  readonly open: Effect.Effect<OpenLedger, never, Scope.Scope>
  readonly keccak256: Keccak256
  /** All chance of the laws follows from it. */
  readonly seed: string | number
  /** How many cases each law tries. */
  readonly runs: number
}

/** Applies records that the network says are valid. */
export const applyAll = (
  ledger: Ledger["Service"],
  records: Iterable<FeedRecord>
): Effect.Effect<void, LawViolation> =>
  Effect.forEach(records, (record) => applyOne(ledger, record), { discard: true })

export const applyOne = (ledger: Ledger["Service"], record: FeedRecord) =>
  Effect.catch(
    ledger.applyRecord(record),
    (failure) => violated(`The valid record ${nameOf(record)} was refused: ${failure.message}`)
  )

export const nameOf = (record: FeedRecord): string => {
  switch (record.kind) {
    case "genesis":
      return "genesis"
    case "block":
      return `block ${record.block.number}`
    case "rollBack":
      return `roll back to ${record.toBlock}`
    case "prices":
      return `prices of ${record.prices.length} tokens`
  }
}
