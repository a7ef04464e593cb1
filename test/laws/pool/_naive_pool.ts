import {
  type Authorization,
  feeUnits,
  type PoolState,
  poolStates,
  type PoolTransaction,
  type PoolTransition,
  type SkippedTransaction
} from "../../../core/domain/mod.ts"
import type {
  AddResult,
  PoolChange,
  Pooled,
  PoolLimits,
  SettledBatch
} from "../../../core/ports/mod.ts"

/** A pool that searches all its transactions for every query. */
export class NaivePool {
  rows: ReadonlyArray<Pooled> = []
  marks: ReadonlyArray<SettledBatch> = []
  authorizations = new Map<string, Authorization>()
  steps: ReadonlyArray<PoolTransition> = []
  notes = new Map<string, SkippedTransaction>()
  #arrivals = 0

  find(id: string): Pooled | undefined {
    return this.rows.find(({ transaction }) => transaction.id === id)
  }

  inState(...states: ReadonlyArray<PoolState>): ReadonlyArray<Pooled> {
    return this.rows.filter(({ transaction }) => states.includes(transaction.state))
  }

  pendingOf(index: number): ReadonlyArray<Pooled> {
    return this.inState("pend").filter(({ transaction }) => transaction.fromAccountIndex === index)
  }

  add(
    transaction: PoolTransaction,
    sender: string,
    { pendingMax, pendingPerAccountMax }: PoolLimits
  ): AddResult {
    const known = this.find(transaction.id)
    if (known !== undefined) return { kind: "known", transaction: known.transaction }
    if (this.inState("pend").length >= pendingMax) return { kind: "full", limit: "pendingMax" }
    if (this.pendingOf(transaction.fromAccountIndex).length >= pendingPerAccountMax) {
      return { kind: "full", limit: "pendingPerAccountMax" }
    }
    const { id, timestampMs: atMs } = transaction
    this.rows = [...this.rows, { transaction, sender, sinceMs: atMs, arrival: this.#arrivals++ }]
    this.steps = [...this.steps, {
      id,
      from: null,
      to: "pend",
      atMs,
      batchNum: null,
      reason: "Posted"
    }]
    return { kind: "added" }
  }

  change(changes: ReadonlyArray<PoolChange>, atMs: number): ReadonlyArray<string> {
    return changes.filter(({ batchNum, from, fromBatchNum, id, reason, to }) => {
      const row = this.find(id)
      if (
        row === undefined || row.transaction.state !== from ||
        row.transaction.batchNum !== fromBatchNum
      ) return false
      this.rows = this.rows.flatMap((other) =>
        other !== row
          ? other
          : to === null
          ? []
          : { ...row, sinceMs: atMs, transaction: { ...row.transaction, state: to, batchNum } }
      )
      this.notes.delete(id)
      this.steps = [...this.steps, { id, from, to, atMs, batchNum, reason }]
      return true
    }).map(({ id }) => id)
  }

  settle(
    { changes, from, to }: {
      readonly from: SettledBatch | null
      readonly to: SettledBatch | null
      readonly changes: ReadonlyArray<PoolChange>
    },
    atMs: number
  ): ReadonlyArray<string> | null {
    const top = this.marks.at(-1)
    if (top?.batchNum !== from?.batchNum || top?.ethereumBlockHash !== from?.ethereumBlockHash) {
      return null
    }
    this.marks = [
      ...this.marks.filter(({ batchNum }) => to !== null && batchNum < to.batchNum),
      ...to === null ? [] : [to]
    ]
    return this.change(changes, atMs)
  }

  counts(): { readonly [State in PoolState]: number } {
    return Object.fromEntries(poolStates.map((state) => [state, this.inState(state).length])) as {
      [State in PoolState]: number
    }
  }

  byFee(tokenId: number, after: Pooled | null): ReadonlyArray<Pooled> {
    return this.inState("pend").filter(({ transaction }) => transaction.tokenId === tokenId).sort(
      compareFees
    )
      .filter((row) => after === null || compareFees(row, after) > 0)
  }

  since(beforeMs: number): ReadonlyArray<Pooled> {
    return this.inState("pend").filter(({ sinceMs }) => sinceMs < beforeMs).sort((a, b) =>
      a.sinceMs - b.sinceMs || a.arrival - b.arrival
    )
  }

  inBatches(state: PoolState, from: number, to: number): ReadonlyArray<Pooled> {
    return this.inState(state).filter(({ transaction: { batchNum } }) =>
      batchNum! >= from && batchNum! <= to
    )
      .sort((a, b) => a.transaction.batchNum! - b.transaction.batchNum! || a.arrival - b.arrival)
  }
}

const compareFees = (a: Pooled, b: Pooled): number => {
  const [feeA, feeB] = [feeUnits(a.transaction), feeUnits(b.transaction)]
  return feeA > feeB ? -1 : feeA < feeB ? 1 : a.arrival - b.arrival
}
