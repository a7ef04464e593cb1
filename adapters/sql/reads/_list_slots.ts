import { Effect } from "effect"
import { type FiltersOf, limitDefault, type ListQuery } from "../../../core/contract/mod.ts"
import { type AuctionClock, slotNumMax, type SlotView } from "../../../core/domain/mod.ts"
import {
  type FoundItem,
  listedSlots,
  type Page,
  type SlotRange,
  type StoreFailure
} from "../../../core/ports/mod.ts"
import { type AnswerStatement, answerStatement, type SqlAnswer } from "../connection/mod.ts"
import { currentVariables } from "../entities/mod.ts"
import {
  countsOf,
  openSlotKey,
  type Order,
  pageStatement,
  positionOf,
  wonSlotKey
} from "../postings/mod.ts"
import { keysOfForger } from "./_auction_plans.ts"
import {
  byteParameter,
  cachedStatement,
  hexParameter,
  keysParameter,
  parametersFrom,
  Requery,
  type RunQuery,
  type SqlQuery
} from "./_run_query.ts"
import {
  bestBids,
  bestBidsInRange,
  clockOf,
  rangeParameters,
  readSlots,
  slotRows
} from "./_slots.ts"

/** How each declared filter is answered: by the range of slots, or by the lists by best bid. */
const slotFilters: { readonly [F in keyof FiltersOf<"slots">]-?: "range" | "best bid" } = {
  minSlotNum: "range",
  maxSlotNum: "range",
  wonByBidder: "best bid",
  wonByForger: "best bid",
  bestBidder: "best bid",
  finishedAuction: "range"
}
const isByBestBid = (filters: FiltersOf<"slots">): boolean =>
  Object.entries(filters).some(([filter, value]) =>
    value !== undefined && slotFilters[filter as keyof typeof slotFilters] === "best bid"
  )

const slotsStatement = answerStatement({
  ctes: [bestBidsInRange],
  head: [currentVariables("auction")],
  rows: slotRows(String(slotNumMax + 1))
})

/**
 * Reads slots. Which slots to query depends on the auction clock, which is part of the answer: it
 * queries those of the last clock, and again if the answer has another one.
 */
export class SlotReader {
  readonly #runQuery: RunQuery
  readonly #constants: AuctionClock["constants"]
  #lastClock: AuctionClock | undefined

  constructor(runQuery: RunQuery, constants: AuctionClock["constants"]) {
    this.#runQuery = runQuery
    this.#constants = constants
  }

  list(query: ListQuery<"slots">): Effect.Effect<Page<SlotView>, StoreFailure> {
    return isByBestBid(query.filters) ? this.#listByBestBid(query) : this.#listAll(query)
  }

