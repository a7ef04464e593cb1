import { Effect } from "effect"
import type { Account, EthereumBlock, Exit, Transaction } from "../../../core/domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../../core/encoding/mod.ts"
import type { Holding } from "../../../core/use_cases/mod.ts"
import { bigintArray, bytesArray } from "../connection/mod.ts"
import {
  account,
  type BatchRow,
  batchRow,
  ethereumBlock,
  exit,
  from,
  type ItemRange,
  part,
  queryOf,
  queuedTransaction,
  shape,
  transaction
} from "../entities/mod.ts"
import type { AuditSnapshot, AuditStep } from "./_audit_snapshot.ts"

/** A row of `batch`. */
export interface StoredBatch extends BatchRow {
  /** The accounts that it updated, without those that it created. */
  readonly updated: ReadonlyArray<AccountIndex>
  readonly overwritten: ReadonlyMap<AccountIndex, Holding>
  /** The block of the batch; null if it does not exist. */
  readonly block: EthereumBlock | null
}

interface JoinedBatch {
  readonly row: BatchRow
  readonly block: EthereumBlock | null
}
const joinedBatches = queryOf(
  shape<JoinedBatch>({
    row: from("r", batchRow),
    block: from("block", part("number", ethereumBlock))
  }),
  "batch AS r LEFT JOIN block ON block.number = r.ethereum_block_num WHERE r.batch_num < $1::bigint ORDER BY r.batch_num DESC LIMIT $2::bigint"
)

/** Loads batches with numbers less than `below`, in descending order. */
export const loadBatches = (
  { select }: AuditSnapshot,
  below: number,
  limit: number
): AuditStep<ReadonlyArray<StoredBatch>> =>
  Effect.map(
    select(joinedBatches, `${below}`, `${limit}`),
    (batches) =>
      batches.map(({ block, row }) => ({
        ...row,
        block,
        updated: row.changedAccounts.slice(0, row.noncesBefore.length),
        overwritten: overwrittenBy(row)
      }))
  )

/** Returns the accounts that a batch updated, as they were before it. */
const overwrittenBy = (
  { balancesBefore, changedAccounts, noncesBefore }: BatchRow
): ReadonlyMap<AccountIndex, Holding> =>
  new Map(
    changedAccounts.flatMap((index, i) => {
      const [nonce, balance] = [noncesBefore[i], balancesBefore[i]]
      return nonce === undefined || balance === undefined ? [] : [[index, { nonce, balance }]]
    })
  )

/**
 * Maximum number of rows that are read in excess of the ranges of the batches, so that a damaged
 * range does not make the audit load a whole table.
 */
const strayMax = 1000

/** Maximum number of rows that are read for one batch; a batch has fewer. */
const batchRowsMax = 4096

const itemRange =
  "r.item_id >= $1::bigint AND r.item_id < $2::bigint ORDER BY r.item_id LIMIT $3::bigint"
const transactions = queryOf(transaction, `transaction AS r WHERE ${itemRange}`)
const exits = queryOf(exit, `exit AS r WHERE ${itemRange}`)
const queuedTransactions = queryOf(
  queuedTransaction,
  "queued_transaction AS r WHERE id = ANY($1::bytea[])"
)
const accounts = queryOf(account, "account AS r WHERE r.account_index = ANY($1::bigint[])")
// the posting list of a public key has its accounts; \x416b is "Ak", the prefix of these lists
const firstOfKeyStatement = `
SELECT encode(asked.public_key, 'hex') AS key, list.first_item AS item FROM unnest($1::bytea[]) AS asked (public_key)
CROSS JOIN LATERAL (SELECT first_item FROM posting WHERE posting.key = '\\x416b'::bytea || asked.public_key ORDER BY first_item LIMIT 1) AS list`

/** The rows of some consecutive batches, and the accounts that these rows refer to. */
export interface StoredRows {
  readonly transactions: ReadonlyArray<Transaction>
  readonly exits: ReadonlyArray<Exit>
  readonly queued: ReadonlyMap<TransactionId, Transaction>
  readonly accounts: ReadonlyMap<AccountIndex, Account>
  /** Item id of the first account with each public key, for the keys of created accounts. */
  readonly firstOfKey: ReadonlyMap<string, number>
}

/** The lowest item ids of the batches that have been read. */
export interface ReadItems {
  readonly transaction: number
  readonly exit: number
}

/** Loads all rows from the first item of some consecutive batches to the items already read. */
export const loadRows = (
  { rows, select }: AuditSnapshot,
  batches: ReadonlyArray<StoredBatch>,
  end: ReadItems,
  created: ReadonlyArray<Account>
): AuditStep<StoredRows> =>
  Effect.gen(function*() {
    /** Returns the first and the end of the item ids, and the maximum number of rows. */
    const rangeParameters = (
      rangeOf: (batch: StoredBatch) => ItemRange,
      endItem: number
    ): ReadonlyArray<string> => {
      const ranges = batches.map(rangeOf)
      return [
        Math.min(...ranges.map(({ from }) => from)),
        endItem,
        ranges.reduce(
          (sum, { from, to }) => sum + Math.min(batchRowsMax, Math.max(0, to - from)),
          strayMax
        )
      ].map(String)
    }
    const forged = yield* select(
      transactions,
      ...rangeParameters((batch) => batch.transactions, end.transaction)
    )
    const left = yield* select(exits, ...rangeParameters((batch) => batch.exits, end.exit))
    const ids = forged.filter(({ l1 }) => l1?.userOrigin === true).map(({ id }) => id)
    const queued = ids.length === 0 ? [] : yield* select(queuedTransactions, bytesArray(ids))
    const referenced = new Set<AccountIndex>(
      batches.flatMap(({ updated }) => updated)
    )
    for (const { fromAccountIndex, toAccountIndex } of [...forged, ...queued]) {
      if (fromAccountIndex !== null) referenced.add(fromAccountIndex)
      referenced.add(toAccountIndex)
    }
    for (const { accountIndex } of left) referenced.add(accountIndex)
    const found = referenced.size === 0
      ? []
      : yield* select(accounts, bigintArray([...referenced]))
    const keys = [...new Set(created.map(({ publicKey }) => publicKey))]
    const firsts = keys.length === 0
      ? []
      : yield* rows<{ readonly key: string; readonly item: bigint }>(
        firstOfKeyStatement,
        bytesArray(keys)
      )
    return {
      transactions: forged,
      exits: left,
      queued: new Map(queued.map((row) => [row.id, row])),
      accounts: new Map([...found, ...created].map((account) => [account.index, account])),
      firstOfKey: new Map(firsts.map(({ item, key }) => [key, Number(item)]))
    }
  })
