import { Effect, Result } from "effect"
import type { Account, BlockChanges, FeedRecord, GenesisFeed } from "../../core/domain/mod.ts"
import type { Keccak256 } from "../../core/encoding/mod.ts"
import {
  auditHistoryPorts,
  type BlockViolation,
  decideBlock,
  decideHead,
  decidePrices,
  type Findings,
  type LedgerRules,
  StateLeaves,
  type TreeHashes,
  type VerifyExit
} from "../../core/use_cases/mod.ts"
import { memoryHistory, type MemoryLedger, memoryReader, openMemoryLedger } from "./ledger.ts"

/** The proof of an exit, not yet verified. */
export interface DeferredProof {
  /** The record and account of the exit, for a finding. */
  readonly location: string
  readonly proof: Parameters<VerifyExit>
}

/** A ledger in memory that applies the records of a feed with all checks. */
export interface AuditedLedger {
  readonly ledger: MemoryLedger
  /**
   * Applies a record, and returns the changes of a new block or null. Fails if the record violates
   * an invariant. `location` names the record in findings.
   */
  readonly applyRecord: (
    record: FeedRecord,
    location: string
  ) => Result.Result<BlockChanges | null, BlockViolation>
  /** Returns the proofs of the records applied since the last call. The caller verifies them. */
  readonly takeProofs: () => ReadonlyArray<DeferredProof>
}

/**
 * Opens an audited ledger that contains the genesis block and ether. Pass `buildExitTree` for
 * records that leave out proofs of exits.
 *
 * ```ts
 * import { Result } from "effect"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { openAuditedLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const simulation = simulate({ seed: 1 })
 * const { applyRecord, ledger } = openAuditedLedger(simulation.genesis, keccak256)
 * for (let i = 0; i < 9; i++) applyRecord(simulation.next(), `record ${i}`)
 * const prices = [{ tokenId: 99, priceUSD: 1, timeMs: 0 }]
 * const result = applyRecord({ kind: "prices", prices }, "record 9")
 * console.log(ledger.stamp().version, Result.isFailure(result) && result.failure.invariant) // => 17 token-exists
 * ```
 */
export const openAuditedLedger = (
  genesis: GenesisFeed,
  keccak256: Keccak256,
  derived: Pick<LedgerRules, "buildExitTree"> = {}
): AuditedLedger => {
  const ledger = openMemoryLedger({ genesis })
  const rules = { constants: genesis.constants, keccak256, ...derived }
  let deferredProofs: Array<DeferredProof> = []
  const applyRecord: AuditedLedger["applyRecord"] = (record, location) => {
    switch (record.kind) {
      case "block": {
        let changes: BlockChanges | null = null
        const blockProofs: Array<DeferredProof> = []
        const verifyExit: VerifyExit = (...proof) => {
          blockProofs.push({
            location: `${location}, exit of account ${proof[0].accountIndex}`,
            proof
          })
          return true
        }
        const decide = decideBlock({ ...rules, verifyExit }, record.block)
        return Result.map(
          ledger.apply((view) =>
            Result.map(decide(view), (decision) => {
              if (decision.kind === "store") changes = decision.changes
              return decision
            })
          ),
          () => {
            deferredProofs.push(...blockProofs)
            return changes
          }
        )
      }
      case "rollBack":
        return Result.map(
          // a feed does not state the time
          ledger.rollBack<BlockViolation>(record.toBlock, () => Result.void, { timeMs: 0 }),
          () => null
        )
      case "prices":
        return Result.map(ledger.setPrices(record.prices, decidePrices(record.prices)), () => null)
      case "head":
        return Result.map(
          ledger.setHead(record.head, decideHead(genesis.constants.auction, record.head)),
          () => null
        )
      case "genesis":
        return Result.succeed(null)
    }
  }
  return {
    ledger,
    applyRecord,
    takeProofs: () => {
      const proofs = deferredProofs
      deferredProofs = []
      return proofs
    }
  }
}

/**
 * Checks the changes of all accounts, from the last block to the first one, and the rollbacks. Adds
 * the result to `findings`.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Findings } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { auditMemoryHistory, openAuditedLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const simulation = simulate({ seed: 1 })
 * const { applyRecord, ledger } = openAuditedLedger(simulation.genesis, keccak256)
 * for (let i = 0; i < 9; i++) applyRecord(simulation.next(), `record ${i}`)
 * const findings = new Findings()
 * await Effect.runPromise(auditMemoryHistory(ledger, findings))
 * console.log(findings.report().isSound, findings.report().checks[0]?.checked) // => true 208
 * ```
 */
export const auditMemoryHistory = (
  ledger: MemoryLedger,
  findings: Findings
): Effect.Effect<void> =>
  // a ledger in memory has no failures
  Effect.orDie(
    auditHistoryPorts({ reader: memoryReader(ledger), history: memoryHistory(ledger) }, findings)
  )

/**
 * Computes the state root over all accounts of a ledger, and compares it with that of the last
 * batch. Adds the result to `findings`; does nothing before the first batch. Yields to other fibers
 * between its steps.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Findings } from "rollup-node-api"
 * import { accountLeaf, keccak256, poseidon } from "rollup-node-api/crypto"
 * import { auditMemoryRoot, openAuditedLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const simulation = simulate({ seed: 1 })
 * const { applyRecord, ledger } = openAuditedLedger(simulation.genesis, keccak256)
 * for (let i = 0; i < 9; i++) applyRecord(simulation.next(), `record ${i}`)
 * const leaf = (index: number, value: bigint) => poseidon([BigInt(index), value, 1n])
 * const node = (left: bigint, right: bigint) => poseidon([left, right])
 * const findings = new Findings()
 * await Effect.runPromise(auditMemoryRoot(ledger, { account: accountLeaf, leaf, node }, findings))
 * console.log(findings.report().isSound, findings.report().checks[0]?.checked) // => true 125
 * ```
 */
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
