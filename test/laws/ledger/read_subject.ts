import { Effect, type Scope } from "effect"
import { withItemIds } from "../_reading.ts"
import type { ReadSubject } from "./answer_laws.ts"
import type { LawViolation } from "../law.ts"
import { replay } from "../naive/mod.ts"
import { applyAll, type LedgerSubject } from "./ledger_subject.ts"

/**
 * Opens a ledger, applies all records and computes its expected content, for the laws that only
 * read. The ledger stays open until the scope closes. Fails with a `LawViolation` if the ledger
 * refuses a record.
 *
 * ```ts
 * import { Context, Effect, Layer } from "effect"
 * import { Ledger, LedgerReader } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 * import { answerLaws, readSubject } from "rollup-node-api/testing"
 *
 * const simulation = simulate({ seed: 1 })
 * const { genesis } = simulation
 * const store = Layer.provideMerge(Ledger.layer(genesis, keccak256), Memory.layer(genesis))
 * const open = Effect.map(Layer.build(Layer.fresh(store)), (services) => ({
 *   ledger: Context.get(services, Ledger),
 *   reader: Context.get(services, LedgerReader)
 * }))
 * const records = Array.from({ length: 15 }, () => simulation.next())
 * const subject = readSubject({ genesis, records, open, keccak256, seed: 1, runs: 2 })
 * const run = Effect.flatMap(subject, (read) => Effect.forEach(answerLaws, (law) => law.run(read)))
 * console.log((await Effect.runPromise(Effect.scoped(run))).length === answerLaws.length) // => true
 * ```
 */
export const readSubject = Effect.fnUntraced(
  function*(subject: LedgerSubject): Effect.fn.Return<ReadSubject, LawViolation, Scope.Scope> {
    const { ledger, reader } = yield* subject.open
    yield* applyAll(ledger, subject.records)
    const facts = yield* withItemIds(
      reader,
      replay(subject.genesis, subject.records, subject.keccak256)
    )
    return { reader, facts, seed: subject.seed, runs: subject.runs }
  }
)
