import { Effect, Result } from "effect"
import type { FeedRecord, GenesisFeed } from "../../core/domain/mod.ts"
import type { Keccak256 } from "../../core/encoding/mod.ts"
import {
  auditLedger,
  type AuditOptions,
  type BatchExits,
  type BlockViolation,
  decideBlock,
  decideHead,
  decidePrices,
  type Findings,
  type LedgerAuditRules,
  hasExitProofs,
  type LedgerRules
} from "../../core/use_cases/mod.ts"
import { type MemoryLedger, openMemoryLedger } from "./ledger.ts"
import { memoryHistory, memoryReader } from "./ledger_ports.ts"

/** A ledger in memory that applies the records of a feed with all checks. */
export interface AuditedLedger {
  readonly ledger: MemoryLedger
  /** Applies a record. Fails if the record violates an invariant. */
  readonly applyRecord: (record: FeedRecord) => Result.Result<unknown, BlockViolation>
  /**
   * Batches of the applied blocks whose exits have proofs, which `applyRecord` does not verify. The
   * caller checks and removes them.
   */
  readonly exitBatches: Array<BatchExits>
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
 * for (let i = 0; i < 9; i++) applyRecord(simulation.next())
 * const prices = [{ tokenId: 99, priceUSD: 1, timeMs: 0 }]
 * const result = applyRecord({ kind: "prices", prices })
 * console.log(ledger.snapshotId().version, Result.isFailure(result) && result.failure.invariant) // => 17 token-exists
 * ```
 */
export const openAuditedLedger = (
  genesis: GenesisFeed,
  keccak256: Keccak256,
  derived: Pick<LedgerRules, "buildExitTree"> = {}
): AuditedLedger => {
  const ledger = openMemoryLedger({ genesis })
  const rules = { constants: genesis.constants, keccak256 }
  const exitBatches: Array<BatchExits> = []
  const applyRecord: AuditedLedger["applyRecord"] = (record) => {
    switch (record.kind) {
      case "block": {
        const isProven = hasExitProofs(record.block)
        const decide = decideBlock(isProven ? rules : { ...rules, ...derived }, record.block)
        return Result.map(ledger.apply(decide), (report) => {
          if (!isProven || !report.applied) return
          exitBatches.push(...report.placed.batches.filter(({ exits }) => exits.length > 0))
        })
      }
      case "rollBack":
        // a feed does not state the time
        return ledger.rollBack(record.toBlock, () => Result.void, { timeMs: 0 })
      case "prices":
        return ledger.setPrices(record.prices, decidePrices(record.prices))
      case "head":
        return ledger.setHead(record.head, decideHead(genesis.constants.auction, record.head))
      case "genesis":
        return Result.void
    }
  }
  return { ledger, applyRecord, exitBatches }
}

/**
 * Applies a record to an audited ledger. Returns whether it is valid; if it is not, adds a violation
 * of the check `feed`.
 *
 * ```ts
 * import { Findings } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { auditRecord, openAuditedLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const simulation = simulate({ seed: 1 })
 * const audited = openAuditedLedger(simulation.genesis, keccak256)
 * const findings = new Findings()
 * simulation.next()
 * console.log(auditRecord(audited, simulation.next(), "record 2", findings)) // => false
 * console.log(findings.report().violations[0]?.place) // => record 2, block 18000002/number
 * ```
 */
export const auditRecord = (
  { applyRecord }: AuditedLedger,
  record: FeedRecord,
  location: string,
  findings: Findings
): boolean => {
  findings.checked("feed")
  const applied = applyRecord(record)
  if (Result.isSuccess(applied)) return true
  const { expected, invariant, pointer, value } = applied.failure
  const place = record.kind === "block" ? `${location}, block ${record.block.number}` : location
  findings.violate("feed", `${place}${pointer}`, `${value} (${invariant})`, expected)
  return false
}

/**
 * Checks a ledger in memory by `auditLedger`. It does not check the proofs of exits.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Findings } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { auditMemoryLedger, openAuditedLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * const { applyRecord, ledger } = openAuditedLedger(genesis, keccak256)
 * for (let i = 0; i < 9; i++) applyRecord(next())
 * const findings = new Findings()
 * await Effect.runPromise(auditMemoryLedger(ledger, { genesis, keccak256, tree: null }, findings))
 * console.log(findings.report().isSound) // => true
 * ```
 */
export const auditMemoryLedger = (
  ledger: MemoryLedger,
  { tree, ...rules }: LedgerAuditRules & Pick<AuditOptions, "tree">,
  findings: Findings
): Effect.Effect<void> =>
  // a ledger in memory has no failures
  Effect.orDie(auditLedger(
    { reader: memoryReader(ledger), history: memoryHistory(ledger) },
    rules,
    { buildExitTrees: null, tree, onProgress: () => Effect.void },
    findings
  ))
