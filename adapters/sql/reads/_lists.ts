import type { FiltersOf, ListItems, ListName } from "../../../core/contract/mod.ts"
import { transactionTypes } from "../../../core/domain/mod.ts"
import { lastPlace } from "../connection/mod.ts"
import { openExitKey, pageRows, type PageText, postingKey, postingLists } from "../postings/mod.ts"
import {
  bidLine,
  coordinatorLine,
  readBid,
  readCoordinator,
  registrationOf
} from "./auction_rows.ts"
import {
  accountLine,
  batchLine,
  exitLine,
  readAccount,
  readBatch,
  readExit,
  readTransaction,
  transactionLine
} from "./history_rows.ts"
import {
  byteParameter,
  hexParameter,
  keysParameter,
  type Listed,
  listedUnder
} from "./_list_values.ts"
import { type Tokens, tokenOf } from "./_token_cache.ts"

/** Names the next parameter of a text, with its type. */
export type Parameter = (type: string) => string

/** What a query asks: a text for each of few shapes, and the values. */
export interface Asked {
  /** Texts of one list and one shape are the same. */
  readonly shape: string
  readonly text: (parameter: Parameter) => Omit<PageText, "order" | "rows">
  /** $1 */
  readonly keys: string
  /** $4 and so on, as `text` names them. */
  readonly values: ReadonlyArray<string | null>
}

/** How a list is read. The head has at its end whether the account and the batch exist that the filters name. */
export interface SqlList<N extends ListName> {
  readonly ask: (filters: FiltersOf<N>) => Asked
  readonly rows: string
  readonly read: (line: string, tokens: Tokens) => ListItems[N]
}

export type TableListName = Exclude<ListName, "slots" | "tokens">

/** The six lists that have a row for each item; `_slots.ts` and `_list.ts` answer the others. */
export const sqlLists: { readonly [N in TableListName]: SqlList<N> } = {
  accounts: {
    ask: (filters) => {
      const listed = listedUnder(postingLists.accounts, filters)
      return byPostings(
        listed,
        "account",
        (parameter) => `r.token_id = ANY(${parameter("bigint[]")})`,
        [`{${filters.tokenIds?.join(",") ?? ""}}`]
      )
    },
    rows: pageRows("account", accountLine),
    read: (line, tokens) => {
      const account = readAccount(line)
      return { account, token: tokenOf(tokens, account.tokenId)! }
    }
  },
  exits: {
    ask: ({ batchNum, onlyPendingWithdraws = false, ...filters }) => {
      const { accountIndex } = filters
      const listed = listedUnder(postingLists.exits, filters)
      // open exits are listed under every combination
      const asked: Asked = onlyPendingWithdraws
        ? { ...keysOf(listed.keys.map(amongOpenExits), "open"), values: [] }
        : byPostings(listed, "exit", (parameter) => `r.token_id = ${parameter("bigint")}`, [
          textOf(filters.tokenId)
        ])
      return withAccount(accountIndex, withBatch("exits", batchNum, asked))
    },
    rows: pageRows("exit", exitLine),
    read: (line, tokens) => {
      const exit = readExit(line)
      return { exit, token: tokenOf(tokens, exit.tokenId)! }
    }
  },
  transactions: {
    ask: ({ batchNum, ...filters }) => {
      const listed = listedUnder(postingLists.transactions, filters)
      const asked = byPostings(listed, "transaction", (parameter) => {
        const [tokenId, type] = [parameter("bigint"), parameter("smallint")]
        return `(${tokenId} IS NULL OR r.token_id = ${tokenId}) AND (${type} IS NULL OR r.type = ${type})`
      }, [
        textOf(filters.tokenId),
        filters.type === undefined ? null : String(transactionTypes.indexOf(filters.type))
      ])
      return withAccount(filters.accountIndex, withBatch("transactions", batchNum, asked))
    },
    rows: pageRows("transaction", transactionLine),
    read: (line, tokens) => {
      const transaction = readTransaction(line)
      return { transaction, token: tokenOf(tokens, transaction.tokenId)! }
    }
  },
  batches: {
    ask: ({ maxBatchNum, minBatchNum, ...filters }) => {
      const listed = listedUnder(postingLists.batches, filters)
      const asked = byPostings(
        listed,
        "batch",
        (parameter) => `r.forger_addr = ${parameter("bytea")}`,
        [addressOf(filters.forgerAddr)]
      )
      if (minBatchNum === undefined && maxBatchNum === undefined) return asked
      return withRange("between", asked, (parameter) => {
        const [min, max] = [parameter("bigint"), parameter("bigint")]
        // numbers and item ids ascend together, but item ids have gaps after a rollback
        const firstItem = (condition: string): string =>
          `coalesce((SELECT batch.item_id FROM batch WHERE ${condition} ORDER BY batch.batch_num LIMIT 1), ${lastPlace})`
        return `SELECT CASE WHEN ${min} IS NULL THEN 0 ELSE ${
          firstItem(`batch.batch_num > ${min}`)
        } END AS low,
  CASE WHEN ${max} IS NULL THEN ${lastPlace} ELSE ${
          firstItem(`batch.batch_num >= ${max}`)
        } END AS upper`
      }, [textOf(minBatchNum), textOf(maxBatchNum)])
    },
    rows: pageRows("batch", batchLine),
    read: readBatch
  },
  bids: {
    ask: ({ forgerAddr, ...filters }) => {
      const list = postingLists.bids
      const { bidderAddr, slotNum } = filters
      if (forgerAddr === undefined) {
        return byPostings(
          listedUnder(list, filters),
          "bid",
          (parameter) => `r.bidder_addr = ${parameter("bytea")}`,
          [addressOf(bidderAddr)]
        )
      }
      // the lists of the forger's bidders: those of the slot, or of all slots
      const { above, keys: [prefix] } = listedUnder(list, { ...filters, bidderAddr: "" })
      return byForger(prefix!, { forgerAddr, bidderAddr }, slotNum === undefined ? null : above)
    },
    rows: pageRows("bid", bidLine, registrationOf("r.bidder_addr", "c")),
    read: readBid
  },
  coordinators: {
    ask: () =>
      byPostings(
        { keys: [postingKey(postingLists.coordinators)], above: null },
        "coordinator",
        () => "true",
        []
      ),
    rows: pageRows("coordinator", coordinatorLine),
    read: readCoordinator
  }
}

