import type { BatchChanges, BlockChanges, New, Transaction } from "../../core/domain/mod.ts"

/*
 * What was decided about a block, as text that is read back several times faster than the block is decided anew. Lists of which there are
 * many are tuples with their strings kept once; the rest is JSON with `{"$":"123"}` for bigints. It is a cache: what has another version
 * is not read.
 */

const VERSION = 1

/** Undefined where a number would not come back as it is. */
export function packChanges({ batches, ...others }: BlockChanges): string | undefined {
  try {
    const names = new Names()
    const packed = batches.map((batch) => packBatch(batch, names))
    return JSON.stringify([VERSION, names.all, plain(others), packed])
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Undefined where the text has another version. */
export function unpackChanges(text: string): BlockChanges | undefined {
  const [version, names, others, batches] = JSON.parse(text) as [
    number,
    ReadonlyArray<string>,
    unknown,
    ReadonlyArray<PackedBatch>
  ]
  if (version !== VERSION) return undefined
  return {
    ...rich(others) as Omit<BlockChanges, "batches">,
    batches: batches.map((batch) => unpackBatch(batch, names))
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
type PackedBatch = [others: unknown, updates: ReadonlyArray<Update>, rows: ReadonlyArray<Row>]

function packBatch(
  { accountUpdates, transactions, ...others }: BatchChanges,
  names: Names
): PackedBatch {
  return [
    plain(others),
    accountUpdates.map((
      { balance, index, nonce }
    ): Update => [index, String(nonce), String(balance)]),
    transactions.map((row): Row => [
      row.id,
      names.of(row.type),
      row.position,
      row.fromAccountIndex,
      names.of(row.fromAddress),
      names.of(row.fromPublicKey),
      row.toAccountIndex,
      names.of(row.toAddress),
      names.of(row.toPublicKey),
      row.tokenId,
      String(row.amount),
      exact(row.historicUSD),
      row.timestampMs,
      row.l1 === null ? null : plain(row.l1),
      row.l2?.fee ?? NO_FEE,
      exact(row.l2?.historicFeeUSD ?? null),
      String(row.l2?.nonce ?? "")
    ])
  ]
}

function unpackBatch(
  [packed, updates, rows]: PackedBatch,
  names: ReadonlyArray<string>
): BatchChanges {
  const others = rich(packed) as Omit<BatchChanges, "accountUpdates" | "transactions">
  const { batchNum } = others.batch
  return {
    ...others,
    accountUpdates: updates.map(([index, nonce, balance]) => ({
      index,
      nonce: BigInt(nonce),
      balance: BigInt(balance)
    })),
    transactions: rows.map((row): New<Transaction> => ({
      id: row[0],
      type: names[row[1]] as Transaction["type"],
      position: row[2],
      fromAccountIndex: row[3],
      fromAddress: names[row[4]] ?? null,
      fromPublicKey: names[row[5]] ?? null,
      toAccountIndex: row[6],
      toAddress: names[row[7]] ?? null,
      toPublicKey: names[row[8]] ?? null,
      tokenId: row[9],
      amount: BigInt(row[10]),
      batchNum,
      historicUSD: row[11],
      timestampMs: row[12],
      l1: row[13] === null ? null : rich(row[13]) as Transaction["l1"],
      l2: row[14] === NO_FEE
        ? null
        : { fee: row[14], historicFeeUSD: row[15], nonce: BigInt(row[16]) }
    }))
  }
}

const NO_FEE = -1

/** Strings that occur often, by their place in a list. */
class Names {
  readonly all: Array<string> = []
  readonly #places = new Map<string, number>()

  /** −1 for none. */
  of(name: string | null): number {
    if (name === null) return -1
    let place = this.#places.get(name)
    if (place === undefined) {
      place = this.all.push(name) - 1
      this.#places.set(name, place)
    }
    return place
  }
}

/** JSON knows neither infinities nor what is not a number. */
const exact = (value: number | null): number | null => {
  if (value !== null && !Number.isFinite(value)) {
    throw new RangeError(`${value} cannot be written as JSON`)
  }
  return value
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return { $: String(value) }
  if (typeof value === "number") return exact(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}

function rich(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rich)
  if (typeof value !== "object" || value === null) return value
  if ("$" in value) return BigInt(value.$ as string)
  const read: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) read[name] = rich(member)
  return read
}
