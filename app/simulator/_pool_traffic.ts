import { Result } from "effect"
import type { Authorization, FeedRecord, L2Feed, PoolState, PoolTransaction } from "../../core/domain/mod.ts"
import { feeAmount, type PublicKey, type TransactionId } from "../../core/encoding/mod.ts"
import { type Purse, Purses } from "./_balances.ts"
import type { Context } from "./_context.ts"
import { planTransfers } from "./_l2_traffic.ts"
import { authorizationsOf, signPlanned } from "./_pool_signing.ts"
import { accountOf, type PoolBatch, type PoolEntry, type World } from "./_world.ts"

/** What a node with a pool gets to see, in this order. */
export type SimulationStep =
  | { readonly kind: "feed"; readonly record: FeedRecord }
  /** Signed by users, each with the key of its sender, and handed in; state `pend`. */
  | {
    readonly kind: "pool"
    readonly transactions: ReadonlyArray<PoolTransaction>
    readonly senders: ReadonlyArray<PublicKey>
    readonly authorizations: ReadonlyArray<Authorization>
  }
  /** The coordinator moves transactions on. */
  | {
    readonly kind: "move"
    readonly ids: ReadonlyArray<TransactionId>
    readonly from: PoolState
    readonly to: PoolState
    readonly batchNum: number | null
  }

/** Waiting transactions beyond these are left alone for good. */
const PENDING_MAX = 100

/** Transactions between their signature and their batch: pending for a block, then forging until a batch takes them. */
export class PoolTraffic {
  readonly #context: Context
  #pending: ReadonlyArray<PoolEntry> = []
  #forging: ReadonlyArray<PoolEntry> = []
  #forged: Array<PoolBatch> = []

  constructor(context: Context) {
    this.#context = context
  }

  /** The source of a batch: everything that was announced and is still possible. */
  readonly forge = (purses: Purses, { batchNum }: { readonly batchNum: number }): ReadonlyArray<L2Feed> => {
    const { possible, rest } = select(purses, this.#forging)
    this.#forging = rest
    if (possible.length > 0) this.#forged.push({ batchNum, entries: possible })
    return possible.map(({ toAccountIndex, transaction: { amount, fee, fromAccountIndex, nonce } }) => ({
      fromAccountIndex, toAccountIndex, amount, fee, nonce
    }))
  }

  /** After a block: closes what it forged, gives up what it overtook, announces the next batch, and takes new transactions in. */
  settle(world: World): ReadonlyArray<SimulationStep> {
    world.forgedOfPool = this.#forged
    this.#forged = []
    const isStale = ({ transaction }: PoolEntry) => transaction.nonce < (accountOf(world, transaction.fromAccountIndex)?.nonce ?? 0n)
    const returned = world.forgedOfPool.length > 0 ? this.#forging : []
    const waiting = [...returned, ...this.#pending]
    if (returned.length > 0) this.#forging = []
    const stale = waiting.filter(isStale)
    const { possible, rest } = select(this.#after(world, this.#forging), waiting.filter((entry) => !isStale(entry)))
    this.#forging = [...this.#forging, ...possible]
    this.#pending = rest
    const added = this.#takeIn(world)
    return [
      ...world.forgedOfPool.flatMap(({ batchNum, entries }) => move(entries, "fing", "fged", batchNum)),
      ...move(returned, "fing", "pend", null),
      ...move(stale, "pend", "invl", world.lastBatchNum),
      ...move(possible, "pend", "fing", world.lastBatchNum + 1),
      added
    ]
  }

  /** After a rollback: what the dropped blocks forged waits again, and nothing is being forged. */
  reopen(dropped: ReadonlyArray<World>): ReadonlyArray<SimulationStep> {
    const forged = dropped.flatMap(({ forgedOfPool }) => forgedOfPool.flatMap(({ entries }) => entries))
    const forging = this.#forging
    this.#pending = [...forged, ...forging, ...this.#pending]
    this.#forging = []
    return [...move(forged, "fged", "pend", null), ...move(forging, "fing", "pend", null)]
  }

  /** Purses after everything that is on its way. */
  #after(world: World, entries: ReadonlyArray<PoolEntry>): Purses {
    const purses = new Purses(world, [])
    select(purses, entries)
    return purses
  }

  #takeIn(world: World): SimulationStep {
    const purses = this.#after(world, [...this.#forging, ...this.#pending])
    const planned = planTransfers(this.#context, world, purses, this.#context.settings.transactionsPerBlock)
    const entries = signPlanned(this.#context, world, planned)
    this.#pending = [...this.#pending, ...entries].slice(-PENDING_MAX)
    return {
      kind: "pool",
      transactions: entries.map(({ transaction }) => transaction),
      senders: entries.map(({ sender }) => sender),
      authorizations: authorizationsOf(this.#context, world)
    }
  }
}

/** Splits off those that can be forged one after the other, and takes them out of the purses. */
function select(purses: Purses, entries: ReadonlyArray<PoolEntry>) {
  const possible: Array<PoolEntry> = []
  const rest: Array<PoolEntry> = []
  for (const entry of entries) {
    const { amount, fee, fromAccountIndex, nonce } = entry.transaction
    const purse = purses.of(fromAccountIndex)
    const debit = amount + Result.getOrThrow(feeAmount(amount, fee))
    if (purse === undefined || purse.nonce !== nonce || purse.available < debit || !isMeant(purses, purse, entry)) {
      rest.push(entry)
      continue
    }
    purse.nonce++
    purse.available -= debit
    possible.push(entry)
  }
  return { possible, rest }
}

/** Whether the indexes stand for the accounts that the sender meant. */
function isMeant(purses: Purses, { account }: Purse, { receiver, sender, toAccountIndex, transaction }: PoolEntry): boolean {
  if (account.publicKey !== sender || account.tokenId !== transaction.tokenId) return false
  if (receiver === null) return true
  const to = purses.of(toAccountIndex)?.account
  return to !== undefined && to.publicKey === receiver && to.tokenId === transaction.tokenId
}

const move = (entries: ReadonlyArray<PoolEntry>, from: PoolState, to: PoolState, batchNum: number | null): ReadonlyArray<SimulationStep> =>
  entries.length === 0 ? [] : [{ kind: "move", ids: entries.map(({ transaction }) => transaction.id), from, to, batchNum }]
