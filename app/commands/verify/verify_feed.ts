import { Effect, Result, Stream } from "effect"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { auditMemoryRoot, openAuditedLedger } from "../../../adapters/memory/mod.ts"
import type { FeedRecord, Findings } from "../../../core/mod.ts"
import { feedFrom, FeedFileError } from "../../sources/mod.ts"
import { type Auditing, judgeNoted } from "./auditing.ts"

/** Proofs that are judged together. */
const proofsAtOnce = 200

/** Takes all records of a feed in, with all checks: what its reader would refuse is a violation, and the end of it. */
export const verifyFeed = (
  path: string,
  { tell, tree, wrongProofs }: Auditing,
  findings: Findings
) =>
  Effect.gen(function*() {
    const { genesis, records, share } = yield* feedFrom(path)
    const audited = openAuditedLedger(genesis, keccak256)
    findings.checked("genesis")
    let [number, noted] = [1, audited.proofs()]
    const judge = Effect.suspend(() => {
      const judged = noted
      noted = []
      return judgeNoted(wrongProofs, genesis.network, judged, findings)
    })
    const takeIn = (record: FeedRecord): Effect.Effect<void, FeedFileError | Refused> =>
      Effect.gen(function*() {
        const place = `record ${++number}`
        findings.checked("feed")
        const taken = audited.take(record, place)
        if (Result.isFailure(taken)) {
          const { expected, invariant, place: within, value } = taken.failure
          findings.violate(
            "feed",
            record.kind === "block"
              ? `${place}, block ${record.block.number}${within}`
              : `${place}${within}`,
            `${value} (${invariant})`,
            expected
          )
          return yield* Effect.fail(refused)
        }
        noted = [...noted, ...audited.proofs()]
        if (noted.length >= proofsAtOnce) yield* judge
        yield* tell({ units: number, share: share(), at: place })
      })
    yield* Stream.fromAsyncIterable(records, (error) => error as FeedFileError).pipe(
      Stream.runForEach(takeIn),
      Effect.catch((error) =>
        Effect.sync(() => {
          if (error !== refused) {
            findings.violate(
              "feed",
              `behind record ${number}`,
              error.message,
              "a line that can be read"
            )
          }
          findings.note(
            `Nothing behind record ${number} was looked at, since what follows it is judged by what it left`
          )
        })
      )
    )
    yield* judge
    if (tree !== null) yield* auditMemoryRoot(audited.ledger, tree, findings)
  })

const refused = { message: "refused" } as const
type Refused = typeof refused
