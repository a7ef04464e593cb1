import { Effect } from "effect"
import type { EthereumBlock } from "../../../core/domain/mod.ts"
import type { LedgerBatch, LedgerBlock, LedgerHistory } from "../../../core/ports/mod.ts"
import {
  type AnswerStatement,
  answerStatement,
  firstColumn,
  type RowValues,
  type SqlAnswer,
  type Values
} from "../connection/mod.ts"
import { type BatchRow, batchRow, ethereumBlock, ledgerRow, rollBackRow } from "../entities/mod.ts"
import { answerOf, type OnVersion } from "./_run_query.ts"

/**
 * Returns the history port of a ledger. Each answer is one statement, and so one snapshot.
 *
 * @param onVersion is called with the version of each answer before it is returned
 */
export const makeLedgerHistory = (
  values: Values,
  onVersion: OnVersion = () => Effect.void
): LedgerHistory["Service"] => {
  const read = <A>(
    statement: AnswerStatement,
    parameters: ReadonlyArray<string>,
    decode: (answer: SqlAnswer) => A
  ) =>
    answerOf(values, { statement, parameters }).pipe(
      Effect.map((answer) => ({ ...decode(answer), snapshotId: answer.snapshotId })),
      Effect.tap(({ snapshotId }) => onVersion(snapshotId.version))
    )
  return {
    block: (number) =>
      read(blockStatement, [`${number}`], ({ rows }) => ({ item: blockOf(rows, number) })),
    rollBacks: ({ afterVersion, limit }) =>
      read(rollBacksStatement, [`${afterVersion}`, `${limit}`], ({ rows }) => ({
        items: rows.map((row) => rollBackRow.read(row, firstColumn))
      })),
    finalBlock: read(finalStatement, [], ({ rows: [row] }) => ({
      item: ledgerRow.read(row!, firstColumn).final
    }))
  }
}

/** The block with the number $1 with those before and after it, then its batches. */
const blockStatement = answerStatement({
  ctes: ["found AS MATERIALIZED (SELECT number FROM block WHERE number = $1::numeric LIMIT 1)"],
  rows: [
    {
      columns: ethereumBlock.select("r"),
      sources: [
        "= found.number",
        "< found.number ORDER BY number DESC",
        "> found.number ORDER BY number"
      ]
        .map((condition) => ({
          place: "0",
          from:
            `found CROSS JOIN LATERAL (SELECT * FROM block WHERE block.number ${condition} LIMIT 1) AS r`
        }))
    },
    {
      columns: batchRow.select("r"),
      sources: [{
        place: "r.batch_num",
        from: "found JOIN batch AS r ON r.ethereum_block_num = found.number"
      }]
    }
  ]
})

const batchColumn = firstColumn + ethereumBlock.columns.length

const blockOf = (rows: ReadonlyArray<RowValues>, number: bigint): LedgerBlock | null => {
  const isBatch = (row: RowValues): boolean => row[firstColumn] === null
  const blocks = rows.filter((row) => !isBatch(row))
    .map((row): EthereumBlock => ethereumBlock.read(row, firstColumn))
  const block = blocks.find((each) => each.number === number)
  return block === undefined ? null : {
    block,
    previous: blocks.find((each) => each.number < number) ?? null,
    next: blocks.find((each) => each.number > number) ?? null,
    batches: rows.filter(isBatch).map((row) => batchOf(batchRow.read(row, batchColumn)))
  }
}

/** The accounts without values before the batch are those that it created. */
const batchOf = (
  { balances, balancesBefore, batch, changedAccounts, nonces, noncesBefore }: BatchRow
): LedgerBatch => ({
  batch,
  accountChanges: changedAccounts.map((index, i) => ({
    index,
    before: i < noncesBefore.length
      ? { nonce: noncesBefore[i]!, balance: balancesBefore[i]! }
      : null,
    after: { nonce: nonces[i]!, balance: balances[i]! }
  }))
})

const rollBacksStatement = answerStatement({
  rows: [{
    columns: rollBackRow.select("r"),
    sources: [{
      place: "r.serial",
      from:
        "(SELECT * FROM rollback WHERE version > $1::bigint ORDER BY version LIMIT $2::bigint) AS r"
    }]
  }]
})

const finalStatement = answerStatement({
  rows: [{ columns: ledgerRow.select("r"), sources: [{ place: "0", from: "ledger AS r" }] }]
})
