import { Effect } from "effect"
import type { AuditStep, AuditSnapshot } from "./_audit_snapshot.ts"

/*
 * Blocks in their order, and the marks that they carry: how far every list reached when the block had been written. What came with a block
 * is found between the mark of the block before and its own, since item ids grow with the blocks.
 */

const nexts = [
  "next_account",
  "next_exit",
  "next_transaction",
  "next_batch",
  "next_bid",
  "next_token",
  "next_coordinator"
] as const
const lasts = ["last_batch_num", "last_account_index", "last_token_id"] as const
type Mark = typeof nexts[number] | typeof lasts[number]

type BlockRow = {
  readonly number: string
  readonly timestamp_ms: bigint
  readonly last_ethereum_block: string
} & { readonly [mark in Mark]: bigint }

const blocksAtOnce = 2000
const blocksStatement = `
SELECT number::text AS number, timestamp_ms, last_ethereum_block::text AS last_ethereum_block, ${
  [...nexts, ...lasts].join(", ")
}
FROM block WHERE block.number > $1::numeric ORDER BY block.number LIMIT ${blocksAtOnce}`

/** Rows of a table by the block that they came with: the first item of each, and the marks that they lead to. */
interface Source {
  readonly rows: string
  readonly block: string
  readonly item: string
  /** Which mark tells where the rows of a block begin. */
  readonly by: typeof nexts[number]
  readonly marks: { readonly [mark in Mark]?: string }
}

const dated = (table: string, by: typeof nexts[number], marks: Source["marks"] = {}): Source => ({
  rows: `${table} AS r`,
  block: "r.ethereum_block_num",
  item: "r.item_id",
  by,
  marks: { [by]: "max(r.item_id) + 1", ...marks }
})

