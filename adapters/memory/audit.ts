import { Effect, Result } from "effect"
import type { FeedRecord, GenesisFeed } from "../../core/domain/mod.ts"
import type { Keccak256 } from "../../core/encoding/mod.ts"
import type { PlacedBlock } from "../../core/ports/mod.ts"
import {
  auditLedger,
  type AuditOptions,
  type BlockViolation,
  decideBlock,
  decideHead,
  decidePrices,
  type DeferredProof,
  type Findings,
  type LedgerAuditRules,
  hasExitProofs,
  type LedgerRules
} from "../../core/use_cases/mod.ts"
import { memoryHistory, type MemoryLedger, memoryReader, openMemoryLedger } from "./ledger.ts"

/** A ledger in memory that applies the records of a feed with all checks. */
export interface AuditedLedger {
  readonly ledger: MemoryLedger
  /**
   * Applies a record. Fails if the record violates an invariant. `location` names the record in
   * findings.
   */
  readonly applyRecord: (
    record: FeedRecord,
    location: string
  ) => Result.Result<unknown, BlockViolation>
  /**
   * Returns the proofs of the records applied since the last call, for the caller to verify; none if
   * there are fewer than `min`.
   */
  readonly takeProofs: (min?: number) => ReadonlyArray<DeferredProof>
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
  let deferredProofs: Array<DeferredProof> = []
  const applyRecord: AuditedLedger["applyRecord"] = (record, location) => {
    switch (record.kind) {
      case "block": {
        const isProven = hasExitProofs(record.block)
        const decide = decideBlock(isProven ? rules : { ...rules, ...derived }, record.block)
        return Result.map(ledger.apply(decide), (report) => {
          if (isProven && report.applied) deferredProofs.push(...proofsOf(report.placed, location))
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
  return {
    ledger,
    applyRecord,
    takeProofs: (min = 0) => {
      if (deferredProofs.length < min) return []
      const proofs = deferredProofs
      deferredProofs = []
      return proofs
    }
  }
}

const proofsOf = ({ batches }: PlacedBlock, location: string): ReadonlyArray<DeferredProof> =>
  batches.flatMap(({ batch: { exitRoot }, exits }) =>
    exits.map((exit) => ({
      location: `${location}, exit of account ${exit.accountIndex}`,
      proof: [exit, exitRoot]
    }))
  )

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
  const applied = applyRecord(record, location)
  if (Result.isSuccess(applied)) return true
  const { expected, invariant, pointer, value } = applied.failure
  const place = record.kind === "block" ? `${location}, block ${record.block.number}` : location
  findings.violate("feed", `${place}${pointer}`, `${value} (${invariant})`, expected)
  return false
}

/**
 * Checks a ledger in memory by `auditLedger`. The proofs of its exits are those of `takeProofs`.
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
 * for (let i = 0; i < 9; i++) applyRecord(next(), `record ${i}`)
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
    { findWrongProofs: null, tree, onProgress: () => Effect.void },
    findings
  ))
