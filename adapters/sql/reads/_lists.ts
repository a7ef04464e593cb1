import type { FiltersOf, ListItems, ListName } from "../../../core/contract/mod.ts"
import { transactionTypes } from "../../../core/domain/mod.ts"
import { lastPlace } from "../connection/mod.ts"
import { openExitKey, pageRows, type PageText, postingKey, postingLists } from "../postings/mod.ts"
import {
  bidRowSql,
  coordinatorRowSql,
  decodeBid,
  decodeCoordinator,
  registrationOf
} from "./auction_rows.ts"
import {
  accountRowSql,
  batchRowSql,
  exitRowSql,
  decodeAccount,
  decodeBatch,
  decodeExit,
  decodeTransaction,
  transactionRowSql
} from "./history_rows.ts"
import {
  byteParameter,
  hexParameter,
  keysParameter,
  type KeyLookup,
  lookUpKeys
} from "./_list_values.ts"
import { type Tokens, tokenOf } from "./_token_cache.ts"

/** Returns the next parameter of a statement, cast to a type. */
export type Parameter = (type: string) => string

/** How to run a list query: the shape of the statement, its text, and its parameters. */
export interface ListQueryPlan {
  /** Identifies the text: queries of one list and shape share a prepared statement. */
  readonly shape: string
  readonly text: (parameter: Parameter) => Omit<PageText, "order" | "rows">
  /** $1 */
  readonly keys: string
  /** $4 and so on, as `text` names them. */
  readonly values: ReadonlyArray<string | null>
}

/**
 * The plan, the rows and the decoder of a list. The last columns of the head tell whether the
 * account and the batch of the filters exist.
 */
export interface SqlList<N extends ListName> {
  readonly plan: (filters: FiltersOf<N>) => ListQueryPlan
  readonly rows: string
  readonly read: (line: string, tokens: Tokens) => ListItems[N]
}

export type TableListName = Exclude<ListName, "slots" | "tokens">

