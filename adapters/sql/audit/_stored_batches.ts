import { Effect } from "effect"
import type { Account, Batch, Exit, Transaction } from "../../../core/domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../../core/encoding/mod.ts"
import type { Holding } from "../../../core/use_cases/mod.ts"
import { bigintArray, bytesArray, membersOf } from "../connection/mod.ts"
import {
  accountRowSql,
  batchRowSql,
  exitRowSql,
  decodeAccount,
  decodeBatch,
  decodeExit,
  decodeTransaction,
  transactionRowSql
} from "../reads/mod.ts"
import type { AuditSnapshot, AuditStep } from "./_audit_snapshot.ts"

/** A row of `batch`. */
export interface StoredBatch {
  readonly batch: Batch
  readonly transactions: readonly [from: number, to: number]
  readonly exits: readonly [from: number, to: number]
  readonly totalTransactions: bigint
  readonly totalL2Transactions: bigint
  readonly totalFeeUnits: bigint
  readonly totalAccounts: bigint
  readonly totalPublicKeys: bigint
  readonly totalL1UserTransactions: bigint
  readonly totalL1WaitMs: bigint
  readonly lastForgedQueue: number | null
  readonly updated: ReadonlyArray<AccountIndex>
  readonly overwritten: ReadonlyMap<AccountIndex, Holding>
  /** The block of the batch; null if it does not exist. */
  readonly block: { readonly hash: string; readonly timestampMs: number } | null
}

const batchesStatement = `
SELECT ${batchRowSql} AS line, r.transactions_from, r.transactions_to, r.exits_from, r.exits_to, r.total_transactions, r.total_l2_transactions,
  r.total_fee_units::text AS total_fee_units, r.total_accounts, r.total_public_keys, r.total_l1_user_transactions, r.total_l1_wait_ms::text AS total_l1_wait_ms, r.last_forged_queue, array_to_string(r.updated_accounts, ';') AS updated,
  array_to_string(r.nonces_before, ';') AS nonces, array_to_string(r.balances_before, ';') AS balances, '0x' || encode(block.hash, 'hex') AS hash, block.timestamp_ms AS time
FROM batch AS r LEFT JOIN block ON block.number = r.ethereum_block_num WHERE r.batch_num < $1::bigint ORDER BY r.batch_num DESC LIMIT $2::bigint`

interface BatchLine {
  readonly line: string
  readonly transactions_from: bigint
  readonly transactions_to: bigint
  readonly exits_from: bigint
  readonly exits_to: bigint
  readonly total_transactions: bigint
  readonly total_l2_transactions: bigint
  readonly total_fee_units: string
  readonly total_accounts: bigint
  readonly total_public_keys: bigint
  readonly total_l1_user_transactions: bigint
  readonly total_l1_wait_ms: string
  readonly last_forged_queue: bigint | null
  readonly updated: string
  readonly nonces: string
  readonly balances: string
  readonly hash: string | null
  readonly time: bigint | null
}

/** Loads batches with numbers less than `below`, in descending order. */
export const loadBatches = (
  { rows }: AuditSnapshot,
  below: number,
  limit: number
): AuditStep<ReadonlyArray<StoredBatch>> =>
  Effect.map(
    rows<BatchLine>(batchesStatement, `${below}`, `${limit}`),
    (lines) => lines.map(decodeStoredBatch)
  )

const decodeMembers = <Member>(
  text: string,
  decode: (member: string) => Member
): ReadonlyArray<Member> => text === "" ? [] : membersOf(text, decode)

const decodeStoredBatch = (row: BatchLine): StoredBatch => {
  const updated = decodeMembers(row.updated, Number)
  const [nonces, balances] = [
    decodeMembers(row.nonces, BigInt),
    decodeMembers(row.balances, BigInt)
  ]
  return {
    batch: decodeBatch(row.line),
    transactions: [Number(row.transactions_from), Number(row.transactions_to)],
    exits: [Number(row.exits_from), Number(row.exits_to)],
    totalTransactions: row.total_transactions,
    totalL2Transactions: row.total_l2_transactions,
    totalFeeUnits: BigInt(row.total_fee_units),
    totalAccounts: row.total_accounts,
    totalPublicKeys: row.total_public_keys,
    totalL1UserTransactions: row.total_l1_user_transactions,
    totalL1WaitMs: BigInt(row.total_l1_wait_ms),
    lastForgedQueue: row.last_forged_queue === null ? null : Number(row.last_forged_queue),
    updated,
    overwritten: new Map(
      updated.flatMap((index, i) =>
        nonces[i] === undefined || balances[i] === undefined
          ? []
          : [[index, { nonce: nonces[i], balance: balances[i] }]]
      )
    ),
    block: row.hash === null ? null : { hash: row.hash, timestampMs: Number(row.time) }
  }
}