const sources: ReadonlyArray<Source> = [
  dated("bid", "next_bid"),
  dated("coordinator", "next_coordinator"),
  dated("token", "next_token", { last_token_id: "max(r.token_id)" }),
  dated("queued_transaction", "next_transaction"),
  dated("batch", "next_batch", {
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

const sourceStatement = ({ block, item, marks, rows }: Source): string => `
SELECT ${block}::text AS number, min(${item}) AS first_item, ${
  Object.entries(marks).map(([mark, value]) => `${value} AS ${mark}`).join(", ")
}
FROM ${rows} WHERE ${item} >= $1::bigint AND ${item} < $2::bigint GROUP BY ${block}`
const statements = sources.map((source) => ({ ...source, statement: sourceStatement(source) }))

/** Lists whose rows must not lie behind the last block. */
const endings = [
  ["account", "next_account"],
  ["exit", "next_exit"],
  ["transaction", "next_transaction"],
  ["queued_transaction", "next_transaction"],
  ["batch", "next_batch"],
  ["bid", "next_bid"],
  ["token", "next_token"],
  ["coordinator", "next_coordinator"]
] as const

export const auditBlocks = ({ advance, findings, rows }: AuditSnapshot): AuditStep =>
  Effect.gen(function*() {
    const [size] = yield* rows<{ readonly blocks: bigint }>("SELECT count(*) AS blocks FROM block")
    let before: BlockRow | undefined
    let seen = 0
    for (;;) {
      const blocks: ReadonlyArray<BlockRow> = yield* rows<BlockRow>(
        blocksStatement,
        before?.number ?? "-1"
      )
      if (blocks.length === 0) break
      // the genesis block has no rows before it, but ether and the first variables
      const from = before ?? blocks[0]!
      const marks = yield* marksWithin(rows, from, blocks.at(-1)!)
      for (const block of blocks) {
        if (before !== undefined) compare(block, before, marks.get(block.number), findings)
        marks.delete(block.number)
        before = block
      }
      for (const [number, { rows }] of marks) {
        findings.violate(
          "block-marks",
          `${rows}, rows of block ${number}`,
          "between the marks of other blocks",
          "between those of its own"
        )
      }
      findings.checked("blocks", blocks.length)
      findings.checked("block-marks", blocks.length)
      seen += blocks.length
      yield* advance(blocks.length, seen / Number(size!.blocks))
    }
    if (before === undefined) return
    const [ledger] = yield* rows<{ readonly [mark in typeof nexts[number]]: bigint }>(
      `SELECT ${nexts.join(", ")} FROM ledger`
    )
    for (const mark of nexts) {
      const given = ledger?.[mark]
      if (given !== undefined && given < before[mark]) {
        findings.violate(
          "standing",
          `ledger, ${mark}`,
          given,
          `${before[mark]} or more, which block ${before.number} reached`
        )
      }
    }
    for (const [table, mark] of endings) {
      const behind = yield* rows<{ readonly item_id: bigint }>(
        `SELECT item_id FROM ${table} WHERE item_id >= $1::bigint OR item_id < 1 ORDER BY item_id LIMIT 20`,
        `${before[mark]}`
      )
      for (const { item_id } of behind) {
        findings.violate(
          "block-marks",
          `${table}, item ${item_id}`,
          "a row",
          `none from ${before[mark]} on, which the last block reached`
        )
      }
    }
  })

interface Reached {
  readonly rows: string
  /** By the mark that they begin at. */
  readonly firsts: Map<typeof nexts[number], bigint>
  readonly marks: Map<Mark, bigint>
}

const marksWithin = (rows: AuditSnapshot["rows"], from: BlockRow, to: BlockRow) =>
  Effect.gen(function*() {
    const reached = new Map<string, Reached>()
    for (const { by, marks, rows: name, statement } of statements) {
      const groups = yield* rows<
        & { readonly number: string; readonly first_item: bigint }
        & { readonly [mark in Mark]?: bigint | null }
      >(statement, `${from[by]}`, `${to[by]}`)
      for (const group of groups) {
        const found = reached.get(group.number) ??
          { rows: name, firsts: new Map(), marks: new Map() }
        reached.set(group.number, found)
        found.firsts.set(by, least(found.firsts.get(by), group.first_item))
        for (const mark of Object.keys(marks) as ReadonlyArray<Mark>) {
          const value = group[mark]
          if (value !== null && value !== undefined) {
            found.marks.set(mark, greatest(found.marks.get(mark), value))
          }
        }
      }
    }
    return reached
  })

const least = (a: bigint | undefined, b: bigint): bigint => a === undefined || b < a ? b : a
const greatest = (a: bigint | undefined, b: bigint): bigint => a === undefined || b > a ? b : a

function compare(
  block: BlockRow,
  before: BlockRow,
  reached: Reached | undefined,
  findings: AuditSnapshot["findings"]
): void {
  const place = `block ${block.number}`
  findings.same("blocks", place, block.number, `${BigInt(before.number) + 1n}`)
  if (block.timestamp_ms < before.timestamp_ms) {
    findings.violate(
      "blocks",
      `${place}, timestamp_ms`,
      block.timestamp_ms,
      `${before.timestamp_ms} or more, the time of the block before`
    )
  }
  const known = [before.last_ethereum_block, block.number].map(BigInt).reduce(greatest)
  if (BigInt(block.last_ethereum_block) < known) {
    findings.violate(
      "blocks",
      `${place}, last_ethereum_block`,
      block.last_ethereum_block,
      `${known} or more`
    )
  }
  for (const mark of [...nexts, ...lasts]) {
    const value = reached?.marks.get(mark)
    if (value !== undefined) findings.same("block-marks", `${place}, ${mark}`, block[mark], value)
    // item ids are never given back: after a rollback the next ones begin higher
    else if (mark.startsWith("last_") ? block[mark] !== before[mark] : block[mark] < before[mark]) {
      findings.violate(
        "block-marks",
        `${place}, ${mark}`,
        block[mark],
        `${before[mark]}, as before it`
      )
    }
  }
  for (const [mark, first] of reached?.firsts ?? []) {
    if (first < before[mark]) {
      findings.violate(
        "block-marks",
        `${place}, ${mark}`,
        first,
        `no row below ${before[mark]}, which the block before reached`
      )
    }
  }
}
