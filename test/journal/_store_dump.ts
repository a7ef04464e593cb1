import { Effect, Result, Struct } from "effect"
import type { ListName } from "../../core/contract/mod.ts"
import {
  type LedgerBlock,
  LedgerHistory,
  LedgerReader,
  LedgerWriter,
  PoolStore
} from "../../core/ports/mod.ts"

export interface Stores {
  readonly reader: LedgerReader["Service"]
  readonly history?: LedgerHistory["Service"]
  readonly writer: LedgerWriter["Service"]
  readonly store: PoolStore["Service"]
}

/** Keys of entries that no list of a store contains. */
export interface StoreKeys {
  readonly transactions: Set<string>
  readonly addresses: Set<string>
}

export const noKeys = (): StoreKeys => ({ transactions: new Set(), addresses: new Set() })

/** Returns the same stores, and adds the keys of all writes to `keys`. */
export const trackKeys = <S extends Stores>(stores: S, keys: StoreKeys): S => ({
  ...stores,
  writer: {
    ...stores.writer,
    apply: (block, decide) =>
      stores.writer.apply(block, (prior) =>
        Result.map(decide(prior), (decision) => {
          if (decision.kind === "store") {
            for (const { id } of decision.changes.queued) keys.transactions.add(id)
          }
          return decision
        }))
  },
  store: {
    ...stores.store,
    addTransaction: (transaction, owners, limits) => {
      keys.transactions.add(transaction.id)
      return stores.store.addTransaction(transaction, owners, limits)
    },
    addGroup: (group, limits) => {
      for (const { transaction } of group) keys.transactions.add(transaction.id)
      return stores.store.addGroup(group, limits)
    },
    replaceTransaction: (replaced, transaction, owners, limits) => {
      keys.transactions.add(transaction.id)
      return stores.store.replaceTransaction(replaced, transaction, owners, limits)
    },
    addAuthorization: (authorization) => {
      keys.addresses.add(authorization.address)
      return stores.store.addAuthorization(authorization)
    }
  }
})

/** Concurrent queries of a database share round trips. */
const concurrently = { concurrency: 16 }

/**
 * Returns the complete content of stores as text: all lists with their item ids, the state, the
 * snapshot ids, all blocks with their changes, the rollbacks without their time, and the pool in every order.
 */
export const dumpStores = (
  { history, reader, store }: Omit<Stores, "writer">,
  keys: StoreKeys
): Effect.Effect<string> =>
  Effect.orDie(Effect.gen(function*() {
    const lists: Record<string, unknown> = {}
    for (const list of LISTS) lists[list] = yield* allPages(reader, list)
    const ids = [...keys.transactions].sort()
    const addresses = [...keys.addresses].sort()
    const pooled = yield* store.pooled(ids)
    const tokens = [...yield* store.pendingTokens].sort((a, b) => a - b)
    const bounds = { from: 0, to: 2 ** 32 }
    return jsonOf({
      lists,
      slots: yield* reader.list("slots", { filters: {}, limit: 2049 }),
      state: yield* reader.state,
      snapshotId: yield* reader.snapshotId,
      ...history === undefined ? {} : {
        blocks: yield* blocksOf(history, (yield* reader.snapshotId).ethereumBlockNum),
        rollBacks: (yield* history.rollBacks({ afterVersion: 0, limit: 1e6 })).items
          .map(Struct.omit(["timeMs"])),
        finalBlock: yield* history.finalBlock
      },
      found: yield* Effect.forEach(ids, (id) => reader.find("transaction", id), concurrently),
      pooled,
      members: yield* store.members([
        ...new Set(
          pooled.flatMap(({ transaction: { group } }) => group === undefined ? [] : group.id)
        )
      ]),
      counts: yield* store.counts,
      transitions: yield* Effect.forEach(ids, store.transitions, concurrently),
      skippedTransactions: yield* Effect.forEach(ids, store.skippedTransaction, concurrently),
      authorizations: yield* Effect.forEach(addresses, store.authorization, concurrently),
      byFee: yield* Effect.forEach(tokens, (tokenId) =>
        store.pendingByFee({ tokenId, after: null, limit: 1e6 })),
      since: yield* store.pendingSince({ beforeMs: Number.MAX_SAFE_INTEGER, limit: 1e6 }),
      batches: yield* Effect.forEach(["fing", "fged", "invl"] as const, (state) =>
        store.inBatches({ state, ...bounds })),
      marks: yield* store.reconciledBatchesBelow({ batchNum: 2 ** 32, limit: 1e6 }),
      pendingOf: yield* Effect.forEach(
        new Set(pooled.map(({ transaction }) =>
          transaction.fromAccountIndex
        )),
        store.pendingOf
      )
    })
  }))

const LISTS: ReadonlyArray<ListName> = [
  "accounts",
  "exits",
  "transactions",
  "batches",
  "bids",
  "tokens",
  "coordinators"
]

/** Reads all pages of a list. */
const allPages = Effect.fnUntraced(function*(reader: Stores["reader"], list: ListName) {
  const pages: Array<unknown> = []
  for (let fromItem = 0;;) {
    const page = yield* reader.list(list, { filters: {}, fromItem, limit: 2049 })
    pages.push(page.items)
    const last = page.counts.lastItem
    if (page.counts.pendingItems === 0 || last === null) return pages
    const ids = jsonOf(page.items.at(-1)).match(/"itemId":(\d+)/u)!
    fromItem = Number(ids[1]) + 1
  }
})

/** Reads all blocks, the last one first. */
const blocksOf = Effect.fnUntraced(
  function*(history: LedgerHistory["Service"], last: bigint) {
    const blocks: Array<LedgerBlock> = []
    let number: bigint | undefined = last
    while (number !== undefined) {
      const block: LedgerBlock = (yield* history.block(number)).item!
      blocks.push(block)
      number = block.previous?.number
    }
    return blocks
  }
)

const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => typeof inner === "bigint" ? `${inner}n` : inner)
