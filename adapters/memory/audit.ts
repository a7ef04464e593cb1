import { Effect, Result } from "effect"
import type { Account, BlockChanges, FeedRecord, GenesisFeed } from "../../core/domain/mod.ts"
import type { Keccak256 } from "../../core/encoding/mod.ts"
import {
  type BlockViolation,
  decideBlock,
  decidePrices,
  type Findings,
  StateLeaves,
  type TreeHashes,
  type VerifyExit
} from "../../core/use_cases/mod.ts"
import { type MemoryLedger, openMemoryLedger } from "./ledger.ts"

/** A proof of an exit, and the record that it came with. */
export interface NotedProof {
  readonly place: string
  readonly proof: Parameters<VerifyExit>
}

/** A ledger in memory that takes the records of a feed in with all checks. */
export interface AuditedLedger {
  readonly ledger: MemoryLedger
  /** Null of a record that is no new block. */
  readonly take: (
    record: FeedRecord,
    place: string
  ) => Result.Result<BlockChanges | null, BlockViolation>
  /** The proofs of what was taken in since the last call, to be judged by whoever has the time. */
  readonly proofs: () => ReadonlyArray<NotedProof>
}

export const openAuditedLedger = (genesis: GenesisFeed, keccak256: Keccak256): AuditedLedger => {
  const ledger = openMemoryLedger({ genesis })
  let proofs: Array<NotedProof> = []
  const take: AuditedLedger["take"] = (record, place) => {
    switch (record.kind) {
      case "block": {
        let changes: BlockChanges | null = null
        const noted: Array<NotedProof> = []
        const verifyExit: VerifyExit = (...proof) =>
          noted.push({ place: `${place}, exit of account ${proof[0].accountIndex}`, proof }) > 0
        const decide = decideBlock(
          { constants: genesis.constants, keccak256, verifyExit },
          record.block
        )
        return Result.map(
          ledger.apply((view) =>
            Result.map(decide(view), (decision) => {
              if (decision.kind === "store") changes = decision.changes
              return decision
            })
          ),
          () => {
            proofs.push(...noted)
            return changes
          }
        )
      }
      case "rollBack":
        return Result.map(
          ledger.rollBack<BlockViolation>(record.toBlock, () => Result.void),
          () => null
        )
      case "prices":
        return Result.map(ledger.setPrices(record.prices, decidePrices(record.prices)), () => null)
      case "genesis":
        return Result.succeed(null)
    }
  }
  return {
    ledger,
    take,
    proofs: () => {
      const noted = proofs
      proofs = []
      return noted
    }
  }
}

/** The root over the accounts of a ledger in memory against that of its last batch. */
export const auditMemoryRoot = (
  ledger: MemoryLedger,
  tree: TreeHashes & { readonly account: (account: Account) => bigint },
  findings: Findings
): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { batchNum } = ledger.stamp()
    const batch = batchNum === null ? null : ledger.find("batch", batchNum).item
    if (batch === null) return
    const leaves = new StateLeaves()
    for (let fromItem = 0;;) {
      const { items } = Result.getOrThrow(
        ledger.list("accounts", { filters: {}, fromItem, limit: 500 })
      )
      for (const { account } of items) leaves.add(tree.account(account))
      const last = items.at(-1)
      if (last === undefined) break
      fromItem = last.account.itemId + 1
      yield* Effect.yieldNow
    }
    const steps = leaves.root(tree)
    let step = steps.next()
    for (let count = 1; step.done !== true; step = steps.next()) {
      if (count++ % 64 === 0) yield* Effect.yieldNow
    }
    findings.checked("state-root", leaves.count)
    findings.same("state-root", `batch ${batch.batchNum}, stateRoot`, batch.stateRoot, step.value)
  })