  find(slotNum: number): Effect.Effect<FoundItem<SlotView>, StoreFailure> {
    return this.#runQuery(
      { statement: slotsStatement, parameters: [String(slotNum), String(slotNum)] },
      (answer) => {
        const clock = this.#lastClock = clockOf(this.#constants, answer)
        return { item: readSlots(clock, answer.rows).slot(slotNum), snapshotId: answer.snapshotId }
      }
    )
  }

  /** Queries the slots of a range at the clock of the answer. */
  inRange<A>(
    rangeAt: (clock: AuctionClock) => SlotRange,
    queryOf: (range: SlotRange) => SqlQuery,
    read: (answer: SqlAnswer, clock: AuctionClock, range: SlotRange) => A
  ): Effect.Effect<A, StoreFailure> {
    return Effect.suspend(() => {
      let queried = this.#lastClock && rangeAt(this.#lastClock)
      // before the first answer the clock is unknown: query no slot
      return this.#runQuery(queryOf(queried ?? { first: 0, end: 0 }), (answer) => {
        const clock = this.#lastClock = clockOf(this.#constants, answer)
        const range = rangeAt(clock)
        if (queried?.first === range.first && queried.end === range.end) {
          return read(answer, clock, range)
        }
        queried = range
        return new Requery(queryOf(range))
      })
    })
  }

  #listAll(query: ListQuery<"slots">): Effect.Effect<Page<SlotView>, StoreFailure> {
    const isAscending = query.order !== "DESC"
    return this.inRange((clock) => listedSlots(query.filters, clock), (range) => ({
      statement: slotsStatement,
      parameters: rangeParameters(pageRange(query, range))
    }), ({ rows, snapshotId }, clock, range): Page<SlotView> => {
      const { end, first } = pageRange(query, range)
      const { slot } = readSlots(clock, rows)
      const totalItems = range.end - range.first
      return {
        items: Array.from(
          { length: end - first },
          (_, i) => slot(isAscending ? first + i : end - 1 - i)
        ),
        counts: {
          pendingItems: isAscending ? range.end - end : first - range.first,
          totalItems,
          firstItem: totalItems === 0 ? null : range.first,
          lastItem: totalItems === 0 ? null : range.end - 1
        },
        snapshotId
      }
    })
  }

  #listByBestBid(
    { filters, fromItem, limit = limitDefault, order = "ASC" }: ListQuery<"slots">
  ): Effect.Effect<Page<SlotView>, StoreFailure> {
    const { by, keys, values } = listsByBestBid(filters)
    return this.inRange((clock) => listedSlots(filters, clock), ({ end, first }) => ({
      statement: byBestBidStatement(by, order),
      parameters: [
        keys,
        positionOf(order, fromItem),
        String(limit),
        String(first),
        String(end),
        ...values
      ]
    }), (answer, clock): Page<SlotView> => {
      const { slot, slotNums } = readSlots(clock, answer.rows)
      return {
        items: slotNums.map(slot),
        counts: countsOf(answer, order, slotNums.length).counts,
        snapshotId: answer.snapshotId
      }
    })
  }
}

/** Returns the slots of a page among those of the list. */
const pageRange = (
  { fromItem, limit = limitDefault, order = "ASC" }: ListQuery<"slots">,
  range: SlotRange
): SlotRange => {
  const clamp = (position: number) => Math.min(range.end, Math.max(range.first, position))
  if (order === "ASC") {
    const first = clamp(fromItem ?? 0)
    return { first, end: Math.min(range.end, first + limit) }
  }
  const end = clamp((fromItem ?? slotNumMax) + 1)
  return { first: Math.max(range.first, end - limit), end }
}

/** The lists of slots that a query reads: the first parameter of its statement, and the last ones. */
interface ListsByBestBid {
  readonly by: "bidder" | "forger"
  readonly keys: string
  readonly values: ReadonlyArray<string | null>
}

/**
 * Returns the lists of slots of a filter by best bid. Those of won slots have open auctions too: the
 * range of the query ends before them.
 */
const listsByBestBid = (
  { bestBidder, wonByBidder, wonByForger }: FiltersOf<"slots">
): ListsByBestBid => {
  if (wonByForger !== undefined) {
    return {
      by: "forger",
      keys: byteParameter(wonSlotKey(new Uint8Array())),
      values: [hexParameter(wonByForger), null]
    }
  }
  const key = wonByBidder === undefined
    ? openSlotKey(addressBytes(bestBidder!))
    : wonSlotKey(addressBytes(wonByBidder))
  return { by: "bidder", keys: keysParameter([key]), values: [] }
}
const addressBytes = (address: string): Uint8Array => Buffer.from(address.slice(2), "hex")

/** Slots of the lists of a bidder, or of all bidders of a forger. */
const byBestBidStatement = (by: "bidder" | "forger", order: Order): AnswerStatement =>
  cachedStatement(`slots ${by} ${order}`, () => {
    const parameter = parametersFrom(4)
    const range = `SELECT ${parameter("bigint")} AS low, ${parameter("bigint")} AS upper`
    return pageStatement({
      lists: "open",
      ...(by === "bidder" ? {} : { keys: keysOfForger(parameter("bytea"), parameter("bytea")) }),
      range,
      order,
      head: [currentVariables("auction")],
      ctes: [bestBids("SELECT page.item AS slot_num FROM page")],
      rows: slotRows(order === "ASC" ? String(slotNumMax + 1) : "-1")
    })
  })
