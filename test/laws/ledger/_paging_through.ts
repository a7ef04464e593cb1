import { Effect } from "effect"
import type { ListItems, ListName, ListQuery } from "../../../core/contract/mod.ts"
import { sample } from "../_check.ts"
import { withoutItemIds } from "./_every_answer.ts"
import {
  findItem,
  itemIdOf,
  itemIds,
  page,
  type StoredList,
  storedLists,
  readAll
} from "../_reading.ts"
import { integer } from "../generators.ts"
import { holds, type LawViolation, same, show } from "../law.ts"
import { replay } from "../naive/mod.ts"
import { applyOne, type LedgerSubject, nameOf } from "./ledger_subject.ts"

/**
 * After every record: an itemId that was removed never comes back, and a new one is greater than
 * all before.
 */
export const itemIdsLaw = (subject: LedgerSubject): Effect.Effect<void, LawViolation> =>
  Effect.scoped(Effect.gen(function*() {
    const { ledger, reader } = yield* subject.open
    const greatest = new Map<StoredList, number>()
    let before = yield* itemIds(reader)
    for (const [at, record] of subject.records.entries()) {
      yield* applyOne(ledger, record)
      const now = yield* itemIds(reader)
      for (const list of storedLists) {
        const known = new Set(before[list])
        const limit = Math.max(greatest.get(list) ?? 0, ...before[list])
        for (const id of now[list]) {
          yield* holds(
            known.has(id) || id > limit,
            () =>
              `${list}: itemId ${id} is new after ${
                nameOf(record)
              }, though ${limit} was used before`
          )
        }
        greatest.set(list, Math.max(limit, ...now[list]))
      }
      before = now
      if (at % 20 === 0) yield* queuedIdsAreTheirOwn(subject, reader, at, now.transactions)
    }
  }))

/** A queued transaction has an itemId that no other transaction has. */
const queuedIdsAreTheirOwn = Effect.fnUntraced(function*(
  subject: LedgerSubject,
  reader: Parameters<typeof itemIds>[0],
  at: number,
  forged: ReadonlyArray<number>
): Effect.fn.Return<void, LawViolation> {
  const { queued } = replay(subject.genesis, subject.records.slice(0, at + 1), subject.keccak256)
  const ids = yield* Effect.forEach(
    queued,
    ({ id }) => Effect.map(findItem(reader, "transaction", id), (view) => view?.transaction.itemId)
  )
  yield* holds(
    new Set([...forged, ...ids]).size === forged.length + ids.length,
    () => `Queued transactions have itemIds ${show(ids)}, which are not all their own`
  )
})

/** A client that reads a list page by page while the ledger changes. */
interface PagingReader<N extends ListName> {
  readonly list: N
  readonly filters: ListQuery<N>["filters"]
  readonly seen: Map<number, ListItems[N]>
  next: number
}

/** Only filters on properties of an item that never change. */
const startReaders = (): ReadonlyArray<PagingReader<StoredList>> => {
  const startReader = <N extends StoredList>(
    list: N,
    filters: ListQuery<N>["filters"]
  ): PagingReader<StoredList> =>
    ({ list, filters, seen: new Map(), next: 0 }) as unknown as PagingReader<StoredList>
  return [
    ...storedLists.map((list) => startReader(list, {})),
    startReader("transactions", { type: "Transfer" }),
    startReader("transactions", { tokenId: 0 }),
    startReader("accounts", { tokenIds: [0] }),
    startReader("exits", { tokenId: 0 })
  ]
}

/** Reads ascending pages, each from after the last item, while records arrive. */
export const pagingReaderLaw = (subject: LedgerSubject): Effect.Effect<void, LawViolation> =>
  Effect.scoped(Effect.gen(function*() {
    const { ledger, reader } = yield* subject.open
    const all = startReaders()
    const limits = yield* sample(integer(1, 30), subject.records.length, `${subject.seed}/limits`)
    const readOn = Effect.fnUntraced(
      function*(
        walk: PagingReader<StoredList>,
        limit: number
      ): Effect.fn.Return<number, LawViolation> {
        const { counts, items } = yield* page(reader, walk.list, {
          filters: walk.filters,
          fromItem: walk.next,
          limit
        })
        for (const item of items) {
          const id = itemIdOf(walk.list, item)
          yield* holds(
            id >= walk.next,
            () => `A page of ${walk.list} from ${walk.next} has item ${id}`
          )
          walk.seen.set(id, item)
        }
        const last = items.at(-1)
        yield* holds(
          last !== undefined || counts.pendingItems === 0,
          () =>
            `A page of ${walk.list} from ${walk.next} is empty though ${counts.pendingItems} items are pending`
        )
        if (last !== undefined) walk.next = itemIdOf(walk.list, last) + 1
        return counts.pendingItems
      }
    )
    for (const [at, record] of subject.records.entries()) {
      yield* applyOne(ledger, record)
      for (const [i, walk] of all.entries()) {
        // not after every record, so that the reader sometimes falls far behind
        if ((limits[at]! + i) % 3 !== 0) yield* readOn(walk, limits[at]!)
      }
    }
    for (const walk of all) {
      while ((yield* readOn(walk, 100)) > 0) { /* read to the end */ }
      for (const item of yield* readAll(reader, walk.list, walk.filters)) {
        const id = itemIdOf(walk.list, item)
        const seen = walk.seen.get(id)
        yield* holds(
          seen !== undefined,
          () =>
            `${walk.list} with ${
              show(walk.filters)
            }: item ${id} is in the ledger and was never seen`
        )
        yield* same(
          identityOf(seen),
          identityOf(item),
          () =>
            `${walk.list} with ${
              show(walk.filters)
            }: item ${id} is another one than when it was seen`
        )
      }
    }
  }))

/** Returns the properties of an item that never change. */
function identityOf(item: unknown): unknown {
  const { account, bid, exit, transaction, ...plain } = withoutItemIds(item) as {
    readonly [part: string]: { readonly [key: string]: unknown } | undefined
  }
  const row = transaction ?? exit ?? account ?? bid ?? plain
  return [
    "id",
    "index",
    "batchNum",
    "accountIndex",
    "slotNum",
    "bidValue",
    "bidderAddr",
    "ethereumBlockNum",
    "tokenId"
  ].map((key) => row[key])
}
