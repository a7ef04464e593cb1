import { Effect, type Scope } from "effect"
import { numberedBy } from "../_whole.ts"
import type { ReadSubject } from "./answer_laws.ts"
import type { LawViolation } from "../law.ts"
import { replay } from "../naive/mod.ts"
import { applyAll, type LedgerSubject } from "./ledger_subject.ts"

/** Opens a ledger, writes the whole feed into it, and works out what it should hold: for the laws that only read. */
export const readSubject = Effect.fnUntraced(
  function*(subject: LedgerSubject): Effect.fn.Return<ReadSubject, LawViolation, Scope.Scope> {
    const { ledger, reader } = yield* subject.open
    yield* applyAll(ledger, subject.records)
    const facts = yield* numberedBy(
      reader,
      replay(subject.genesis, subject.records, subject.keccak256)
    )
    return { reader, facts, seed: subject.seed, runs: subject.runs }
  }
)
