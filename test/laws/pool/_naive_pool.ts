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
  OwnedTransaction,
  ReplacedTransaction,
  PoolPageQuery,
  PoolParty,
  ReplaceResult,
  ReconciledBatch,
  TransactionOwners
} from "../../../core/ports/mod.ts"

/** A pool that searches all its transactions for every query. */
export class NaivePool {
  rows: ReadonlyArray<Pooled> = []
  marks: ReadonlyArray<ReconciledBatch> = []
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

  add(transaction: PoolTransaction, owners: TransactionOwners, limits: PoolLimits): AddResult {
    return this.addGroup([{ ...owners, transaction }], limits)
  }

  addGroup(group: ReadonlyArray<OwnedTransaction>, limits: PoolLimits): AddResult {
    if (group.some(({ transaction }) => this.find(transaction.id) !== undefined)) {
      return { kind: "known" }
    }
    const senders = group.map(({ transaction }) => transaction.fromAccountIndex)
    if (this.inState("pend").length + group.length > limits.pendingMax) {
      return { kind: "full", limit: "pendingMax", account: senders[0]! }
    }
    const account = senders.find((index) =>
      this.pendingOf(index).length + senders.filter((each) => each === index).length >
        limits.pendingPerAccountMax
    )
    if (account !== undefined) return { kind: "full", limit: "pendingPerAccountMax", account }
    for (const { receiver, sender, transaction } of group) {
      const { id, timestampMs: atMs } = transaction
      const arrival = this.#arrivals++
      this.rows = [...this.rows, { sender, receiver, transaction, sinceMs: atMs, arrival }]
      const posted = { id, from: null, to: "pend", atMs, batchNum: null, reason: "Posted" } as const
      this.steps = [...this.steps, posted]
    }
    return { kind: "added" }
  }

  members(id: string): ReadonlyArray<Pooled> {
    return this.rows.filter(({ transaction }) => transaction.group?.id === id)
      .toSorted((a, b) => a.transaction.group!.position - b.transaction.group!.position)
  }

  replace(
    { arrival, id: replaced }: ReplacedTransaction,
    transaction: PoolTransaction,
    owners: TransactionOwners,
    limits: PoolLimits
  ): ReplaceResult {
    const known = this.find(transaction.id)
    if (known !== undefined && transaction.id !== replaced) return { kind: "known" }
    const old = this.find(replaced)?.transaction
    if (
      old === undefined || old.group !== undefined || old.state === "fing" || old.state === "fged"
    ) return { kind: "changed" }
    if (arrival !== null && this.find(replaced)!.arrival !== arrival) return { kind: "changed" }
    const reason = transaction.id === replaced
      ? `Replaced under the same id: the signature was ${old.signature.toLowerCase()}`
      : `Replaced by transaction ${transaction.id}`
    const before = this.rows
    this.rows = before.filter((row) => row.transaction !== old)
    const steps = this.steps
    this.steps = [...steps, {
      id: replaced,
      from: old.state,
      to: null,
      atMs: transaction.timestampMs,
      batchNum: old.batchNum,
      reason
    }]
    const noLimits = { pendingMax: Infinity, pendingPerAccountMax: Infinity }
    const result = this.add(transaction, owners, old.state === "pend" ? noLimits : limits)
    if (result.kind === "added") {
      this.notes.delete(replaced)
      return { kind: "replaced", from: old.state, batchNum: old.batchNum, reason }
    }
    this.rows = before
    this.steps = steps
    return result
  }

  change(changes: ReadonlyArray<PoolChange>, atMs: number): ReadonlyArray<string> {
    const applies = ({ arrival, from, fromBatchNum, id }: PoolChange) =>
      this.find(id)?.transaction.state === from &&
      this.find(id)?.transaction.batchNum === fromBatchNum &&
      (arrival === undefined || this.find(id)?.arrival === arrival)
    const groupOf = ({ id }: PoolChange) => this.find(id)?.transaction.group?.id
    const failed = changes.filter((change) => !applies(change)).map(groupOf)
    const tried = changes.filter((change) =>
      groupOf(change) === undefined || !failed.includes(groupOf(change))
    )
    return tried.filter((change) => {
      const { batchNum, from, id, reason, to } = change
      const row = this.find(id)
      if (row === undefined || !applies(change)) return false
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

  reconcile(
    { changes, from, to }: {
      readonly from: ReconciledBatch | null
      readonly to: ReconciledBatch | null
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
    const last = to?.batchNum ?? 0
    if (last < (from?.batchNum ?? 0)) {
      for (const { batchNum, id } of this.notes.values()) {
        if (batchNum > last + 1) this.notes.delete(id)
      }
    }
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

  list({ filters, fromArrival, limit, order }: PoolPageQuery) {
    const { from, group, id, party, states, to, tokenId, type } = filters
    const sends = (side: PoolParty, { sender, transaction }: Pooled) =>
      side.accounts?.includes(transaction.fromAccountIndex) === true ||
      sender.address === side.address || sender.publicKey === side.publicKey
    const receives = (side: PoolParty, { receiver, transaction: each }: Pooled) =>
      side.accounts?.some((index) => index === each.toAccountIndex) === true ||
      (side.address !== undefined &&
        [each.toAddress, receiver?.address].includes(side.address)) ||
      (side.publicKey !== undefined &&
        [each.toPublicKey, receiver?.publicKey].includes(side.publicKey))
    const matching = this.rows.filter((row) => {
      const each = row.transaction
      return (
        (id ?? each.id) === each.id && (group ?? each.group?.id) === each.group?.id &&
        (states === undefined || states.includes(each.state)) &&
        (type ?? each.type) === each.type &&
        (tokenId ?? each.tokenId) === each.tokenId && (from === undefined || sends(from, row)) &&
        (to === undefined || receives(to, row)) &&
        (party === undefined || sends(party, row) || receives(party, row))
      )
    }).toSorted((a, b) => a.arrival - b.arrival)
    const ordered = order === "ASC" ? matching : matching.toReversed()
    const rest = ordered.filter(({ arrival }) =>
      fromArrival === null || (order === "ASC" ? arrival >= fromArrival : arrival <= fromArrival)
    )
    return {
      ids: rest.slice(0, limit).map(({ transaction }) => transaction.id),
      notes: rest.slice(0, limit).map(({ transaction: { id } }) => this.notes.get(id) ?? null),
      invalidReasons: rest.slice(0, limit).map(({ transaction: { id, state } }) =>
        state === "invl" ? this.steps.findLast((step) => step.id === id)!.reason : null
      ),
      pendingItems: Math.max(0, rest.length - limit),
      totalItems: matching.length
    }
  }

  expired(belowBatchNum: number): ReadonlyArray<Pooled> {
    return this.inState("pend").filter(({ transaction: { maxNumBatch } }) =>
      maxNumBatch !== undefined && maxNumBatch < belowBatchNum
    )
      .sort((a, b) =>
        a.transaction.maxNumBatch! - b.transaction.maxNumBatch! || a.arrival - b.arrival
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
