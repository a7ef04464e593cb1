import { Context, Effect, Layer } from "effect"
import type {
  Authorization,
  PoolTransaction,
  PoolTransition,
  SkippedTransaction
} from "../../../core/domain/mod.ts"
import type {
  EthereumAddress,
  GroupId,
  PublicKey,
  TransactionId
} from "../../../core/encoding/mod.ts"
import {
  type AddGroupResult,
  type AddResult,
  type PoolChange,
  type Pooled,
  type PoolLimits,
  type PoolPage,
  type PoolPageQuery,
  PoolStore,
  PoolTip,
  replacedReason,
  type ReplaceResult,
  type SettledBatch
} from "../../../core/ports/mod.ts"
import { firstNot } from "../_binary_search.ts"
import { frozenCopy } from "../state/mod.ts"
import { lastBatchOf, type PoolRow, PoolRows, rowOf } from "./_pool_rows.ts"
import { type TransactionHistory, TransitionHistory } from "./_transition_history.ts"

/**
 * The complete state of a pool at one time. Its rows are plain data and never change, so later
 * writes do not change it.
 */
export interface PoolImage {
  readonly version: number
  /** Number of transactions that ever entered the pool. */
  readonly arrivals: number
  /** The number of the first entry of `histories`. */
  readonly firstHistory: number
  readonly lists: {
    readonly pooled: ReadonlyArray<Pooled>
    /** Null if the transitions were forgotten. */
    readonly histories: ReadonlyArray<TransactionHistory | null>
    readonly authorizations: ReadonlyArray<Authorization>
    readonly skippedTransactions: ReadonlyArray<SkippedTransaction>
    readonly settledBatches: ReadonlyArray<SettledBatch>
  }
}

/**
 * A transaction pool in memory. Each call is synchronous and atomic. Transitions of all
 * transactions stay in memory until `forgetTransitions` or until the pool is dropped.
 */
export interface MemoryPoolStore extends Context.Service.Shape<typeof PoolStore> {
  /**
   * Stops sorting the transactions, so that a long history is loaded faster. Call the result at the
   * end. Until then only reads by id are correct, and limits do not apply.
   */
  readonly postponeSorting: () => () => void
  /**
   * Runs synchronous writes. Returns their result, and a function that undoes them. Of several such
   * functions, call that of the last writes first. Undoing never reuses a version of `tip`.
   */
  readonly undoable: <A>(write: () => A) => readonly [result: A, undo: () => void]
  /** The versions of the pool and of its transactions. */
  readonly tip: PoolTip
  /**
   * Drops the transitions of transactions that left the pool before a time, in milliseconds since
   * 1970. Returns the number of these transactions.
   */
  readonly forgetTransitions: (beforeMs: number) => number
  /** Returns the complete state for a checkpoint, which later writes do not change. */
  readonly capture: () => PoolImage
  /** Sets the state of an empty pool. */
  readonly restore: (image: PoolImage) => void
}

/**
 * Opens an empty pool.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { openMemoryPool } from "rollup-node-api/memory"
 *
 * const pool = openMemoryPool()
 * const authorization = {
 *   address: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
 *   publicKey: "01".repeat(32),
 *   signature: `0x${"1".repeat(130)}`,
 *   timestampMs: 0
 * }
 * const add = pool.addAuthorization(authorization)
 * const [first, second] = await Effect.runPromise(Effect.all([add, add]))
 * console.log(first.added, second.added, pool.tip.version()) // => true false 1
 * ```
 */
