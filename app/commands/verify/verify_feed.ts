import { Effect, Result, Stream } from "effect"
import { exitTree } from "../../../adapters/crypto/mod.ts"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import {
  auditMemoryHistory,
  auditMemoryRoot,
  openAuditedLedger
} from "../../../adapters/memory/mod.ts"
import type { FeedRecord, Findings } from "../../../core/mod.ts"
import { FeedFileError, feedFrom } from "../../sources/mod.ts"
import { type Auditing, reportWrongProofs } from "./auditing.ts"

/** Proofs that are verified together. */
const proofsAtOnce = 200

/**
 * Applies all records of a feed with all checks. Stops at the first refused record, a violation.
 */
export const verifyFeed = (
  path: string,
  { onProgress, tree, findWrongProofs }: Auditing,
  findings: Findings
) =>
  Effect.gen(function*() {
    const { genesis, records, share } = yield* feedFrom(path)
    const audited = openAuditedLedger(genesis, keccak256, { buildExitTree: exitTree })
    findings.checked("genesis")
    let [number, deferredProofs] = [1, audited.takeProofs()]
    const verifyDeferred = Effect.suspend(() => {
      const proofs = deferredProofs
      deferredProofs = []
      return reportWrongProofs(findWrongProofs, genesis.network, proofs, findings)
    })
    const auditRecord = (record: FeedRecord): Effect.Effect<void, FeedFileError | Refused> =>
      Effect.gen(function*() {
        const recordName = `record ${++number}`
        findings.checked("feed")
        const applied = audited.applyRecord(record, recordName)
        if (Result.isFailure(applied)) {
          const { expected, invariant, pointer: within, value } = applied.failure
          findings.violate(
            "feed",
            record.kind === "block"
              ? `${recordName}, block ${record.block.number}${within}`
              : `${recordName}${within}`,
            `${value} (${invariant})`,
            expected
          )
          return yield* Effect.fail(refused)
        }
        deferredProofs = [...deferredProofs, ...audited.takeProofs()]
        if (deferredProofs.length >= proofsAtOnce) yield* verifyDeferred
        yield* onProgress({ units: number, share: share(), at: recordName })
      })
    yield* Stream.fromAsyncIterable(records, (error) => error as FeedFileError).pipe(
      Stream.runForEach(auditRecord),
      Effect.catch((error) =>
        Effect.sync(() => {
          if (error !== refused) {
            findings.violate(
              "feed",
              `after record ${number}`,
              error.message,
              "a valid line"
            )
          }
          findings.note(
            `The records after record ${number} were not verified, because they depend on it`
          )
        })
      )
    )
    yield* verifyDeferred
    yield* auditMemoryHistory(audited.ledger, findings)
    if (tree !== null) yield* auditMemoryRoot(audited.ledger, tree, findings)
  })

const refused = { message: "refused" } as const
type Refused = typeof refused
