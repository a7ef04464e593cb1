import { Effect, Fiber } from "effect"
import { type Account, type Exit, feeSumUnits } from "../../../core/domain/mod.ts"
import { FIRST_USER_ACCOUNT } from "../../../core/encoding/mod.ts"
import {
  auditBatch,
  type BatchAuditRules,
  type BatchEvidence
} from "../../../core/use_cases/mod.ts"
import { accountRowSql, decodeAccount } from "../reads/mod.ts"
import type { AuditStep, AuditSnapshot } from "./_audit_snapshot.ts"
import { batchesBelow, rowsOfBatches, type StoredBatch, type StoredRows } from "./_evidence.ts"

/** Batches that are read at once, and the transactions that they may hold together unless it is one. */
const batchesAtOnce = 64
const transactionsAtOnce = 8192

/** Where the batches before the first one stand. */
const nothing = {
  transactions: [0, 1],
  exits: [0, 1],
  totalTransactions: 0n,
  totalL2Transactions: 0n,
  totalFeeUnits: 0n,
  totalAccounts: 0n,
  totalPublicKeys: 0n,
  lastForgedQueue: null,
  batch: { batchNum: 0, itemId: 0 }
} as const
type Lower = Omit<StoredBatch, "batch" | "updated" | "overwritten" | "block"> & {
  readonly batch: Pick<StoredBatch["batch"], "batchNum" | "itemId">
}

export interface BatchesOptions extends BatchAuditRules {
  /** The greatest account of today. */
  readonly lastAccount: number
  /** Judges proofs while the next batches are read; what it finds it notes by itself. */
  readonly proofs: (
    exits: ReadonlyArray<readonly [exit: Exit, exitRoot: bigint]>
  ) => Effect.Effect<void>
}

/**
 * All batches from the last one back to the first. The accounts are taken back with them: below each batch they hold what the batch wrote
 * down when it overwrote them, so that each is judged on what the one before it left, and an error shows where it is.
 */
export const auditBatches = (
  snapshot: AuditSnapshot,
  { lastAccount, proofs, ...rules }: BatchesOptions
): AuditStep =>
  Effect.gen(function*() {
    const { advance, book, findings } = snapshot
    let above = { transaction: Number.MAX_SAFE_INTEGER, exit: Number.MAX_SAFE_INTEGER }
    let [below, most] = [2 ** 32, 0]
    let judging: Fiber.Fiber<void> = yield* Effect.forkChild(Effect.void)
    for (;;) {
      const read = yield* batchesBelow(snapshot, below, batchesAtOnce + 1)
      if (read.length === 0) break
      if (most === 0) {
        most = read[0]!.batch.batchNum
        findings.same("totals", `batch ${most}, total_accounts`, lastOf(read[0]!), lastAccount)
      }
      const batches = someOf(read)
      const created = yield* createdBetween(snapshot, read[batches.length] ?? nothing, batches[0]!)
      const rows = yield* rowsOfBatches(snapshot, batches, above, created)
      above = {
        transaction: Math.min(...batches.map(({ transactions }) => transactions[0])),
        exit: Math.min(...batches.map(({ exits }) => exits[0]))
      }
      const own = shareOut(batches, rows, findings)
      for (const [place, stored] of batches.entries()) {
        const { exits, transactions } = own[place]!
        const lower = read[place + 1] ?? nothing
        const lastBefore = lastOf(lower)
        const newAccounts = created.filter(({ index }) =>
          index > lastBefore && index <= lastOf(stored)
        )
        auditHeader(stored, lower, newAccounts, rows, {
          transactions: transactions.length,
          l2: transactions.filter(({ l2 }) => l2 !== null).length,
          exits: exits.length
        }, snapshot)
        const evidence: BatchEvidence = {
          batch: stored.batch,
          transactions,
          exits,
          created: newAccounts,
          updated: stored.updated,
          lastAccountBefore: lastBefore,
          queued: (id) => rows.queued.get(id),
          before: (index) => {
            const account = index <= lastBefore ? rows.accounts.get(index) : undefined
            return account && { ...account, ...stored.overwritten.get(index) ?? book.get(index) }
          },
          after: (index) => book.get(index),
          token: (id) => snapshot.tokens.get(id)
        }
        auditBatch(rules, evidence, findings)
        for (const [index, holding] of stored.overwritten) book.set(index, holding)
        yield* advance(transactions.length, 1 - (stored.batch.batchNum - 1) / most)
      }
      yield* Fiber.join(judging)
      judging = yield* Effect.forkChild(proofs(batches.flatMap(({ batch }, place) =>
        own[place]!.exits.map((exit) =>
          [exit, batch.exitRoot] as const
        )
      )))
      below = batches.at(-1)!.batch.batchNum
    }
    yield* Fiber.join(judging)
    yield* auditBelow(snapshot, above)
  })

/** As many as are read at once, one at least; the one below the last of them must be known where there is one. */
const someOf = (read: ReadonlyArray<StoredBatch>): ReadonlyArray<StoredBatch> => {
  const all = read.length > batchesAtOnce ? read.slice(0, batchesAtOnce) : read
  let sum = 0
  const end = all.findIndex(({ transactions: [from, to] }) =>
    (sum += to - from) > transactionsAtOnce
  )
  return end < 0 ? all : all.slice(0, Math.max(1, end))
}

/** The greatest account when so many had been created. */
const lastOf = ({ totalAccounts }: Pick<StoredBatch, "totalAccounts">): number =>
  FIRST_USER_ACCOUNT - 1 + Number(totalAccounts)

const createdStatement =
  `SELECT ${accountRowSql} AS line FROM account AS r WHERE r.account_index > $1::bigint AND r.account_index <= $2::bigint ORDER BY r.account_index LIMIT 200000`

