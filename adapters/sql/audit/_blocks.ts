import { Effect } from "effect"
import { type AuditSnapshot, type AuditStep, reportViolations } from "./_audit_snapshot.ts"

/*
 * The row of a block has *marks*: the next item id of each list and the last ids after the block.
 * Item ids ascend with the blocks, so the rows that came with a block are between the marks of the
 * previous block and its own.
 */

const nextMarks = [
  "next_account",
  "next_exit",
  "next_transaction",
  "next_batch",
  "next_bid",
  "next_token",
  "next_coordinator"
] as const
const lastMarks = ["last_batch_num", "last_account_index", "last_token_id"] as const
type Mark = typeof nextMarks[number] | typeof lastMarks[number]

type BlockRow = {
  readonly number: string
  readonly timestamp_ms: bigint
  readonly last_ethereum_block: string
  readonly previous: string
} & { readonly [mark in Mark]: bigint }

const blocksAtOnce = 2000
const blocksStatement = `
SELECT number::text AS number, timestamp_ms, last_ethereum_block::text AS last_ethereum_block,
  coalesce(previous_after_gap, number - 1)::text AS previous, ${
  [...nextMarks, ...lastMarks].join(", ")
}
FROM block WHERE block.number > $1::numeric ORDER BY block.number LIMIT ${blocksAtOnce}`

/**
 * SQL for the rows of a table by the block that they came with, and for the marks that they imply.
 */
interface MarkSource {
  readonly rows: string
  readonly block: string
  readonly item: string
  /** The mark of the previous block from which the rows of a block begin. */
  readonly by: typeof nextMarks[number]
  readonly marks: { readonly [mark in Mark]?: string }
}

/** The source of a table that has the number of the block in each row. */
const sourceWithBlock = (
  table: string,
  by: typeof nextMarks[number],
  marks: MarkSource["marks"] = {}
): MarkSource => ({
  rows: `${table} AS r`,
  block: "r.ethereum_block_num",
  item: "r.item_id",
  by,
  marks: { [by]: "max(r.item_id) + 1", ...marks }
})

const sources: ReadonlyArray<MarkSource> = [
  sourceWithBlock("bid", "next_bid"),
  sourceWithBlock("coordinator", "next_coordinator"),
  sourceWithBlock("token", "next_token", { last_token_id: "max(r.token_id)" }),
  sourceWithBlock("queued_transaction", "next_transaction"),
  sourceWithBlock("batch", "next_batch", {
    last_batch_num: "max(r.batch_num)",
    next_exit: "max(r.exits_to) FILTER (WHERE r.exits_to > r.exits_from)",
    next_transaction:
      "max(r.transactions_to) FILTER (WHERE r.transactions_to > r.transactions_from)"
  }),
  {
    rows: "account AS r JOIN batch ON batch.batch_num = r.batch_num",
    block: "batch.ethereum_block_num",
    item: "r.item_id",
    by: "next_account",
    marks: { next_account: "max(r.item_id) + 1", last_account_index: "max(r.account_index)" }
  }
]

const sourceStatement = ({ block, item, marks, rows }: MarkSource): string => `
SELECT ${block}::text AS number, min(${item}) AS first_item, ${
  Object.entries(marks).map(([mark, value]) => `${value} AS ${mark}`).join(", ")
}
FROM ${rows} WHERE ${item} >= $1::bigint AND ${item} < $2::bigint GROUP BY ${block}`
const sourceStatements = sources.map((source) => ({
  ...source,
  statement: sourceStatement(source)
}))

/** Tables, and the mark of the last block that their item ids must be less than. */
const tableEnds = [
  ["account", "next_account"],
  ["exit", "next_exit"],
  ["transaction", "next_transaction"],
  ["queued_transaction", "next_transaction"],
  ["batch", "next_batch"],
  ["bid", "next_bid"],
  ["token", "next_token"],
  ["coordinator", "next_coordinator"]
] as const

/** Blocks with another number of queued transactions than up to them. */
const wrongQueued = `
SELECT 'block ' || number || ', total_queued' AS place, total_queued::text AS found, expected::text AS expected FROM (
  SELECT block.number, block.total_queued, sum(coalesce(queued.transactions, 0)) OVER (ORDER BY block.number) AS expected
  FROM block LEFT JOIN (
    SELECT ethereum_block_num, count(*) AS transactions FROM queued_transaction GROUP BY ethereum_block_num
  ) AS queued ON queued.ethereum_block_num = block.number
) AS counted WHERE total_queued <> expected`