/**
 * Maximum number of rows that are read in excess of the ranges of the batches, so that a damaged
 * range does not make the audit load a whole table.
 */
const strayMax = 1000

/** Maximum number of rows that are read for one batch; a batch has fewer. */
const batchRowsMax = 4096

const transactionsStatement = `
SELECT ${transactionRowSql} AS line FROM transaction AS r WHERE r.item_id >= $1::bigint AND r.item_id < $2::bigint ORDER BY r.item_id LIMIT $3::bigint`
const exitsStatement =
  `SELECT ${exitRowSql} AS line FROM exit AS r WHERE r.item_id >= $1::bigint AND r.item_id < $2::bigint ORDER BY r.item_id LIMIT $3::bigint`
const queuedStatement =
  `SELECT ${transactionRowSql} AS line FROM (SELECT *, NULL AS batch_num FROM queued_transaction WHERE id = ANY($1::bytea[])) AS r`
const accountsStatement =
  `SELECT ${accountRowSql} AS line FROM account AS r WHERE r.account_index = ANY($1::bigint[])`
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
  { rows }: AuditSnapshot,
  batches: ReadonlyArray<StoredBatch>,
  end: ReadItems,
  created: ReadonlyArray<Account>
): AuditStep<StoredRows> =>
  Effect.gen(function*() {
    const lines = <Row>(
      statement: string,
      read: (line: string) => Row,
      ...parameters: ReadonlyArray<string>
    ) =>
      Effect.map(rows<{ readonly line: string }>(statement, ...parameters), (found) =>
        found.map(({ line }) => read(line)))
    /** Returns the first and the end of the item ids, and the maximum number of rows. */
    const rangeParameters = (
      rangeOf: (batch: StoredBatch) => readonly [from: number, to: number],
      endItem: number
    ): ReadonlyArray<string> => {
      const ranges = batches.map(rangeOf)
      return [
        Math.min(...ranges.map(([from]) =>
          from
        )),
        endItem,
        ranges.reduce(
          (sum, [from, to]) => sum + Math.min(batchRowsMax, Math.max(0, to - from)),
          strayMax
        )
      ].map(String)
    }
    const transactions = yield* lines(
      transactionsStatement,
      decodeTransaction,
      ...rangeParameters((batch) => batch.transactions, end.transaction)
    )
    const exits = yield* lines(
      exitsStatement,
      decodeExit,
      ...rangeParameters((batch) => batch.exits, end.exit)
    )
    const userTransactions = transactions.filter(({ l1 }) => l1?.userOrigin === true)
    const queued = userTransactions.length === 0
      ? []
      : yield* lines(
        queuedStatement,
        decodeTransaction,
        bytesArray(userTransactions.map(({ id }) => id))
      )
    const referenced = new Set<AccountIndex>(batches.flatMap(({ updated }) => updated))
    for (const { fromAccountIndex, toAccountIndex } of [...transactions, ...queued]) {
      if (fromAccountIndex !== null) referenced.add(fromAccountIndex)
      referenced.add(toAccountIndex)
    }
    for (const { accountIndex } of exits) referenced.add(accountIndex)
    const accounts = referenced.size === 0
      ? []
      : yield* lines(accountsStatement, decodeAccount, bigintArray([...referenced]))
    const keys = [...new Set(created.map(({ publicKey }) => publicKey))]
    const firsts = keys.length === 0
      ? []
      : yield* rows<{ readonly key: string; readonly item: bigint }>(
        firstOfKeyStatement,
        bytesArray(keys)
      )
    return {
      transactions,
      exits,
      queued: new Map(queued.map((row) => [row.id, row])),
      accounts: new Map([...accounts, ...created].map((account) => [account.index, account])),
      firstOfKey: new Map(firsts.map(({ item, key }) => [key, Number(item)]))
    }
  })