export const openMemoryPool = (): MemoryPoolStore => {
  const pool = new MemoryPool()
  const { rows, settledBatches } = pool
  return {
    transaction: (id) => Effect.sync(() => rows.get(id)?.pooled.transaction ?? null),
    authorization: (address) => Effect.sync(() => pool.authorizations.get(address) ?? null),
    transitions: (id) => Effect.sync(() => pool.transitions.get(id)?.transitions ?? []),
    skippedTransaction: (id) => Effect.sync(() => pool.skippedTransactions.get(id) ?? null),
    counts: Effect.sync(() => rows.counts),
    pooled: (ids) => Effect.sync(() => ids.flatMap((id) => rows.get(id)?.pooled ?? [])),
    members: (ids) => Effect.sync(() => ids.flatMap((id) => rows.members(id))),
    pendingOf: (index) => Effect.sync(() => rows.pendingOf(index)),
    pendingTokens: Effect.sync(() => [...rows.byFee.keys()].sort((one, other) => one - other)),
    pendingByFee: ({ tokenId, after, limit }) =>
      Effect.sync(() => takeWhile(pool.pendingByFee(tokenId, after), () => true, limit)),
    pendingSince: ({ beforeMs, limit }) =>
      Effect.sync(() =>
        takeWhile(rows.bySince.from(() => false), ({ pooled }) => pooled.sinceMs < beforeMs, limit)
      ),
    pendingExpired: (belowBatchNum) =>
      Effect.sync(() =>
        takeWhile(
          rows.byLastBatch.from(() => false),
          (row) => lastBatchOf(row) < belowBatchNum
        )
      ),
    pendingBelow: (nonces) =>
      Effect.sync(() =>
        nonces.flatMap(({ index, nonce }) =>
          takeWhile(
            rows.byNonce.get(index)?.from(() => false) ?? [],
            ({ pooled }) => pooled.transaction.nonce < nonce
          )
        )
      ),
    inBatches: ({ state, from, to }) =>
      Effect.sync(() =>
        takeWhile(
          rows.byBatch[state].from((row) => batchNumOf(row) < from),
          (row) => batchNumOf(row) <= to
        )
      ),
    list: (query) => Effect.sync(() => pool.list(query)),
    settledBatchesBelow: ({ batchNum, limit }) =>
      Effect.sync(() => {
        const end = firstNot(
          0,
          settledBatches.length,
          (index) => settledBatches[index]!.batchNum < batchNum
        )
        return settledBatches.slice(Math.max(0, end - limit), end).reverse()
      }),
    addTransaction: (transaction, sender, limits) =>
      Effect.sync(() => pool.addTransaction(frozenCopy(transaction), sender, limits)),
    addGroup: (group, limits) =>
      Effect.sync(() =>
        pool.addGroup(
          group.map(({ sender, transaction }) => ({
            sender,
            transaction: frozenCopy(transaction)
          })),
          limits
        )
      ),
    replaceTransaction: (replaced, transaction, sender, limits) =>
      Effect.sync(() => pool.replaceTransaction(replaced, frozenCopy(transaction), sender, limits)),
    addAuthorization: (authorization) =>
      Effect.sync(() => pool.addAuthorization(frozenCopy(authorization))),
    change: (changes, atMs) => Effect.sync(() => pool.change(changes, atMs)),
    settle: (step, atMs) => Effect.sync(() => pool.settle(step, atMs)),
    skip: (notes) => Effect.sync(() => pool.skip(notes)),
    postponeSorting: () => {
      rows.postponeSorting()
      return () => rows.sortAll()
    },
    undoable: (write) => pool.undoable(write),
    tip: {
      version: () => pool.version,
      versionOf: (key) => pool.versionOf(key)
    },
    forgetTransitions: (beforeMs) => pool.transitions.forget(beforeMs),
    capture: () => pool.capture(),
    restore: (image) => pool.restore(image)
  }
}

/**
 * A layer with the port of a new pool in memory, one for each time it is built.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { PoolStore } from "rollup-node-api"
 * import { poolLayer } from "rollup-node-api/memory"
 *
 * const counts = Effect.flatMap(PoolStore, (pool) => pool.counts)
 * console.log(JSON.stringify(await Effect.runPromise(Effect.provide(counts, poolLayer)))) // => {"pend":0,"fing":0,"fged":0,"invl":0}
 * ```
 */
export const poolLayer: Layer.Layer<PoolStore> = Layer.effectContext(
  Effect.sync(() => poolContext(openMemoryPool()))
)

/** Returns a context with the port of an open pool. */
const poolContext = (pool: MemoryPoolStore): Context.Context<PoolStore> =>
  Context.make(PoolStore, pool).pipe(Context.add(PoolTip, pool.tip))

