import { Effect, Fiber } from "effect"
import { listNames } from "../../contract/mod.ts"
import type { GenesisFeed } from "../../domain/mod.ts"
import type {
  LedgerBlock,
  LedgerHistory,
  LedgerReader,
  SnapshotId,
  StoreFailure
} from "../../ports/mod.ts"
import type { AuditCheck } from "./checks.ts"
import { auditAccounts, auditCounts, auditQueue, auditTokens } from "./_ledger_lists.ts"
import type { AccountTree } from "./state_root.ts"
import { auditList } from "./_filters.ts"
import { type Findings, reportDefects } from "./findings.ts"
import { type FindWrongProofs, reportWrongProofs } from "./exit_proofs.ts"
import { type LedgerAuditRules, LedgerReplay } from "./_ledger_replay.ts"
import { auditRollBacks } from "./_rollbacks.ts"

export type { LedgerAuditRules } from "./_ledger_replay.ts"

/** The ports of the ledger that `auditLedger` compares. */
export interface LedgerAuditPorts {
  readonly reader: LedgerReader["Service"]
  readonly history: LedgerHistory["Service"]
}

/** The parts of an audit that the caller supplies. */
export interface AuditOptions {
  /**
   * Returns the indexes of the wrong proofs among proofs of exits, each with the root that it must
   * lead to. Null skips the check.
   */
  readonly findWrongProofs: FindWrongProofs | null
  /** Hashes of the state tree, about a dozen for each account. Null skips the check of the root. */
  readonly tree: AccountTree | null
  /**
   * Called repeatedly with the number of items checked so far, the share of the work that is done,
   * from 0 to 1, undefined if it is unknown, and the name of the current part.
   */
  readonly onProgress: (
    progress: { readonly units: number; readonly share: number | undefined; readonly at: string }
  ) => Effect.Effect<void>
}

/** Number of exit proofs that are verified together. */
const proofsAtOnce = 200

/** Share of the replay in the total time, for the progress. */
const replayShare = 0.9

/**
 * Checks a ledger through its ports. It computes every batch from the state before it, from the
 * first batch on, and compares transactions, exits, created accounts, changes, balances and the last
 * state root with the answers; it compares the rollbacks, and a sample of the rows of each list with
 * the answers for each filter. Nothing may write the ledger in the meantime. It reads batch by batch
 * and needs about 110 bytes of memory for each account, and 60 more for the state root.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { auditLedger, Findings } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { memoryHistory, memoryReader, openAuditedLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * const { applyRecord, ledger } = openAuditedLedger(genesis, keccak256)
 * for (let i = 0; i < 9; i++) applyRecord(next(), `record ${i}`)
 * const ports = { reader: memoryReader(ledger), history: memoryHistory(ledger) }
 * const options = { findWrongProofs: null, tree: null, onProgress: () => Effect.void }
 * const findings = new Findings()
 * await Effect.runPromise(auditLedger(ports, { genesis, keccak256 }, options, findings))
 * const { checks, isSound } = findings.report()
 * console.log(isSound, checks.find(({ check }) => check === "batches")?.checked) // => true 8
 * ```
 */
export const auditLedger = (
  ports: LedgerAuditPorts,
  rules: LedgerAuditRules,
  { findWrongProofs, onProgress, tree }: AuditOptions,
  findings: Findings
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    const { history, reader } = ports
    const snapshotId = yield* reader.snapshotId
    const tokens = yield* auditTokens(reader, findings)
    const replay = new LedgerReplay(reader, rules, tokens, findings)
    const options = { findWrongProofs, onProgress, findings }
    const { genesis, keccak256 } = rules
    const parts: ReadonlyArray<readonly [AuditCheck, at: string, AuditPart]> = [
      ["blocks", "blocks", auditBlocks(history, genesis, replay, snapshotId, options)],
      ["balances", "accounts", Effect.suspend(() => auditAccounts(reader, replay, tree, findings))],
      ["ranges", "counts", Effect.suspend(() => auditCounts(reader, replay, findings))],
      ["queued", "queues", auditQueue(reader, keccak256, findings)],
      ["rollbacks", "rollbacks", auditRollBacks(history, snapshotId.version, findings)],
      ...listNames.map((name) =>
        ["postings", `list of ${name}`, auditList(reader, name, findings)] as const
      )
    ]
    for (const [i, [check, at, part]] of parts.entries()) {
      const share = i === 0 ? 0 : replayShare + (1 - replayShare) * i / parts.length
      yield* onProgress({ units: replay.transactions, share, at })
      yield* reportDefects(check, at, part, findings)
    }
  }).pipe((audit) => reportDefects("standing", "ledger", audit, findings))

type AuditPart = Effect.Effect<void, StoreFailure>

/** Checks the chain of blocks, and the batches of each block in the state before them. */
const auditBlocks = Effect.fnUntraced(
  function*(
    history: LedgerHistory["Service"],
    genesis: GenesisFeed,
    replay: LedgerReplay,
    snapshotId: SnapshotId,
    { findWrongProofs, findings, onProgress }: Omit<AuditOptions, "tree"> & {
      readonly findings: Findings
    }
  ): Effect.fn.Return<void, StoreFailure> {
    const { network } = genesis
    let [number, previous]: [bigint, LedgerBlock | null] = [genesis.block.number, null]
    let verification = yield* Effect.forkChild(Effect.void)
    for (;;) {
      const block: LedgerBlock | null = (yield* history.block(number)).item
      if (block === null) {
        findings.violate("blocks", `block ${number}`, null, "a stored block")
        break
      }
      auditBlock(block, previous, findings)
      for (const batch of block.batches) yield* replay.auditBatch(block, batch)
      if (findWrongProofs !== null && replay.proofs.length >= proofsAtOnce) {
        yield* Fiber.join(verification)
        verification = yield* Effect.forkChild(
          reportWrongProofs(findWrongProofs, network, replay.takeProofs(), findings)
        )
      }
      const share = replay.lastBatchNum / ((snapshotId.batchNum ?? 0) + 1)
      yield* onProgress({ units: replay.transactions, share: replayShare * share, at: "batches" })
      if (block.next === null) break
      ;[number, previous] = [block.next.number, block]
    }
    yield* Fiber.join(verification)
    if (findWrongProofs !== null) {
      yield* reportWrongProofs(findWrongProofs, network, replay.takeProofs(), findings)
    }
    findings.same("blocks", "last block", number, snapshotId.ethereumBlockNum)
    findings.same("batches", "last batch", replay.lastBatchNum, snapshotId.batchNum ?? 0)
  }
)

/** Compares a block with the block before it. */
function auditBlock(
  { block, previous }: LedgerBlock,
  before: LedgerBlock | null,
  findings: Findings
): void {
  const location = `block ${block.number}`
  findings.checked("blocks")
  findings.same("blocks", `${location}, previous`, previous?.hash, before?.block.hash)
  if (before !== null && block.timestampMs < before.block.timestampMs) {
    findings.violate(
      "blocks",
      `${location}, timestampMs`,
      block.timestampMs,
      `${before.block.timestampMs} or more, the time of the previous block`
    )
  }
}
