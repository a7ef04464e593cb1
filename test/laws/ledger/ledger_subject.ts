import { Effect, type Scope } from "effect"
import type { FeedRecord, GenesisFeed } from "../../../core/domain/mod.ts"
import type { Keccak256 } from "../../../core/encoding/mod.ts"
import type { LedgerReader } from "../../../core/ports/mod.ts"
import type { Ledger } from "../../../core/use_cases/mod.ts"
import { sample } from "../_check.ts"
import { integer } from "../generators.ts"
import { type LawViolation, violated } from "../law.ts"

/** A ledger to write to, and its reader. */
export interface OpenLedger {
  readonly reader: LedgerReader["Service"]
  readonly ledger: Ledger["Service"]
}

/** A store under test, and a network to test it with. */
export interface LedgerSubject {
  readonly genesis: GenesisFeed
  /**
   * The feed of the network, rollbacks included. Every record is valid in this order, and has the
   * proof of each exit.
   */
  readonly records: ReadonlyArray<FeedRecord>
  /** Opens a new, empty ledger of this genesis each time. */
  readonly open: Effect.Effect<OpenLedger, never, Scope.Scope>
  readonly keccak256: Keccak256
  /** The laws derive all random choices from it. */
  readonly seed: string | number
  /** The number of random cases of each law. */
  readonly runs: number
}

/**
 * Applies valid records in order; fails with a `LawViolation` if the ledger refuses one.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Ledger } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 * import { applyAll } from "rollup-node-api/testing"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * const store = Layer.provide(Ledger.layer(genesis, keccak256), Memory.layer(genesis))
 * const program = Effect.gen(function*() {
 *   const ledger = yield* Ledger
 *   yield* applyAll(ledger, [next(), next(), next()])
 *   return yield* Effect.flip(applyAll(ledger, [{ kind: "rollBack", toBlock: 0n }]))
 * })
 * console.log((await Effect.runPromise(Effect.provide(program, store)))._tag) // => LawViolation
 * ```
 */
export const applyAll = (
  ledger: Ledger["Service"],
  records: Iterable<FeedRecord>
): Effect.Effect<void, LawViolation> =>
  Effect.forEach(records, (record) => applyOne(ledger, record), { discard: true })

/** Applies a valid record; fails with a `LawViolation` if the ledger refuses it. */
export const applyOne = (ledger: Ledger["Service"], record: FeedRecord) =>
  Effect.catch(
    ledger.applyRecord(record),
    (failure) => violated(`The valid record ${nameOf(record)} was refused: ${failure.message}`)
  )

/** Returns a short description of a record for messages. */
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
    case "head":
      return `head ${record.head.number}`
  }
}

/** Returns random positions in the feed and its end, ascending. */
export const positions = ({ records, runs, seed }: Omit<LedgerSubject, "open">, label: string) =>
  Effect.map(
    sample(integer(0, Math.max(0, records.length - 1)), runs, `${seed}/${label}`),
    (chosen) => [...new Set([...chosen, records.length])].sort((a, b) => a - b)
  )
