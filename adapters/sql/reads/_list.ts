import { Effect } from "effect"
import {
  type FiltersOf,
  limitDefault,
  type ListItems,
  type ListName,
  type ListQuery
} from "../../../core/contract/mod.ts"
import type { SlotView } from "../../../core/domain/mod.ts"
import {
  type LedgerReader,
  NotRegistered,
  type Page,
  type StoreFailure
} from "../../../core/ports/mod.ts"
import {
  type AnswerRows,
  type AnswerStatement,
  firstColumn,
  lastPlace,
  type RowSource,
  type RowValues
} from "../connection/mod.ts"
import { account, batch, coordinator, exit } from "../entities/mod.ts"
import {
  countsOf,
  openExitKey,
  type Order,
  pageRows,
  pageStatement,
  positionOf,
  postingKey,
  postingLists
} from "../postings/mod.ts"
import { bidView, readBidsOfForger, readRegistrations, registrationOf } from "./_auction_plans.ts"
import {
  readAccountItem,
  readExitItem,
  readTransactionItem,
  transactionColumns
} from "./history_rows.ts"
import { findUnregistered, lookUpKeys } from "./_index_key_selection.ts"
import {
  type ListQueryPlan,
  readLists,
  readPostings,
  withAccounts,
  withBatch,
  withQueued,
  withRange
} from "./_list_plan.ts"
import { listTokens } from "./_list_tokens.ts"
import {
  cachedStatement,
  numberOrNullParameter,
  parametersFrom,
  type RunQuery,
  tokenOf,
  type Tokens
} from "./_run_query.ts"

/** Returns the `list` of the read port. */
export const makeList = (
  runQuery: RunQuery,
  listSlots: (query: ListQuery<"slots">) => Effect.Effect<Page<SlotView>, StoreFailure>
): LedgerReader["Service"]["list"] => {
  const list = (
    name: ListName,
    query: ListQuery<never>
  ): Effect.Effect<Page<ListItems[ListName]>, NotRegistered | StoreFailure> => {
    switch (name) {
      case "slots":
        return listSlots(query)
      case "tokens":
        return listTokens(runQuery, query)
      default:
        return listTable(runQuery, name, query)
    }
  }
  return list as LedgerReader["Service"]["list"]
}

/** The lists with a row for each item. */
type TableListName = Exclude<ListName, "slots" | "tokens">

/**
 * The plan, the rows and the decoder of a list. The last members of the head are which accounts of
 * the filters exist, and whether their batch does.
 */
interface SqlList<N extends ListName> {
  readonly plan: (filters: FiltersOf<N>) => ListQueryPlan
  readonly columns: AnswerRows["columns"]
  readonly source: RowSource
  readonly read: (values: RowValues, tokens: Tokens) => ListItems[N]
}

