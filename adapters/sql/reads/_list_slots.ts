import type { Effect } from "effect"
import { type FiltersOf, limitDefault, type ListQuery } from "../../../core/contract/mod.ts"
import {
  type AuctionClock,
  lastClosedSlot,
  lastOpenSlot,
  slotNumMax,
  type SlotView
} from "../../../core/domain/mod.ts"
import type { FoundItem, Page, StoreFailure } from "../../../core/ports/mod.ts"
import { answerStatement, type SqlAnswer } from "../connection/mod.ts"
import {
  countsOf,
  openSlotKey,
  type Order,
  pageStatement,
  positionOf,
  wonSlotKey
} from "../postings/mod.ts"
import { keysOfForger } from "./_list_plan.ts"
import {
  byteParameter,
  hexOrNullParameter,
  hexParameter,
  keysParameter,
  parametersFrom
} from "./_parameters.ts"
import { cachedText, Requery, type RunQuery, type SqlQuery } from "./_run_query.ts"
import { bestBids, clockReader, currentVariables, readSlots, slotRows } from "./_slots.ts"

/** The slots [low, high). */
interface Range {
  readonly low: number
  readonly high: number
}

/** How each declared filter is answered: by the range of slots, or by the lists of won slots. */
const slotFilters: { readonly [F in keyof FiltersOf<"slots">]-?: "range" | "winner" } = {
  minSlotNum: "range",
  maxSlotNum: "range",
  wonByBidder: "winner",
  wonByForger: "winner",
  finishedAuction: "range"
}
const isByWinner = (filters: FiltersOf<"slots">): boolean =>
  Object.entries(filters).some(([filter, value]) =>
    value !== undefined && slotFilters[filter as keyof typeof slotFilters] === "winner"
  )

/** The best bids of the slots from $1 to $2. */
const slotsStatement = answerStatement({
  ctes: [
    bestBids("SELECT each.slot_num FROM generate_series($1::bigint, $2::bigint) AS each (slot_num)")
  ],
  headText: currentVariables("auction"),
  rows: slotRows(String(slotNumMax + 1))
})

export interface SlotReader {
  readonly list: (query: ListQuery<"slots">) => Effect.Effect<Page<SlotView>, StoreFailure>
  readonly find: (slotNum: number) => Effect.Effect<FoundItem<SlotView>, StoreFailure>
}

/**
 * Returns a reader of slots. Which slots to query depends on the auction clock, which is part of
 * the answer: it queries those of the last clock, and again if the answer has another one.
 */
export const makeSlotReader = (
  runQuery: RunQuery,
  constants: AuctionClock["constants"]
): SlotReader => {
  const clockOf = clockReader(constants)
  let lastClock: AuctionClock | undefined
  const rangeOf = (
    { finishedAuction, maxSlotNum, minSlotNum = 0, wonByForger }: ListQuery<"slots">["filters"]
  ): Range | undefined => {
    if (lastClock === undefined) return undefined
    const last = Math.min(
      slotNumMax,
      maxSlotNum ?? lastOpenSlot(lastClock),
      // an open auction has no winner
      finishedAuction === true || wonByForger !== undefined
        ? lastClosedSlot(lastClock)
        : slotNumMax
    )
    return { low: minSlotNum, high: Math.max(minSlotNum, last + 1) }
  }
  /** Queries the range that the filters have at the clock of the answer. */
  const inRange = <A>(
    filters: ListQuery<"slots">["filters"],
    queryOf: (range: Range) => SqlQuery,
    read: (answer: SqlAnswer, clock: AuctionClock, range: Range) => A
  ): Effect.Effect<A, StoreFailure> => {
    let queried = rangeOf(filters)
    // before the first answer the clock is unknown: query no slot
    return runQuery(queryOf(queried ?? { low: 0, high: 0 }), (answer) => {
      const clock = lastClock = clockOf(answer)
      const range = rangeOf(filters)!
      if (queried?.low === range.low && queried.high === range.high) {
        return read(answer, clock, range)
      }
      queried = range
      return new Requery(queryOf(range))
    })
  }

  const listAll = (
    { filters, fromItem, limit = limitDefault, order = "ASC" }: ListQuery<"slots">
  ) => {
    const pageOf = ({ high, low }: Range) => {
      const clamp = (position: number) => Math.min(high, Math.max(low, position))
      if (order === "ASC") {
        const first = clamp(fromItem ?? 0)
        return { first, end: Math.min(high, first + limit) }
      }
      const end = clamp((fromItem ?? slotNumMax) + 1)
      return { first: Math.max(low, end - limit), end }
    }
    return inRange(filters, (range) => {
      const { end, first } = pageOf(range)
      return { text: slotsStatement, parameters: [String(first), String(end - 1)] }
    }, ({ lines, stamp }, clock, range): Page<SlotView> => {
      const { end, first } = pageOf(range)
      const { slot } = readSlots(clock, lines)
      const items = Array.from(
        { length: end - first },
        (_, i) => slot(order === "ASC" ? first + i : end - 1 - i)
      )
      const totalItems = range.high - range.low
      return {
        items,
        counts: {
          pendingItems: order === "ASC" ? range.high - end : first - range.low,
          totalItems,
          firstItem: totalItems === 0 ? null : range.low,
          lastItem: totalItems === 0 ? null : range.high - 1
        },
        stamp
      }
    })
  }

  const listWon = (
    { filters, fromItem, limit = limitDefault, order = "ASC" }: ListQuery<"slots">
  ) => {
    const { wonByBidder, wonByForger } = filters
    return inRange(filters, ({ high, low }) => ({
      text: wonStatement(wonByForger === undefined ? "bidder" : "forger", order),
      parameters: [
        wonByForger === undefined
          ? keysParameter([openSlotKey(Buffer.from(wonByBidder!.slice(2), "hex"))])
          : byteParameter(wonSlotKey(new Uint8Array())),
        positionOf(order, fromItem),
        String(limit),
        String(low),
        String(high),
        ...(wonByForger === undefined
          ? []
          : [hexParameter(wonByForger), hexOrNullParameter(wonByBidder)])
      ]
    }), (answer, clock): Page<SlotView> => {
      const { slot, slotNums } = readSlots(clock, answer.lines)
      return {
        items: slotNums.map(slot),
        counts: countsOf(answer, order, slotNums.length).counts,
        stamp: answer.stamp
      }
    })
  }

  return {
    list: (query) => isByWinner(query.filters) ? listWon(query) : listAll(query),
    find: (slotNum) =>
      runQuery(
        { text: slotsStatement, parameters: [String(slotNum), String(slotNum)] },
        (answer) => {
          const clock = lastClock = clockOf(answer)
          return { item: readSlots(clock, answer.lines).slot(slotNum), stamp: answer.stamp }
        }
      )
  }
}

/** Slots whose best bid is that of a bidder, or that one of a forger's bidders has won. */
const wonStatement = (by: "bidder" | "forger", order: Order): string =>
  cachedText(`slots ${by} ${order}`, () => {
    const parameter = parametersFrom(4)
    const range = `SELECT ${parameter("bigint")} AS low, ${parameter("bigint")} AS upper`
    return pageStatement({
      lists: "open",
      ...(by === "bidder" ? {} : { keys: keysOfForger(parameter("bytea"), parameter("bytea")) }),
      range,
      order,
      headText: currentVariables("auction"),
      ctes: [bestBids("SELECT page.item AS slot_num FROM page")],
      rows: slotRows(order === "ASC" ? String(slotNumMax + 1) : "-1")
    })
  })
