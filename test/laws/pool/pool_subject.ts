import type { Effect, Scope } from "effect"
import type { GenesisFeed } from "../../../core/domain/mod.ts"
import type { Keccak256 } from "../../../core/encoding/mod.ts"
import type { LedgerReader, LedgerWriter, PoolStore } from "../../../core/ports/mod.ts"

/** The stores of one node. */
export interface OpenPool {
  readonly store: PoolStore["Service"]
  readonly reader: LedgerReader["Service"]
  readonly writer: LedgerWriter["Service"]
}

/** A pool store under test, with a ledger of the genesis. */
export interface PoolSubject {
  readonly genesis: GenesisFeed
  readonly keccak256: Keccak256
  /** Opens new, empty stores each time. */
  readonly open: Effect.Effect<OpenPool, never, Scope.Scope>
  /** The laws derive all random choices from it. */
  readonly seed: string | number
  /** The number of random cases of each law. */
  readonly runs: number
}