/** The accounts that consecutive batches have created, ascending, by what the batches count. */
const createdBetween = (
  { rows }: AuditSnapshot,
  lower: Lower,
  upper: StoredBatch
): AuditStep<ReadonlyArray<Account>> =>
  lower.totalAccounts >= upper.totalAccounts
    ? Effect.succeed([])
    : Effect.map(
      rows<{ readonly line: string }>(createdStatement, `${lastOf(lower)}`, `${lastOf(upper)}`),
      (lines) => lines.map(({ line }) => decodeAccount(line))
    )

interface Own {
  readonly transactions: Array<StoredRows["transactions"][number]>
  readonly exits: Array<Exit>
}

/** Which rows lie in the stretch of which batch; those of none are wrong. */
function shareOut(
  batches: ReadonlyArray<StoredBatch>,
  rows: StoredRows,
  findings: AuditSnapshot["findings"]
): ReadonlyArray<Own> {
  const own = batches.map((): Own => ({ transactions: [], exits: [] }))
  const share = <Row extends { readonly itemId: number; readonly batchNum: number | null }>(
    table: "transaction" | "exit",
    all: ReadonlyArray<Row>,
    of: (batch: StoredBatch) => readonly [number, number],
    to: (own: Own) => Array<Row>
  ) => {
    let place = batches.length - 1
    for (const row of all) {
      while (place > 0 && row.itemId >= of(batches[place]!)[1]) place--
      const [from, end] = of(batches[place]!)
      if (row.itemId >= from && row.itemId < end) to(own[place]!).push(row)
      else {findings.violate(
          "stretches",
          `${table}, item ${row.itemId}`,
          `outside of all batches, with batch_num ${row.batchNum}`,
          "in the stretch of its batch"
        )}
    }
  }
  share(
    "transaction",
    rows.transactions,
    ({ transactions }) => transactions,
    ({ transactions }) => transactions
  )
  share("exit", rows.exits, ({ exits }) => exits, ({ exits }) => exits)
  return own
}

/** What a batch says of itself and of all before it. */
function auditHeader(
  stored: StoredBatch,
  lower: Lower,
  created: ReadonlyArray<Account>,
  { firstOfKey }: StoredRows,
  found: { readonly transactions: number; readonly l2: number; readonly exits: number },
  { findings }: AuditSnapshot
): void {
  const { batch, block } = stored
  const place = `batch ${batch.batchNum}`
  findings.same("batches", place, `batch ${batch.batchNum}`, `batch ${lower.batch.batchNum + 1}`)
  if (batch.itemId <= lower.batch.itemId) {
    findings.violate(
      "batches",
      `${place}, item_id`,
      batch.itemId,
      `more than ${lower.batch.itemId}`
    )
  }
  findings.sameMembers("batches", () => place, {
    ethereumBlockHash: batch.ethereumBlockHash,
    timestampMs: batch.timestampMs
  }, { ethereumBlockHash: block?.hash ?? null, timestampMs: block?.timestampMs ?? null })
  findings.checked("stretches", 2)
  const stretch = (
    name: string,
    [from, to]: readonly [number, number],
    before: number,
    rows: number
  ) => {
    if (from < before) {
      findings.violate(
        "stretches",
        `${place}, ${name}_from`,
        from,
        `${before} or more, where the batch before ends`
      )
    }
    findings.same("stretches", `${place}, ${name}`, `${rows} rows`, `${to - from} rows`)
  }
  stretch("transactions", stored.transactions, lower.transactions[1], found.transactions)
  stretch("exits", stored.exits, lower.exits[1], found.exits)
  findings.checked("totals")
  const newKeys = new Set(
    created.filter(({ itemId, publicKey }) => firstOfKey.get(publicKey) === itemId).map((
      { publicKey }
    ) => publicKey)
  )
  const queue = batch.forgeL1TransactionsNum
  if (queue !== null) {
    findings.same(
      "batches",
      `${place}, forge_l1_transactions_num`,
      queue,
      (lower.lastForgedQueue ?? -1) + 1
    )
  }
  findings.sameMembers("totals", () => place, {
    total_transactions: stored.totalTransactions,
    total_l2_transactions: stored.totalL2Transactions,
    total_fee_units: stored.totalFeeUnits,
    total_accounts: stored.totalAccounts,
    total_public_keys: stored.totalPublicKeys,
    last_forged_queue: stored.lastForgedQueue
  }, {
    total_transactions: lower.totalTransactions + BigInt(found.transactions),
    total_l2_transactions: lower.totalL2Transactions + BigInt(found.l2),
    total_fee_units: lower.totalFeeUnits + feeSumUnits(batch.historicTotalCollectedFeesUSD),
    total_accounts: lower.totalAccounts + BigInt(batch.numAccounts),
    total_public_keys: lower.totalPublicKeys + BigInt(newKeys.size),
    last_forged_queue: queue ?? lower.lastForgedQueue
  })
}

/** Nothing lies below the first batch. */
const auditBelow = (
  { findings, rows }: AuditSnapshot,
  above: { readonly transaction: number; readonly exit: number }
): AuditStep =>
  Effect.gen(function*() {
    for (const table of ["transaction", "exit"] as const) {
      const left = yield* rows<{ readonly item_id: bigint; readonly batch_num: bigint }>(
        `SELECT item_id, batch_num FROM ${table} WHERE item_id < $1::bigint ORDER BY item_id LIMIT 20`,
        `${above[table]}`
      )
      for (const { batch_num, item_id } of left) {
        findings.violate(
          "stretches",
          `${table}, item ${item_id}`,
          `outside of all batches, with batch_num ${batch_num}`,
          "in the stretch of its batch"
        )
      }
    }
  })
