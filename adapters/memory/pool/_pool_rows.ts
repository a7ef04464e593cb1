import { Struct } from "effect"
import { poolList, rowFilter } from "../../../core/contract/mod.ts"
import { feeUnits, type PoolState, poolStates, type TokenId } from "../../../core/domain/mod.ts"
import type { AccountIndex, GroupId, TransactionId } from "../../../core/encoding/mod.ts"
import type { Pooled, PoolFilters, PoolParty } from "../../../core/ports/mod.ts"
import { SortedList } from "./_sorted_list.ts"

/** A pool transaction with its fee, which the lists compare. */
export interface PoolRow {
  readonly pooled: Pooled
  readonly feeUnits: bigint
}

type ForgingState = Exclude<PoolState, "pend">

/** The transactions of a pool, by id and in the order of each query. */
export class PoolRows {
  /** Pending transactions by the time since when they are pending. */
  readonly bySince = new SortedList<PoolRow>((a, b) =>
    a.pooled.sinceMs - b.pooled.sinceMs || byArrival(a, b)
  )
  /** Pending transactions of each token by fee, the highest first. */
  readonly byFee = new Map<TokenId, SortedList<PoolRow>>()
  /** Pending transactions of each account by nonce. */
  readonly byNonce = new Map<AccountIndex, SortedList<PoolRow>>()
  /** Pending transactions with a last batch by this batch. */
  readonly byLastBatch = new SortedList<PoolRow>((a, b) =>
    lastBatchOf(a) - lastBatchOf(b) || byArrival(a, b)
  )
  /** Other transactions of each state by batch number. */
  readonly byBatch: { readonly [State in ForgingState]: SortedList<PoolRow> } = {
    fing: new SortedList(compareBatch),
    fged: new SortedList(compareBatch),
    invl: new SortedList(compareBatch)
  }
  /** All transactions of each state in the order of arrival. */
  readonly #byArrival: { readonly [State in PoolState]: SortedList<PoolRow> } = {
    pend: new SortedList(byArrival),
    fing: new SortedList(byArrival),
    fged: new SortedList(byArrival),
    invl: new SortedList(byArrival)
  }
  /** All transactions of each state and sender or destination, in the order of arrival. */
  readonly #byParty = new Map<string, SortedList<PoolRow>>()
  /** The transactions of each group by position. */
  readonly #byGroup = new Map<GroupId, SortedList<PoolRow>>()
  readonly #byId = new Map<TransactionId, PoolRow>()

  get(id: TransactionId): PoolRow | undefined {
    return this.#byId.get(id)
  }

  has(id: TransactionId): boolean {
    return this.#byId.has(id)
  }

  /** Returns all transactions. */
  all(): Array<Pooled> {
    return Array.from(this.#byId.values(), ({ pooled }) => pooled)
  }

  get counts(): { readonly [State in PoolState]: number } {
    const { fged, fing, invl } = this.byBatch
    return { pend: this.bySince.length, fing: fing.length, fged: fged.length, invl: invl.length }
  }

  /** Returns the transactions of a group by position. */
  members(id: GroupId): ReadonlyArray<Pooled> {
    return Array.from(this.#byGroup.get(id) ?? [], ({ pooled }) => pooled)
  }

  /** Returns the number of pending transactions of an account. */
  pendingOf(index: AccountIndex): number {
    return this.byNonce.get(index)?.length ?? 0
  }

  add(pooled: Pooled): void {
    const row = rowOf(pooled)
    this.#byId.set(pooled.transaction.id, row)
    for (const list of this.#listsOf(row)) list.add(row)
  }

  remove(row: PoolRow): void {
    const { fromAccountIndex, group, id, state, tokenId } = row.pooled.transaction
    this.#byId.delete(id)
    for (const list of this.#listsOf(row)) list.remove(row)
    // otherwise every account that ever had a transaction would keep an empty list
    dropEmpty(this.byFee, tokenId)
    dropEmpty(this.byNonce, fromAccountIndex)
    for (const party of partiesOf(row)) dropEmpty(this.#byParty, inState(state, party))
    if (group !== undefined) dropEmpty(this.#byGroup, group.id)
  }

  /** Returns disjoint lists of the transactions that the filters match, in the order of arrival. */
  lists(filters: PoolFilters): ReadonlyArray<SortedList<PoolRow>> {
    const { states = poolStates, ...others } = filters
    return Object.values(others).every((condition) => condition === undefined)
      ? [...new Set(states)].map((state) => this.#byArrival[state])
      : [
        new SortedList(
          byArrival,
          this.#candidates(filters).filter(listedBy(filters)).sort(byArrival)
        )
      ]
  }

  /** Returns the rows that meet one of the conditions, each once. */
  #candidates(filters: PoolFilters): Array<PoolRow> {
    const { group, id, states = poolStates } = filters
    if (id !== undefined) {
      const row = this.get(id)
      return row === undefined ? [] : [row]
    }
    if (group !== undefined) return [...this.#byGroup.get(group) ?? []]
    const [names] = partyNames(filters)
    const lists = states.flatMap((state) =>
      names === undefined
        ? this.#byArrival[state]
        : names.map((name) => this.#byParty.get(inState(state, name)) ?? [])
    )
    return [...new Set(lists.flatMap((list) => [...list]))]
  }

  #listsOf(row: PoolRow): ReadonlyArray<SortedList<PoolRow>> {
    const { group, state } = row.pooled.transaction
    return [
      ...group === undefined ? [] : [listIn(this.#byGroup, group.id, byPosition)],
      this.#byArrival[state],
      ...partiesOf(row).map((party) => listIn(this.#byParty, inState(state, party), byArrival)),
      ...this.#listsOfState(row)
    ]
  }

  #listsOfState(
    { pooled: { transaction: { fromAccountIndex, maxNumBatch, state, tokenId } } }: PoolRow
  ): ReadonlyArray<SortedList<PoolRow>> {
    if (state !== "pend") return [this.byBatch[state]]
    return [
      ...maxNumBatch === undefined ? [] : [this.byLastBatch],
      this.bySince,
      listIn(this.byFee, tokenId, (a, b) => compare(b.feeUnits, a.feeUnits) || byArrival(a, b)),
      listIn(
        this.byNonce,
        fromAccountIndex,
        (a, b) => compare(a.pooled.transaction.nonce, b.pooled.transaction.nonce) || byArrival(a, b)
      )
    ]
  }
}

/** Returns the names of each condition on a party: a row has at least one of each. */
const partyNames = ({ from, party, to }: PoolFilters): ReadonlyArray<ReadonlyArray<string>> => [
  ...from === undefined ? [] : [namesOf("from", from)],
  ...to === undefined ? [] : [namesOf("to", to)],
  ...party === undefined ? [] : [[...namesOf("from", party), ...namesOf("to", party)]]
]

const namesOf = (
  side: "from" | "to",
  { accounts = [], address, publicKey }: PoolParty
): ReadonlyArray<string> => [
  ...accounts.map((index) => `${side} ${index}`),
  ...address === undefined ? [] : [`${side} ${address}`],
  ...publicKey === undefined ? [] : [`${side} key ${publicKey}`]
]

/** Returns the key of the transactions of a party in one state. */
const inState = (state: PoolState, party: string): string => `${state} ${party}`

const { filters } = poolList

/** What the filters of one side compare, and the beginning of its names in `namesOf`. */
const partyValues = [
  ["from ", filters.fromAccountIndex.compared[0]],
  ["from ", filters.fromAddress.compared[0]],
  ["from key ", filters.fromPublicKey.compared[0]],
  ["to ", filters.toAccountIndex.compared[0]],
  ["to ", filters.toAddress.compared[0]],
  ["to key ", filters.toPublicKey.compared[0]]
] as const

/** Returns the names of the sender, of the destination and of their owners. */
const partiesOf = ({ pooled }: PoolRow): ReadonlyArray<string> =>
  partyValues.flatMap(([prefix, valueOf]) => {
    const value = valueOf(pooled)
    return value === null ? [] : [`${prefix}${value}`]
  })

/** Returns a function that tells whether a row meets all conditions. */
const listedBy = (conditions: PoolFilters): (row: PoolRow) => boolean => {
  const { group, id, states } = conditions
  const others = ["from", "group", "id", "party", "states", "to"] as const
  const matches = rowFilter(poolList, Struct.omit(conditions, others))
  const names = partyNames(conditions)
  return (row) =>
    (id === undefined || row.pooled.transaction.id === id) &&
    (group === undefined || row.pooled.transaction.group?.id === group) &&
    (states === undefined || states.includes(filters.state.compared[0](row.pooled))) &&
    matches(row.pooled) &&
    names.every((accepted) => partiesOf(row).some((name) => accepted.includes(name)))
}

/** Returns the row of a transaction, which compares as it does in the lists. */
export const rowOf = (pooled: Pooled): PoolRow => ({
  pooled,
  feeUnits: feeUnits(pooled.transaction)
})

/** Compares rows that are not pending: each of them has a batch number. */
const compareBatch = (a: PoolRow, b: PoolRow): number =>
  (a.pooled.transaction.batchNum ?? 0) - (b.pooled.transaction.batchNum ?? 0) || byArrival(a, b)
/** Returns the last batch that may forge a transaction. */
export const lastBatchOf = ({ pooled }: PoolRow): number => pooled.transaction.maxNumBatch ?? 0
const positionOf = ({ pooled }: PoolRow): number => pooled.transaction.group?.position ?? 0
const byPosition = (a: PoolRow, b: PoolRow): number =>
  positionOf(a) - positionOf(b) || byArrival(a, b)
export const byArrival = (a: PoolRow, b: PoolRow): number => a.pooled.arrival - b.pooled.arrival
const compare = (a: bigint, b: bigint): number => a < b ? -1 : a > b ? 1 : 0

/** Returns the list of a key, and creates it if there is none. */
function listIn<Key>(
  lists: Map<Key, SortedList<PoolRow>>,
  key: Key,
  compareRows: (a: PoolRow, b: PoolRow) => number
): SortedList<PoolRow> {
  const existing = lists.get(key)
  if (existing !== undefined) return existing
  const created = new SortedList(compareRows)
  lists.set(key, created)
  return created
}

function dropEmpty<Key>(lists: Map<Key, SortedList<PoolRow>>, key: Key): void {
  if (lists.get(key)?.length === 0) lists.delete(key)
}