const textOf = (value: number | undefined): string | null =>
  value === undefined ? null : String(value)
const addressOf = (address: string | undefined): string | null =>
  address === undefined ? null : hexParameter(address)

/** The same filters, of the exits that are open. */
const amongOpenExits = (key: Uint8Array): Uint8Array =>
  Buffer.concat([openExitKey().subarray(0, 1), key.subarray(1)])

/** One list, as nearly always, is read without the detour over many. */
const keysOf = (
  keys: ReadonlyArray<Uint8Array>,
  lists: PageText["lists"]
): Pick<Asked, "shape" | "text" | "keys"> =>
  keys.length === 1
    ? { shape: `${lists} one`, text: () => ({ lists, keys: "one" }), keys: byteParameter(keys[0]!) }
    : { shape: lists, text: () => ({ lists }), keys: keysParameter(keys) }

/** @param condition what the values mean for a row `r` of the open row above */
const byPostings = (
  { above, keys }: Listed,
  table: string,
  condition: (parameter: Parameter) => string,
  values: ReadonlyArray<string | null>
): Asked =>
  above === null
    ? { ...keysOf(keys, "postings"), values: [] }
    : {
      shape: "sifted",
      text: (parameter) => ({
        lists: "postings",
        sift: { key: parameter("bytea"), table, condition: condition(parameter) }
      }),
      keys: keysParameter(keys),
      values: [byteParameter(above), ...values]
    }

/** Keys that begin with `$1`, one for each bidder that is registered with a forger: one of them, where it is asked for. */
export const keysOfForger = (forger: string, bidder: string): string => `
SELECT $1::bytea || registration.bidder_addr AS key FROM registration
WHERE registration.forger_addr = ${forger} AND (${bidder} IS NULL OR registration.bidder_addr = ${bidder})`

interface Bidders {
  readonly forgerAddr: string
  readonly bidderAddr: string | undefined
}

const byForger = (
  prefix: Uint8Array,
  { bidderAddr, forgerAddr }: Bidders,
  above: Uint8Array | null
): Asked => ({
  shape: above === null ? "forger" : "forger in slot",
  text: (parameter) => {
    const [forger, bidder] = [parameter("bytea"), parameter("bytea")]
    // a value, not EXISTS: that may be planned as a pass over all bidders of the forger, for each row that is sifted
    const condition = `(${bidder} IS NULL OR r.bidder_addr = ${bidder})
  AND (SELECT registration.forger_addr FROM registration WHERE registration.bidder_addr = r.bidder_addr) = ${forger}`
    return {
      lists: "postings",
      keys: keysOfForger(forger, bidder),
      ...(above === null ? {} : { sift: { key: parameter("bytea"), table: "bid", condition } })
    }
  },
  keys: byteParameter(prefix),
  values: [
    hexParameter(forgerAddr),
    addressOf(bidderAddr),
    ...(above === null ? [] : [byteParameter(above)])
  ]
})

/** @param range a query of `low` and `upper`, and of `known` where the head should tell it */
const withRange = (
  shape: string,
  asked: Asked,
  range: (parameter: Parameter) => string,
  values: ReadonlyArray<string | null>
): Asked => ({
  ...asked,
  shape: `${asked.shape} ${shape}`,
  text: (parameter) => ({ range: range(parameter), ...asked.text(parameter) }),
  values: [...values, ...asked.values]
})

/** Only items of a batch. */
const withBatch = (
  items: "exits" | "transactions",
  batchNum: number | undefined,
  asked: Asked
): Asked =>
  batchNum === undefined ? asked : withRange("in batch", asked, (parameter) => `
SELECT coalesce(batch.${items}_from, 0) AS low, coalesce(batch.${items}_to, 0) AS upper, batch.batch_num IS NOT NULL AS known
FROM (VALUES (${
    parameter("bigint")
  })) AS given (batch_num) LEFT JOIN batch ON batch.batch_num = given.batch_num`, [
    String(batchNum)
  ])

/** The head tells at its end whether the account exists, then whether the batch does, where one is asked for. */
const withAccount = (accountIndex: number | undefined, asked: Asked): Asked => ({
  ...asked,
  text: (parameter) => {
    const known = `EXISTS (SELECT FROM account WHERE account.account_index = ${
      parameter("bigint")
    })`
    const text = asked.text(parameter)
    return { ...text, head: [known, ...(text.range === undefined ? [] : ["bounds.known"])] }
  },
  values: [textOf(accountIndex), ...asked.values]
})
