import type { BatchChanges, BlockChanges, New, Transaction } from "../../core/domain/mod.ts"

/*
 * The changes of a block as text. Reading it is several times as fast as checking the block again.
 * Account updates and transactions are tuples that refer to a table of strings. The rest is JSON
 * with `{"$":"123"}` for bigints. The text is a cache: another version of it is not read.
 */

const version = 2

/** Returns the changes as text; undefined if they contain NaN or an infinite number. */
export function packChanges({ batches, ...rest }: BlockChanges): string | undefined {
  try {
    const strings = new StringTable()
    const packed = batches.map((batch) => packBatch(batch, strings))
    return JSON.stringify([version, strings.all, encodeValue(rest), packed])
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Returns the changes of a text; undefined if it has another version. */
export function unpackChanges(text: string): BlockChanges | undefined {
  const [textVersion, strings, rest, batches] = JSON.parse(text) as [
    number,
    ReadonlyArray<string>,
    unknown,
    ReadonlyArray<PackedBatch>
  ]
  if (textVersion !== version) return undefined
  return {
    ...decodeValue(rest) as Omit<BlockChanges, "batches">,
    batches: batches.map((batch) => unpackBatch(batch, strings))
  }
}

type Update = [index: number, nonce: string, balance: string]
type Row = [
  id: string,
  type: number,
  position: number,
  fromAccountIndex: number | null,
  fromAddress: number,
  fromPublicKey: number,
  toAccountIndex: number,
  toAddress: number,
  toPublicKey: number,
  tokenId: number,
  amount: string,
  historicUSD: number | null,
  timestampMs: number,
  l1: unknown,
  fee: number,
  historicFeeUSD: number | null,
  nonce: string
]
type PackedBatch = [rest: unknown, updates: ReadonlyArray<Update>, rows: ReadonlyArray<Row>]

function packBatch(
  { accountUpdates, transactions, ...rest }: BatchChanges,
  strings: StringTable
): PackedBatch {
  return [
    encodeValue(rest),
    accountUpdates.map((
      { balance, index, nonce }
    ): Update => [index, String(nonce), String(balance)]),
    transactions.map((row): Row => [
      row.id,
      strings.indexOf(row.type),
      row.position,
      row.fromAccountIndex,
      strings.indexOf(row.fromAddress),
      strings.indexOf(row.fromPublicKey),
      row.toAccountIndex,
      strings.indexOf(row.toAddress),
      strings.indexOf(row.toPublicKey),
      row.tokenId,
      String(row.amount),
      finite(row.historicUSD),
      row.timestampMs,
      row.l1 === null ? null : encodeValue(row.l1),
      row.l2?.fee ?? noFee,
      finite(row.l2?.historicFeeUSD ?? null),
      String(row.l2?.nonce ?? "")
    ])
  ]
}

function unpackBatch(
  [packed, updates, rows]: PackedBatch,
  strings: ReadonlyArray<string>
): BatchChanges {
  const rest = decodeValue(packed) as Omit<BatchChanges, "accountUpdates" | "transactions">
  const { batchNum } = rest.batch
  return {
    ...rest,
    accountUpdates: updates.map(([index, nonce, balance]) => ({
      index,
      nonce: BigInt(nonce),
      balance: BigInt(balance)
    })),
    transactions: rows.map((row): New<Transaction> => ({
      id: row[0],
      type: strings[row[1]] as Transaction["type"],
      position: row[2],
      fromAccountIndex: row[3],
      fromAddress: strings[row[4]] ?? null,
      fromPublicKey: strings[row[5]] ?? null,
      toAccountIndex: row[6],
      toAddress: strings[row[7]] ?? null,
      toPublicKey: strings[row[8]] ?? null,
      tokenId: row[9],
      amount: BigInt(row[10]),
      batchNum,
      historicUSD: row[11],
      timestampMs: row[12],
      l1: row[13] === null ? null : decodeValue(row[13]) as Transaction["l1"],
      l2: row[14] === noFee
        ? null
        : { fee: row[14], historicFeeUSD: row[15], nonce: BigInt(row[16]) }
    }))
  }
}

/** The fee of a transaction that is not an L2 transaction. */
const noFee = -1

/** Assigns indexes to strings that occur often. */
class StringTable {
  /** The strings by index. */
  readonly all: Array<string> = []
  readonly #indexes = new Map<string, number>()

  /** Returns the index of a string; −1 for null. */
  indexOf(text: string | null): number {
    if (text === null) return -1
    let index = this.#indexes.get(text)
    if (index === undefined) {
      index = this.all.push(text) - 1
      this.#indexes.set(text, index)
    }
    return index
  }
}

/** Throws a `RangeError` for NaN and infinite numbers, which JSON cannot represent. */
const finite = (value: number | null): number | null => {
  if (value !== null && !Number.isFinite(value)) {
    throw new RangeError(`${value} cannot be written as JSON`)
  }
  return value
}

function encodeValue(value: unknown): unknown {
  if (typeof value === "bigint") return { $: String(value) }
  if (typeof value === "number") return finite(value)
  if (Array.isArray(value)) return value.map(encodeValue)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, encodeValue(member)])
  )
}

function decodeValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeValue)
  if (typeof value !== "object" || value === null) return value
  if ("$" in value) return BigInt(value.$ as string)
  const decoded: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) decoded[name] = decodeValue(member)
  return decoded
}