/** Checks the blocks in order, and their marks against the rows of the other tables. */
export const auditBlocks = (snapshot: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    const { advance, findings, rows } = snapshot
    yield* reportViolations(snapshot, "block-marks", wrongQueued)
    const [size] = yield* rows<{ readonly blocks: bigint }>("SELECT count(*) AS blocks FROM block")
    let before: BlockRow | undefined
    let checked = 0
    for (;;) {
      const blocks: ReadonlyArray<BlockRow> = yield* rows<BlockRow>(
        blocksStatement,
        before?.number ?? "-1"
      )
      if (blocks.length === 0) break
      // the genesis block is compared with nothing: it has only ether and the first variables
      const from = before ?? blocks[0]!
      const marks = yield* impliedMarks(rows, from, blocks.at(-1)!)
      for (const block of blocks) {
        if (before !== undefined) compareMarks(block, before, marks.get(block.number), findings)
        marks.delete(block.number)
        before = block
      }
      for (const [number, { rows }] of marks) {
        findings.violate(
          "block-marks",
          `${rows}, rows of block ${number}`,
          "in the range of another block",
          "in the range of its own block"
        )
      }
      findings.checked("blocks", blocks.length)
      findings.checked("block-marks", blocks.length)
      checked += blocks.length
      yield* advance(blocks.length, checked / Number(size!.blocks))
    }
    if (before === undefined) return
    const [ledger] = yield* rows<{ readonly [mark in typeof nextMarks[number]]: bigint }>(
      `SELECT ${nextMarks.join(", ")} FROM ledger`
    )
    for (const mark of nextMarks) {
      const next = ledger?.[mark]
      if (next !== undefined && next < before[mark]) {
        findings.violate(
          "standing",
          `ledger, ${mark}`,
          next,
          `${before[mark]} or more, the value of block ${before.number}`
        )
      }
    }
    for (const [table, mark] of tableEnds) {
      const strays = yield* rows<{ readonly item_id: bigint }>(
        `SELECT item_id FROM ${table} WHERE item_id >= $1::bigint OR item_id < 1 ORDER BY item_id LIMIT 20`,
        `${before[mark]}`
      )
      for (const { item_id } of strays) {
        findings.violate(
          "block-marks",
          `${table}, item ${item_id}`,
          "a row",
          `none from ${before[mark]} on, the value of the last block`
        )
      }
    }
  })

/** The marks of a block that follow from the rows that came with it. */
interface ImpliedMarks {
  /** Name of the first source with such rows. */
  readonly rows: string
  /** The first item ids of the rows, by the mark of the previous block from which they begin. */
  readonly firsts: Map<typeof nextMarks[number], bigint>
  readonly marks: Map<Mark, bigint>
}

/** Returns the implied marks by the number of the block, for the blocks after `from` up to `to`. */
const impliedMarks = (rows: AuditSnapshot["rows"], from: BlockRow, to: BlockRow) =>
  Effect.gen(function*() {
    const byBlock = new Map<string, ImpliedMarks>()
    for (const { by, marks, rows: name, statement } of sourceStatements) {
      const groups = yield* rows<
        & { readonly number: string; readonly first_item: bigint }
        & { readonly [mark in Mark]?: bigint | null }
      >(statement, `${from[by]}`, `${to[by]}`)
      for (const group of groups) {
        const implied = byBlock.get(group.number) ??
          { rows: name, firsts: new Map(), marks: new Map() }
        byBlock.set(group.number, implied)
        implied.firsts.set(by, least(implied.firsts.get(by), group.first_item))
        for (const mark of Object.keys(marks) as ReadonlyArray<Mark>) {
          const value = group[mark]
          if (value !== null && value !== undefined) {
            implied.marks.set(mark, greatest(implied.marks.get(mark), value))
          }
        }
      }
    }
    return byBlock
  })

const least = (a: bigint | undefined, b: bigint): bigint => a === undefined || b < a ? b : a
const greatest = (a: bigint | undefined, b: bigint): bigint => a === undefined || b > a ? b : a

function compareMarks(
  block: BlockRow,
  before: BlockRow,
  implied: ImpliedMarks | undefined,
  findings: AuditSnapshot["findings"]
): void {
  const place = `block ${block.number}`
  findings.same("blocks", `${place}, previous block`, before.number, block.previous)
  if (block.timestamp_ms < before.timestamp_ms) {
    findings.violate(
      "blocks",
      `${place}, timestamp_ms`,
      block.timestamp_ms,
      `${before.timestamp_ms} or more, the time of the previous block`
    )
  }
  const lowest = [before.last_ethereum_block, block.number].map(BigInt).reduce(greatest)
  if (BigInt(block.last_ethereum_block) < lowest) {
    findings.violate(
      "blocks",
      `${place}, last_ethereum_block`,
      block.last_ethereum_block,
      `${lowest} or more`
    )
  }
  for (const mark of [...nextMarks, ...lastMarks]) {
    const value = implied?.marks.get(mark)
    if (value !== undefined) findings.same("block-marks", `${place}, ${mark}`, block[mark], value)
    // a block without rows keeps the marks, but next ids may grow: a rollback does not free item
    // ids
    else if (mark.startsWith("last_") ? block[mark] !== before[mark] : block[mark] < before[mark]) {
      findings.violate(
        "block-marks",
        `${place}, ${mark}`,
        block[mark],
        `${before[mark]}, as before it`
      )
    }
  }
  for (const [mark, first] of implied?.firsts ?? []) {
    if (first < before[mark]) {
      findings.violate(
        "block-marks",
        `${place}, ${mark}`,
        first,
        `no row below ${before[mark]}, the value of the previous block`
      )
    }
  }
}