/** Each method is synchronous, and therefore atomic. */
class MemoryPool {
  readonly rows = new PoolRows()
  /** Ascending by batch number. */
  readonly settledBatches: Array<SettledBatch> = []
  readonly authorizations = new Map<EthereumAddress, Authorization>()
  readonly transitions = new TransitionHistory()
  readonly skippedTransactions = new Map<TransactionId, SkippedTransaction>()
  /** Version of the pool after the last skip of each skipped transaction. */
  readonly skipVersions = new Map<TransactionId, number>()
  /** Number of changes, and of writes that were undone: no number is used twice. */
  version = 0
  /** Version after the last undone write. */
  #undoVersion = 0
  #arrivals = 0
  /** Undoes each step of the writes of `undoable`; null outside of it. */
  #undoSteps: Array<() => void> | null = null

  undoable<A>(write: () => A): readonly [A, () => void] {
    const steps: Array<() => void> = []
    this.#undoSteps = steps
    try {
      return [write(), () => {
        for (const undo of steps.reverse()) undo()
        // an answer that was read in the meantime must not become current again
        if (steps.length > 0) this.#undoVersion = ++this.version
      }]
    } finally {
      this.#undoSteps = null
    }
  }

  /**
   * Grows with each transition and each skip of a transaction, and with each undone write; an
   * authorization never changes.
   */
  versionOf(key: TransactionId | EthereumAddress): number {
    const version = this.skipVersions.get(key) ?? this.transitions.get(key)?.version ?? 0
    return Math.max(version, this.#undoVersion)
  }

  addTransaction(
    transaction: PoolTransaction,
    sender: PublicKey,
    limits: PoolLimits
  ): AddResult {
    const known = this.rows.get(transaction.id)
    if (known !== undefined) return { kind: "known", transaction: known.pooled.transaction }
    const limit = this.#reachedLimit(transaction, limits)
    if (limit !== null) return { kind: "full", limit }
    this.#add(transaction, sender)
    return { kind: "added" }
  }

  addGroup(
    group: ReadonlyArray<Pick<Pooled, "transaction" | "sender">>,
    { pendingMax, pendingPerAccountMax }: PoolLimits
  ): AddGroupResult {
    for (const { transaction: { id } } of group) {
      const known = this.rows.get(id)
      if (known !== undefined) return { kind: "known", transaction: known.pooled.transaction }
    }
    const senders = group.map(({ transaction }) => transaction.fromAccountIndex)
    if (this.rows.counts.pend + group.length > pendingMax) {
      return { kind: "full", limit: "pendingMax", account: senders[0]! }
    }
    const account = senders.find((index) =>
      this.rows.pendingOf(index) + senders.filter((each) => each === index).length >
        pendingPerAccountMax
    )
    if (account !== undefined) return { kind: "full", limit: "pendingPerAccountMax", account }
    for (const { sender, transaction } of group) this.#add(transaction, sender)
    return { kind: "added" }
  }

  replaceTransaction(
    replaced: TransactionId,
    transaction: PoolTransaction,
    sender: PublicKey,
    limits: PoolLimits
  ): ReplaceResult {
    const known = this.rows.get(transaction.id)
    if (known !== undefined) return { kind: "known", transaction: known.pooled.transaction }
    const row = this.rows.get(replaced)
    const state = row?.pooled.transaction.state ?? null
    const isGrouped = row?.pooled.transaction.group !== undefined
    if (isGrouped || (state !== "pend" && state !== "invl")) {
      return { kind: "notReplaceable", state }
    }
    const limit = state === "pend" ? null : this.#reachedLimit(transaction, limits)
    if (limit !== null) return { kind: "full", limit }
    const { batchNum } = row!.pooled.transaction
    this.#changeOne({
      id: replaced,
      from: state,
      fromBatchNum: batchNum,
      to: null,
      batchNum,
      reason: replacedReason(transaction.id)
    }, transaction.timestampMs)
    this.#add(transaction, sender)
    return { kind: "replaced", from: state, batchNum }
  }

  #reachedLimit(
    { fromAccountIndex }: PoolTransaction,
    { pendingMax, pendingPerAccountMax }: PoolLimits
  ): keyof PoolLimits | null {
    if (this.rows.counts.pend >= pendingMax) return "pendingMax"
    return this.rows.pendingOf(fromAccountIndex) >= pendingPerAccountMax
      ? "pendingPerAccountMax"
      : null
  }

  #add(transaction: PoolTransaction, sender: PublicKey): void {
    const { batchNum, id, state: to, timestampMs: atMs } = transaction
    this.version++
    this.rows.add({ transaction, sender, sinceMs: atMs, arrival: this.#arrivals++ })
    this.#undoSteps?.push(() => {
      this.#arrivals--
      this.rows.remove(this.rows.get(id)!)
    })
    this.#addTransition({ id, from: null, to, atMs, batchNum, reason: "Posted" })
  }

  addAuthorization(authorization: Authorization) {
    const known = this.authorizations.get(authorization.address)
    if (known !== undefined) return { added: false, authorization: known }
    this.version++
    this.authorizations.set(authorization.address, authorization)
    this.#undoSteps?.push(() => void this.authorizations.delete(authorization.address))
    return { added: true, authorization }
  }

  change(changes: ReadonlyArray<PoolChange>, atMs: number): ReadonlyArray<TransactionId> {
    const unchanged = new Set<GroupId>()
    for (const change of changes) {
      const row = this.rows.get(change.id)
      const group = row?.pooled.transaction.group
      if (group !== undefined && !isFrom(row, change)) unchanged.add(group.id)
    }
    return changes.filter((change) => {
      const group = this.rows.get(change.id)?.pooled.transaction.group
      return (group === undefined || !unchanged.has(group.id)) && this.#changeOne(change, atMs)
    }).map(({ id }) => id)
  }

  settle(
    { changes, from, to }: {
      readonly from: SettledBatch | null
      readonly to: SettledBatch | null
      readonly changes: ReadonlyArray<PoolChange>
    },
    atMs: number
  ): ReadonlyArray<TransactionId> | null {
    if (!isSameBatch(this.settledBatches.at(-1) ?? null, from)) return null
    const remaining = to === null
      ? 0
      : firstNot(
        0,
        this.settledBatches.length,
        (index) => this.settledBatches[index]!.batchNum < to.batchNum
      )
    const removed = this.settledBatches.splice(remaining)
    this.#undoSteps?.push(() => void this.settledBatches.splice(remaining, Infinity, ...removed))
    if (to !== null) this.settledBatches.push(to)
    return this.change(changes, atMs)
  }

  skip(notes: ReadonlyArray<SkippedTransaction>): void {
    for (const note of notes) {
      if (this.rows.get(note.id)?.pooled.transaction.state !== "pend") continue
      this.#undoSkip(note.id)
      this.skippedTransactions.set(note.id, note)
      this.skipVersions.set(note.id, ++this.version)
    }
  }

  list({ filters, fromArrival, limit, order }: PoolPageQuery): PoolPage {
    const rows = this.rows.list(filters)
    const start = fromArrival === null
      ? order === "ASC" ? 0 : rows.length
      : firstNot(0, rows.length, (index) =>
        order === "ASC"
          ? rows[index]!.pooled.arrival < fromArrival
          : rows[index]!.pooled.arrival <= fromArrival)
    const page = order === "ASC"
      ? rows.slice(start, start + limit)
      : rows.slice(Math.max(0, start - limit), start).reverse()
    const itemIdOf = (row: PoolRow | undefined) => row === undefined ? null : row.pooled.arrival + 1
    return {
      items: page.map(({ pooled }) => ({
        pooled,
        skipped: this.skippedTransactions.get(pooled.transaction.id) ?? null,
        invalidReason: pooled.transaction.state === "invl"
          ? this.transitions.get(pooled.transaction.id)!.transitions.at(-1)!.reason
          : null
      })),
      counts: {
        pendingItems: (order === "ASC" ? rows.length - start : start) - page.length,
        totalItems: rows.length,
        firstItem: itemIdOf(rows[0]),
        lastItem: itemIdOf(rows.at(-1))
      }
    }
  }

  *pendingByFee(tokenId: number, after: Pooled | null): Generator<PoolRow> {
    const order = this.rows.byFee.get(tokenId)
    if (order === undefined) return
    yield* after === null ? order.from(() => false) : order.after(rowOf(after))
  }

  #changeOne(change: PoolChange, atMs: number): boolean {
    const { batchNum, from, id, reason, to } = change
    const row = this.rows.get(id)
    if (!isFrom(row, change)) return false
    this.version++
    this.rows.remove(row)
    this.#undoSkip(id)
    this.skippedTransactions.delete(id)
    this.skipVersions.delete(id)
    this.#undoSteps?.push(() => {
      const changed = this.rows.get(id)
      if (changed !== undefined) this.rows.remove(changed)
      this.rows.add(row.pooled)
    })
    if (to !== null) {
      this.rows.add({
        ...row.pooled,
        sinceMs: atMs,
        transaction: { ...row.pooled.transaction, state: to, batchNum }
      })
    }
    this.#addTransition({ id, from, to, atMs, batchNum, reason })
    return true
  }

  /** Lets `undoable` restore the note of a transaction. */
  #undoSkip(id: TransactionId): void {
    if (this.#undoSteps === null) return
    const [note, version] = [this.skippedTransactions.get(id), this.skipVersions.get(id)]
    this.#undoSteps.push(() => {
      if (note === undefined) this.skippedTransactions.delete(id)
      else this.skippedTransactions.set(id, note)
      if (version === undefined) this.skipVersions.delete(id)
      else this.skipVersions.set(id, version)
    })
  }

  #addTransition(transition: PoolTransition): void {
    const before = this.transitions.get(transition.id)
    this.#undoSteps?.push(() => this.transitions.undo(transition.id, before))
    this.transitions.add(transition, this.version)
  }

  capture(): PoolImage {
    return {
      version: this.version,
      arrivals: this.#arrivals,
      firstHistory: this.transitions.first,
      lists: {
        pooled: this.rows.all(),
        histories: this.transitions.list(),
        authorizations: [...this.authorizations.values()],
        skippedTransactions: [...this.skippedTransactions.values()],
        settledBatches: [...this.settledBatches]
      }
    }
  }

  restore({ arrivals, firstHistory, lists, version }: PoolImage): void {
    this.version = version
    this.#arrivals = arrivals
    for (const pooled of lists.pooled) {
      this.rows.add({ ...pooled, transaction: frozenCopy(pooled.transaction) })
    }
    this.transitions.restore(firstHistory, lists.histories)
    for (const authorization of lists.authorizations) {
      this.authorizations.set(authorization.address, frozenCopy(authorization))
    }
    for (const skipped of lists.skippedTransactions) {
      this.skippedTransactions.set(skipped.id, skipped)
    }
    for (const settled of lists.settledBatches) this.settledBatches.push(settled)
  }
}

/** Returns whether a transaction is in the state from which a change starts. */
const isFrom = (row: PoolRow | undefined, { from, fromBatchNum }: PoolChange): row is PoolRow =>
  row?.pooled.transaction.state === from && row.pooled.transaction.batchNum === fromBatchNum

const batchNumOf = ({ pooled }: PoolRow): number => pooled.transaction.batchNum ?? 0

const isSameBatch = (a: SettledBatch | null, b: SettledBatch | null): boolean =>
  a === b ||
  (a !== null && b !== null && a.batchNum === b.batchNum &&
    a.ethereumBlockHash === b.ethereumBlockHash)

/** Returns the leading rows for which `holds` is true, at most `limit` of them. */
function takeWhile(
  rows: Iterable<PoolRow>,
  holds: (row: PoolRow) => boolean,
  limit = Infinity
): ReadonlyArray<Pooled> {
  const taken: Array<Pooled> = []
  for (const row of rows) {
    if (taken.length >= limit || !holds(row)) break
    taken.push(row.pooled)
  }
  return taken
}
