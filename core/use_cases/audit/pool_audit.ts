import { Effect, Result } from "effect"
import { type PoolState, poolStates } from "../../domain/mod.ts"
import { type Keccak256, l2TransactionId } from "../../encoding/mod.ts"
import type { LedgerReader, Pooled, PoolStore, StoreFailure } from "../../ports/mod.ts"
import type { Findings } from "./findings.ts"

/** The stores that `auditPoolPorts` compares. */
export interface PoolAuditPorts {
  readonly reader: LedgerReader["Service"]
  readonly pool: Pick<
    PoolStore["Service"],
    "pendingSince" | "inBatches" | "counts" | "transitions" | "reconciledBatchesBelow"
  >
}

const unlimited = Number.MAX_SAFE_INTEGER

/**
 * Compares a pool with its counters and with the ledger. It reads the whole pool into memory
 * through the ports. Nothing may write the pool or the ledger in the meantime.
 */
export const auditPoolPorts = (
  ports: PoolAuditPorts,
  keccak256: Keccak256,
  findings: Findings
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    const { pool } = ports
    const batches = { from: 0, to: 2 ** 32 - 1 }
    const stored: Rows = {
      pend: yield* pool.pendingSince({ beforeMs: unlimited, limit: unlimited }),
      fing: yield* pool.inBatches({ state: "fing", ...batches }),
      fged: yield* pool.inBatches({ state: "fged", ...batches }),
      invl: yield* pool.inBatches({ state: "invl", ...batches })
    }
    const counts = yield* pool.counts
    for (const state of poolStates) {
      findings.same("pool", `pool, ${state}`, counts[state], stored[state].length)
    }
    const rows = Object.values(stored).flat()
    findings.checked("pool", rows.length)
    for (const { transaction } of rows) {
      findings.same(
        "pool",
        `pool transaction ${transaction.id}`,
        transaction.id,
        Result.getOrElse(l2TransactionId(transaction, keccak256), () => "the hash of its fields")
      )
      const last = (yield* pool.transitions(transaction.id)).at(-1)
      findings.checked("pool-steps")
      findings.same(
        "pool-steps",
        `pool transaction ${transaction.id}`,
        `${transaction.state} ${transaction.batchNum}`,
        last === undefined ? "the state after the last transition" : `${last.to} ${last.batchNum}`
      )
    }
    findings.checked("pool-ledger", rows.length - stored.invl.length)
    if (yield* isPoolReconciled(ports, findings)) yield* auditReconciled(ports, stored, findings)
  })

type Rows = { readonly [S in PoolState]: ReadonlyArray<Pooled> }

/** Returns whether the pool has reconciled the last batch of the ledger; otherwise adds a note. */
const isPoolReconciled = ({ pool, reader }: PoolAuditPorts, findings: Findings) =>
  Effect.gen(function*() {
    const last = (yield* reader.snapshotId).batchNum
    const [reconciled] = yield* pool.reconciledBatchesBelow({ batchNum: unlimited, limit: 1 })
    const batch = reconciled && (yield* reader.find("batch", reconciled.batchNum)).item
    if (
      (reconciled?.batchNum ?? null) === last &&
      batch?.ethereumBlockHash === reconciled?.ethereumBlockHash
    ) return true
    findings.note(
      `The pool has reconciled with batch ${
        reconciled?.batchNum ?? "none"
      }, and the last batch is ${
        last ?? "none"
      }: its transactions were not compared with the ledger; the node reconciles the pool when it starts`
    )
    return false
  })

/** Compares the pool with the ledger, whose last batch it has reconciled. */
const auditReconciled = (
  { reader }: PoolAuditPorts,
  { fged: forged, fing: forging, pend: pending }: Rows,
  findings: Findings
) =>
  Effect.gen(function*() {
    const last = (yield* reader.snapshotId).batchNum
    for (const { transaction: { batchNum, id } } of forged) {
      if (batchNum! > (last ?? 0)) continue
      const { item } = yield* reader.find("transaction", id)
      findings.same(
        "pool-ledger",
        `pool transaction ${id}`,
        `forged in batch ${batchNum}`,
        `forged in batch ${item?.transaction.batchNum ?? null}`
      )
    }
    for (const { transaction: { batchNum, id } } of forging) {
      if (batchNum! <= (last ?? 0)) {
        findings.violate(
          "pool-ledger",
          `pool transaction ${id}`,
          `forging in batch ${batchNum}`,
          "pending or forged, because this batch is stored"
        )
      }
    }
    for (const { transaction: { fromAccountIndex, id, nonce } } of pending) {
      const { accounts: [account] } = yield* reader.accountsAndTokens({
        accounts: [fromAccountIndex],
        tokens: []
      })
      if (account !== null && account !== undefined && nonce < account.nonce) {
        findings.violate(
          "pool-ledger",
          `pool transaction ${id}`,
          `pending with nonce ${nonce}`,
          `invalid or forged, because the nonce of account ${fromAccountIndex} is ${account.nonce}`
        )
      }
    }
  })