const sqlLists: { readonly [N in TableListName]: SqlList<N> } = {
  accounts: {
    plan: (filters) => readPostings("accounts", filters),
    columns: account.select("r"),
    source: pageRows("account"),
    read: readAccountItem
  },
  exits: {
    plan: ({ batchNum, onlyPendingWithdraws = false, ...filters }) => {
      // the lists of open exits exist for every combination of filters, so none has to be filtered
      const plan = onlyPendingWithdraws
        ? readLists(lookUpKeys("exits", filters).keys.map(amongOpenExits), "open")
        : readPostings("exits", filters)
      return withAccounts(filters, withBatch("exits", batchNum, plan))
    },
    columns: exit.select("r"),
    source: pageRows("exit"),
    read: readExitItem
  },
  transactions: {
    plan: ({ batchNum, includePending = false, ...filters }) => {
      const plan = readPostings("transactions", filters, batchNum)
      return withAccounts(
        filters,
        includePending && batchNum === undefined
          ? withQueued(filters, plan)
          : withBatch("transactions", batchNum, plan)
      )
    },
    columns: transactionColumns,
    source: pageRows("transaction"),
    read: readTransactionItem
  },
  batches: {
    plan: ({ maxBatchNum, minBatchNum, ...filters }) => {
      const plan = readPostings("batches", filters)
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
      }, [numberOrNullParameter(minBatchNum), numberOrNullParameter(maxBatchNum)])
    },
    columns: batch.select("r"),
    source: pageRows("batch"),
    read: (values) => batch.read(values, firstColumn)
  },
  bids: {
    plan: ({ forgerAddr, ...filters }) => {
      const { bidderAddr, slotNum } = filters
      if (forgerAddr === undefined) {
        return readPostings("bids", filters)
      }
      // the lists of the forger's bidders, in the slot or in all slots
      const { keys: [prefix], parentKeys: [slotKey] } = lookUpKeys("bids", {
        ...filters,
        bidderAddr: ""
      })
      return readBidsOfForger(
        prefix!,
        { forgerAddr, bidderAddr },
        slotNum === undefined ? null : slotKey!
      )
    },
    columns: bidView.select("r"),
    source: pageRows("bid", `CROSS JOIN LATERAL ${registrationOf("r.bidder_addr", "c")}`),
    read: (values) => bidView.read(values, firstColumn)
  },
  coordinators: {
    plan: ({ bidderAddr, forgerAddr, onlyLatest = false }) =>
      onlyLatest || bidderAddr !== undefined || forgerAddr !== undefined
        ? readRegistrations({ bidder_addr: bidderAddr, forger_addr: forgerAddr })
        : readLists([postingKey(postingLists.coordinators)], "postings"),
    columns: coordinator.select("r"),
    source: pageRows("coordinator"),
    read: (values) => coordinator.read(values, firstColumn)
  }
}

/** Returns the key of the same filters in the list of open exits. */
const amongOpenExits = (key: Uint8Array): Uint8Array =>
  Buffer.concat([openExitKey().subarray(0, 1), key.subarray(1)])

const statementOf = (
  name: TableListName,
  { shape, text }: ListQueryPlan,
  order: Order
): AnswerStatement =>
  cachedStatement(
    `${name} ${shape} ${order}`,
    () => {
      const { otherRows = [], ...parts } = text(parametersFrom(4))
      const { columns, source } = sqlLists[name]
      return pageStatement({
        ...parts,
        order,
        rows: [{ columns, sources: [source, ...otherRows] }]
      })
    }
  )

const listTable = <N extends TableListName>(
  runQuery: RunQuery,
  name: N,
  query: ListQuery<N>
): Effect.Effect<Page<ListItems[N]>, NotRegistered | StoreFailure> => {
  const { filters, fromItem, limit = limitDefault, order = "ASC" } = query
  const list: SqlList<N> = sqlLists[name]
  const plan = list.plan(filters)
  const parameters = [plan.keys, positionOf(order, fromItem), String(limit), ...plan.values]
  return Effect.flatMap(
    runQuery({
      statement: statementOf(name, plan, order),
      parameters,
      ...plan.isExclusive === true ? { isExclusive: true } : {}
    }, (answer, tokens) => {
      const { counts, rest: [accounts, batch] } = countsOf(
        answer,
        order,
        answer.rows.length
      )
      const isRegistered = {
        token: (id: number) => tokenOf(tokens, id) !== null,
        account: (index: number) => (accounts as ReadonlyArray<bigint>).includes(BigInt(index)),
        batch: () => batch === true
      }
      const unregistered = findUnregistered(
        name,
        filters,
        (kind, value) => isRegistered[kind](value),
        answer.snapshotId
      )
      return unregistered ?? {
        items: answer.rows.map((values) => list.read(values, tokens)),
        counts,
        snapshotId: answer.snapshotId
      }
    }),
    (result) => result instanceof NotRegistered ? Effect.fail(result) : Effect.succeed(result)
  )
}
