import { Effect } from "effect"
import { availableParallelism } from "node:os"
import { accountLeaf, poseidon } from "../../../adapters/crypto/mod.ts"
import { exitTreeWorkers } from "../../../adapters/crypto/node.ts"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import {
  type AccountTree,
  type AuditOptions,
  type AuditReport,
  Findings
} from "../../../core/mod.ts"
import { connectionOptions, type ResolvedOptions, type settings } from "../../config/mod.ts"
import { ProgramFailure } from "../../process/mod.ts"
import type * as options from "../options.ts"
import { writeTexts } from "../output.ts"
import { makeProgress } from "../progress.ts"
import {
  formatReport,
  inDatabase,
  locationOf,
  saveVerification,
  type Verification,
  type VerifiedLocation
} from "../verification.ts"
import { verifyFeed } from "./verify_feed.ts"

type Connections = ResolvedOptions<typeof settings.connections>
type Settings =
  & Connections
  & Pick<settings.ServeSettings, "data" | "database">
  & ResolvedOptions<typeof options.verify>

/** The hash functions of the state tree. */
export const treeHashes: AccountTree = {
  account: accountLeaf,
  leaf: (index, value) => poseidon([BigInt(index), value, 1n]),
  node: (left, right) => poseidon([left, right])
}

/** Verifies a store or a feed and prints the result. Fails if there are violations. */
export const verify = (
  { data, database, exitSample, feed, json, stateRoot, violationsMax, ...settings }: Settings
) =>
  Effect.scoped(Effect.gen(function*() {
    const findings = new Findings(violationsMax)
    const progress = yield* makeProgress({ unit: "items" })
    const startedMs = performance.now()
    const options: AuditOptions = {
      onProgress: progress.report,
      buildExitTrees: yield* exitTreeWorkers({ workersMax: availableParallelism() }),
      exitSample,
      tree: stateRoot ? treeHashes : null
    }
    if (exitSample < 1) {
      findings.note(
        exitSample === 0
          ? "No exit proofs were verified"
          : `The exit proofs of a share of ${exitSample} of the batches with exits were verified`
      )
    }
    if (!stateRoot) findings.note("The state root was not computed: --state-root enables it")
    const location = feed === undefined
      ? locationOf({ data, database })
      : { kind: "feed", path: feed } as const
    yield* auditOf(location, options, findings, settings)
    const took = progress.end()
    const verification: Verification = {
      finishedAt: new Date().toISOString(),
      durationMs: Math.round(performance.now() - startedMs),
      ...findings.report()
    }
    yield* saveVerification(location, verification, settings)
    yield* writeTexts(
      json ? [`${JSON.stringify(verification)}\n`] : formatReport(verification, took),
      undefined
    )
    if (!verification.isSound) {
      return yield* new ProgramFailure({
        exitReason: "violations",
        message: `${violationsOf(verification)} violations were found`
      })
    }
  }))

const violationsOf = ({ checks }: AuditReport): number =>
  checks.reduce((sum, { violations }) => sum + violations, 0)

const auditOf = (
  location: VerifiedLocation | { readonly kind: "feed"; readonly path: string },
  options: AuditOptions,
  findings: Findings,
  settings: Connections
) => {
  switch (location.kind) {
    case "feed":
      return verifyFeed(location.path, options, findings)
    case "directory":
      return Effect.flatMap(
        Effect.promise(() => import("../../../adapters/journal/mod.ts")),
        ({ auditJournal }) => auditJournal(location.directory, options, findings)
      )
    case "database":
      return inDatabase(
        location.url,
        { ...connectionOptions(settings), applicationName: "rollup-node verify" },
        ({ auditDatabase }) => auditDatabase({ keccak256, ...options }, findings)
      )
  }
}
