import { Effect, Stream } from "effect"
import { exitTree } from "../../../adapters/crypto/mod.ts"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { auditMemoryLedger, auditRecord, openAuditedLedger } from "../../../adapters/memory/mod.ts"
import type { AuditOptions, FeedRecord, Findings } from "../../../core/mod.ts"
import { reportWrongProofs } from "../../../core/use_cases/mod.ts"
import { FeedFileError, feedFrom } from "../../sources/mod.ts"

/** Proofs that are verified together. */
const proofsAtOnce = 200

/**
 * Applies all records of a feed with all checks. Stops at the first refused record, a violation.
 */
export const verifyFeed = (
  path: string,
  { findWrongProofs, onProgress, tree }: AuditOptions,
  findings: Findings
) =>
  Effect.gen(function*() {
    const { genesis, records, share } = yield* feedFrom(path)
    const audited = openAuditedLedger(genesis, keccak256, { buildExitTree: exitTree })
    findings.checked("genesis")
    let number = 1
    const verifyProofs = (min = 0) =>
      findWrongProofs === null
        ? Effect.void
        : reportWrongProofs(findWrongProofs, genesis.network, audited.takeProofs(min), findings)
    const apply = (record: FeedRecord): Effect.Effect<void, FeedFileError | Refused> =>
      Effect.gen(function*() {
        const at = `record ${++number}`
        if (!auditRecord(audited, record, at, findings)) return yield* Effect.fail(refused)
        yield* verifyProofs(proofsAtOnce)
        yield* onProgress({ units: number, share: share(), at })
      })
    yield* Stream.fromAsyncIterable(records, (error) => error as FeedFileError).pipe(
      Stream.runForEach(apply),
      Effect.catch((error) =>
        Effect.sync(() => {
          if (error !== refused) {
            findings.violate("feed", `after record ${number}`, error.message, "a valid line")
          }
          findings.note(
            `The records after record ${number} were not verified, because they depend on it`
          )
        })
      )
    )
    yield* verifyProofs()
    yield* auditMemoryLedger(audited.ledger, { genesis, keccak256, tree }, findings)
  })

const refused = { message: "refused" } as const
type Refused = typeof refused