/** The six lists with a table of items; `_list_slots.ts` and `_list.ts` read the other two. */
export const sqlLists: { readonly [N in TableListName]: SqlList<N> } = {
  accounts: {
    plan: (filters) => {
      const listed = lookUpKeys(postingLists.accounts, filters)
      return byPostings(
        listed,
        "account",
        (parameter) => `r.token_id = ANY(${parameter("bigint[]")})`,
        [`{${filters.tokenIds?.join(",") ?? ""}}`]
      )
    },
    rows: pageRows("account", accountRowSql),
    read: (line, tokens) => {
      const account = decodeAccount(line)
      return { account, token: tokenOf(tokens, account.tokenId)! }
    }
  },
  exits: {
    plan: ({ batchNum, onlyPendingWithdraws = false, ...filters }) => {
      const { accountIndex } = filters
      const listed = lookUpKeys(postingLists.exits, filters)
      // open exits are listed under every combination
      const plan: ListQueryPlan = onlyPendingWithdraws
        ? { ...keysOf(listed.keys.map(amongOpenExits), "open"), values: [] }
        : byPostings(listed, "exit", (parameter) => `r.token_id = ${parameter("bigint")}`, [
          textOf(filters.tokenId)
        ])
      return withAccount(accountIndex, withBatch("exits", batchNum, plan))
    },
    rows: pageRows("exit", exitRowSql),
    read: (line, tokens) => {
      const exit = decodeExit(line)
      return { exit, token: tokenOf(tokens, exit.tokenId)! }
    }
  },
  transactions: {
    plan: ({ batchNum, ...filters }) => {
      const listed = lookUpKeys(postingLists.transactions, filters)
      const plan = byPostings(listed, "transaction", (parameter) => {
        const [tokenId, type] = [parameter("bigint"), parameter("smallint")]
        return `(${tokenId} IS NULL OR r.token_id = ${tokenId}) AND (${type} IS NULL OR r.type = ${type})`
      }, [
        textOf(filters.tokenId),
        filters.type === undefined ? null : String(transactionTypes.indexOf(filters.type))
      ])
      return withAccount(filters.accountIndex, withBatch("transactions", batchNum, plan))
    },
    rows: pageRows("transaction", transactionRowSql),
    read: (line, tokens) => {
      const transaction = decodeTransaction(line)
      return { transaction, token: tokenOf(tokens, transaction.tokenId)! }
    }
  },
  batches: {
    plan: ({ maxBatchNum, minBatchNum, ...filters }) => {
      const listed = lookUpKeys(postingLists.batches, filters)
      const plan = byPostings(
        listed,
        "batch",
        (parameter) => `r.forger_addr = ${parameter("bytea")}`,
        [addressOf(filters.forgerAddr)]
      )
      if (minBatchNum === undefined && maxBatchNum === undefined) return plan
      return withRange("between", plan, (parameter) => {
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
    rows: pageRows("batch", batchRowSql),
    read: decodeBatch
  },
  bids: {
    plan: ({ forgerAddr, ...filters }) => {
      const list = postingLists.bids
      const { bidderAddr, slotNum } = filters
      if (forgerAddr === undefined) {
        return byPostings(
          lookUpKeys(list, filters),
          "bid",
          (parameter) => `r.bidder_addr = ${parameter("bytea")}`,
          [addressOf(bidderAddr)]
        )
      }
      // the lists of the forger's bidders: those of the slot, or of all slots
      const { parentKey, keys: [prefix] } = lookUpKeys(list, { ...filters, bidderAddr: "" })
      return byForger(prefix!, { forgerAddr, bidderAddr }, slotNum === undefined ? null : parentKey)
    },
    rows: pageRows("bid", bidRowSql, registrationOf("r.bidder_addr", "c")),
    read: decodeBid
  },
  coordinators: {
    plan: () =>
      byPostings(
        { keys: [postingKey(postingLists.coordinators)], parentKey: null },
        "coordinator",
        () => "true",
        []
      ),
    rows: pageRows("coordinator", coordinatorRowSql),
    read: decodeCoordinator
  }
}

const textOf = (value: number | undefined): string | null =>
  value === undefined ? null : String(value)
const addressOf = (address: string | undefined): string | null =>
  address === undefined ? null : hexParameter(address)

/** Returns the key of the same filters in the list of open exits. */
const amongOpenExits = (key: Uint8Array): Uint8Array =>
  Buffer.concat([openExitKey().subarray(0, 1), key.subarray(1)])

/** Plans a read of posting lists; a single list, the usual case, has a simpler statement. */
const keysOf = (
  keys: ReadonlyArray<Uint8Array>,
  lists: PageText["lists"]
): Pick<ListQueryPlan, "shape" | "text" | "keys"> =>
  keys.length === 1
    ? { shape: `${lists} one`, text: () => ({ lists, keys: "one" }), keys: byteParameter(keys[0]!) }
    : { shape: lists, text: () => ({ lists }), keys: keysParameter(keys) }

/** @param condition SQL that tests a row `r` of the parent's unindexed tail against the values */
const byPostings = (
  { parentKey, keys }: KeyLookup,
  table: string,
  condition: (parameter: Parameter) => string,
  values: ReadonlyArray<string | null>
): ListQueryPlan =>
  parentKey === null
    ? { ...keysOf(keys, "postings"), values: [] }
    : {
      shape: "sifted",
      text: (parameter) => ({
        lists: "postings",
        postFilter: { key: parameter("bytea"), table, condition: condition(parameter) }
      }),
      keys: keysParameter(keys),
      values: [byteParameter(parentKey), ...values]
    }

/**
 * Keys that begin with `$1`, one for each bidder that is registered with a forger: one of them,
 * where it is asked for.
 */
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
  parentKey: Uint8Array | null
): ListQueryPlan => ({
  shape: parentKey === null ? "forger" : "forger in slot",
  text: (parameter) => {
    const [forger, bidder] = [parameter("bytea"), parameter("bytea")]
    // a value, not EXISTS: that may be planned as a pass over all bidders of the forger, for each
    // row that is sifted
    const condition = `(${bidder} IS NULL OR r.bidder_addr = ${bidder})
  AND (SELECT registration.forger_addr FROM registration WHERE registration.bidder_addr = r.bidder_addr) = ${forger}`
    return {
      lists: "postings",
      keys: keysOfForger(forger, bidder),
      ...(parentKey === null
        ? {}
        : { postFilter: { key: parameter("bytea"), table: "bid", condition } })
    }
  },
  keys: byteParameter(prefix),
  values: [
    hexParameter(forgerAddr),
    addressOf(bidderAddr),
    ...(parentKey === null ? [] : [byteParameter(parentKey)])
  ]
})

/** @param range a query of `low` and `upper`, and of `known` where the head should tell it */
const withRange = (
  shape: string,
  plan: ListQueryPlan,
  range: (parameter: Parameter) => string,
  values: ReadonlyArray<string | null>
): ListQueryPlan => ({
  ...plan,
  shape: `${plan.shape} ${shape}`,
  text: (parameter) => ({ range: range(parameter), ...plan.text(parameter) }),
  values: [...values, ...plan.values]
})

/** Restricts a plan to the items of a batch. */
const withBatch = (
  items: "exits" | "transactions",
  batchNum: number | undefined,
  plan: ListQueryPlan
): ListQueryPlan =>
  batchNum === undefined ? plan : withRange("in batch", plan, (parameter) => `
SELECT coalesce(batch.${items}_from, 0) AS low, coalesce(batch.${items}_to, 0) AS upper, batch.batch_num IS NOT NULL AS known
FROM (VALUES (${
    parameter("bigint")
  })) AS given (batch_num) LEFT JOIN batch ON batch.batch_num = given.batch_num`, [
    String(batchNum)
  ])

/**
 * Adds to the head whether the account exists and, if the plan has a range, whether the batch does.
 */
const withAccount = (accountIndex: number | undefined, plan: ListQueryPlan): ListQueryPlan => ({
  ...plan,
  text: (parameter) => {
    const known = `EXISTS (SELECT FROM account WHERE account.account_index = ${
      parameter("bigint")
    })`
    const text = plan.text(parameter)
    return { ...text, head: [known, ...(text.range === undefined ? [] : ["bounds.known"])] }
  },
  values: [textOf(accountIndex), ...plan.values]
})
