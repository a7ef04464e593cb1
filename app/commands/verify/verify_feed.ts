import { Effect, Stream } from "effect"
import { exitTree } from "../../../adapters/crypto/mod.ts"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { auditMemoryLedger, auditRecord, openAuditedLedger } from "../../../adapters/memory/mod.ts"
import type { AuditOptions, FeedRecord, Findings } from "../../../core/mod.ts"
import { auditExitTrees, exitTreesAtOnce } from "../../../core/use_cases/mod.ts"
import { FeedFileError, feedFrom } from "../../sources/mod.ts"

/**
 * Applies all records of a feed with all checks. Stops at the first refused record, a violation.
 */
export const verifyFeed = (
  path: string,
  options: AuditOptions,
  findings: Findings
) =>
  Effect.gen(function*() {
    const { genesis, records, share } = yield* feedFrom(path)
    const audited = openAuditedLedger(genesis, keccak256, { buildExitTree: exitTree })
    const { exitBatches } = audited
    findings.checked("genesis")
    let number = 1
    const apply = (record: FeedRecord): Effect.Effect<void, FeedFileError | Refused> =>
      Effect.gen(function*() {
        const at = `record ${++number}`
        if (!auditRecord(audited, record, at, findings)) return yield* Effect.fail(refused)
        if (exitBatches.length >= exitTreesAtOnce) {
          yield* auditExitTrees(options, exitBatches.splice(0), findings)
        }
        yield* options.onProgress({ units: number, share: share(), at })
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
    yield* auditExitTrees(options, exitBatches, findings)
    const { tree } = options
    yield* auditMemoryLedger(audited.ledger, { genesis, keccak256, tree }, findings)
  })

const refused = { message: "refused" } as const
type Refused = typeof refused
