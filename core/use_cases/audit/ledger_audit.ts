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
import { auditExitTrees, type ExitTreeOptions, exitTreesAtOnce } from "./exit_trees.ts"
import type { LedgerAuditRules } from "./batch_audit.ts"
import { LedgerReplay } from "./_ledger_replay.ts"

/** The parts of an audit that the caller supplies. */
export interface AuditOptions extends ExitTreeOptions {
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
 * for (let i = 0; i < 9; i++) applyRecord(next())
 * const ports = { reader: memoryReader(ledger), history: memoryHistory(ledger) }
 * const options = { buildExitTrees: null, tree: null, onProgress: () => Effect.void }
 * const findings = new Findings()
 * await Effect.runPromise(auditLedger(ports, { genesis, keccak256 }, options, findings))
 * const { checks, isSound } = findings.report()
 * console.log(isSound, checks.find(({ check }) => check === "batches")?.checked) // => true 8
 * ```
 */
export const auditLedger = (
  { history, reader }: {
    readonly reader: LedgerReader["Service"]
    readonly history: LedgerHistory["Service"]
  },
  rules: LedgerAuditRules,
  options: AuditOptions,
  findings: Findings
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    const snapshotId = yield* reader.snapshotId
    const tokens = yield* auditTokens(reader, findings)
    const { onProgress, tree } = options
    const replay = new LedgerReplay({ ...rules, reader, tokens, findings })
    const { genesis, keccak256 } = rules
    const parts: ReadonlyArray<readonly [AuditCheck, at: string, AuditPart]> = [
      [
        "blocks",
        "blocks",
        auditBlocks(history, genesis, replay, snapshotId, options, findings)
      ],
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
    options: AuditOptions,
    findings: Findings
  ): Effect.fn.Return<void, StoreFailure> {
    let [number, previous]: [bigint, LedgerBlock | null] = [genesis.block.number, null]
    let exitTrees = yield* Effect.forkChild(Effect.void)
    for (;;) {
      const block: LedgerBlock | null = (yield* history.block(number)).item
      if (block === null) {
        findings.violate("blocks", `block ${number}`, null, "a stored block")
        break
      }
      auditBlock(block, previous, findings)
      for (const batch of block.batches) yield* replay.auditBatch(block, batch)
      if (replay.exitBatches.length >= exitTreesAtOnce) {
        yield* Fiber.join(exitTrees)
        exitTrees = yield* Effect.forkChild(
          auditExitTrees(options, replay.exitBatches.splice(0), findings)
        )
      }
      const share = replay.lastBatchNum / ((snapshotId.batchNum ?? 0) + 1)
      yield* options.onProgress({
        units: replay.transactions,
        share: replayShare * share,
        at: "batches"
      })
      if (block.next === null) break
      ;[number, previous] = [block.next.number, block]
    }
    yield* Fiber.join(exitTrees)
    yield* auditExitTrees(options, replay.exitBatches, findings)
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

/** Rollbacks that are read at once. */
const rollBacksPerPage = 500

/** Checks the rollbacks of a ledger; `version` is its current one. */
const auditRollBacks = (
  history: LedgerHistory["Service"],
  version: number,
  findings: Findings
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    let [serial, afterVersion] = [0, 0]
    while (true) {
      const { items } = yield* history.rollBacks({ afterVersion, limit: rollBacksPerPage })
      for (const rollBack of items) {
        const place = `rollback ${rollBack.serial}`
        findings.checked("rollbacks")
        findings.same("rollbacks", `${place}, serial`, rollBack.serial, ++serial)
        if (rollBack.version <= afterVersion || rollBack.version > version) {
          findings.violate(
            "rollbacks",
            `${place}, version`,
            rollBack.version,
            `a version above ${afterVersion}, at most ${version}`
          )
        }
        if (
          rollBack.removedBlock.number < rollBack.lastBlock.number + BigInt(rollBack.blocks) ||
          rollBack.blocks < 1
        ) {
          findings.violate(
            "rollbacks",
            `${place}, blocks`,
            rollBack.blocks,
            `from 1 to ${rollBack.removedBlock.number - rollBack.lastBlock.number}`
          )
        }
        afterVersion = rollBack.version
      }
      if (items.length < rollBacksPerPage) return
    }
  })
