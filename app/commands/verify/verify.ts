import { Effect, type Redacted } from "effect"
import { resolve } from "node:path"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { type AuditReport, Findings } from "../../../core/mod.ts"
import { connectionOptions, type ResolvedOptions, type settings } from "../../config/mod.ts"
import { ProgramFailure } from "../../exit_codes.ts"
import { writeTexts } from "../output.ts"
import { makeProgress } from "../progress.ts"
import {
  formatReport,
  saveVerification,
  type Verification,
  type VerifiedLocation
} from "../verification.ts"
import { type Auditing, proofJudge, reportWrongProofs, treeHashes } from "./auditing.ts"
import { verifyFeed } from "./verify_feed.ts"

type Connections = ResolvedOptions<typeof settings.connections>
type Settings =
  & ResolvedOptions<
    typeof settings.database & typeof settings.connections & Pick<typeof settings.storage, "data">
  >
  & {
    readonly feed: string | undefined
    readonly json: boolean
    readonly exitSample: number
    readonly stateRoot: boolean
    readonly violationsMax: number
  }

/** Verifies a store or a feed and prints the result. Fails if there are violations. */
export const verify = (
  { data, database, exitSample, feed, json, stateRoot, violationsMax, ...settings }: Settings
) =>
  Effect.scoped(Effect.gen(function*() {
    const findings = new Findings(violationsMax)
    const progress = yield* makeProgress({ unit: "things" })
    const startedMs = Date.now()
    const auditing: Auditing = {
      tell: progress.report,
      wrongProofs: yield* proofJudge(exitSample, findings),
      tree: stateRoot ? treeHashes : null
    }
    if (exitSample < 1) {
      findings.note(
        exitSample === 0
          ? "No proof of an exit was verified"
          : `A share of ${exitSample} of the proofs of exits was verified`
      )
    }
    if (!stateRoot) findings.note("The state root was not computed: --state-root does")
    const place = verifiedLocationOf(data, database, feed)
    yield* auditOf(place, auditing, findings, settings)
    const took = progress.end()
    const verification: Verification = {
      finishedAt: new Date().toISOString(),
      durationMs: Date.now() - startedMs,
      ...findings.report()
    }
    yield* saveVerification(place, verification, settings)
    yield* writeTexts(
      json ? [`${JSON.stringify(verification)}\n`] : formatReport(verification, took),
      undefined
    )
    if (!verification.isSound) {
      return yield* new ProgramFailure({
        ending: "unsound",
        message: `${violationsOf(verification)} violations were found`
      })
    }
  }))

const violationsOf = ({ checks }: AuditReport): number =>
  checks.reduce((sum, { violations }) => sum + violations, 0)

const verifiedLocationOf = (
  data: string,
  database: Redacted.Redacted | undefined,
  feed: string | undefined
): VerifiedLocation | { readonly kind: "feed"; readonly path: string } =>
  feed !== undefined
    ? { kind: "feed", path: feed }
    : database !== undefined
    ? { kind: "database", url: database }
    : { kind: "directory", directory: resolve(data) }

const auditOf = (
  place: ReturnType<typeof verifiedLocationOf>,
  { tell, tree, wrongProofs }: Auditing,
  findings: Findings,
  settings: Connections
) => {
  switch (place.kind) {
    case "feed":
      return verifyFeed(place.path, { tell, tree, wrongProofs }, findings)
    case "directory":
      return Effect.gen(function*() {
        const { auditJournal } = yield* Effect.promise(() =>
          import("../../../adapters/journal/mod.ts")
        )
        yield* auditJournal(place.directory, {
          tell,
          tree,
          judge: (network, noted) => reportWrongProofs(wrongProofs, network, noted, findings)
        }, findings)
      })
    case "database":
      return Effect.gen(function*() {
        const { auditDatabase, databaseLayer } = yield* Effect.promise(() =>
          import("../../../adapters/sql/mod.ts")
        )
        yield* Effect.provide(
          auditDatabase(
            { keccak256, findWrongProofs: wrongProofs, onProgress: tell, tree },
            findings
          ),
          databaseLayer({
            url: place.url,
            ...connectionOptions(settings),
            applicationName: "rollup-node verify"
          })
        )
      })
  }
}
