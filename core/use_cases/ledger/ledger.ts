import { Effect, Result, Context, Layer, Schema } from "effect"
import {
  type BlockFeed,
  type FeedRecord,
  GenesisFeed,
  type HeadFeed,
  PriceFeed
} from "../../domain/mod.ts"
import {
  type BlockReport,
  LedgerWriter,
  measure,
  type StoreFailure,
  type PriorLedger,
  type SnapshotId,
  type RollBackReport
} from "../../ports/mod.ts"
import type { Keccak256 } from "../../encoding/mod.ts"
import {
  checkPrices,
  decideHead,
  decideOwnBlockWithChecks,
  readBlock,
  readHead,
  resultOf,
  type SlowChecks
} from "../block/mod.ts"
import {
  type BlockViolation,
  boundaryDecoder,
  invalidShape,
  makeViolation
} from "../violation/mod.ts"
import { WriteCounts } from "./_write_counts.ts"

/**
 * Returns the last block and the head of the ledger as the writer sees them: where a feed continues.
 * With a shared store it waits until this process is the writer.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { feedPosition } from "rollup-node-api"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const store = Memory.layer(simulate({ seed: 1 }).genesis)
 * const { head, lastBlock } = await Effect.runPromise(Effect.provide(feedPosition, store))
 * console.log(lastBlock.number, head) // => 18000000n null
 * ```
 */
export const feedPosition: Effect.Effect<FeedPosition, StoreFailure, LedgerWriter> = Effect.flatMap(
  LedgerWriter,
  (writer) =>
    // the check of a write gets the last block, and refuses the write
    writer.setPrices([], ({ head, lastBlock }) => Result.fail({ position: { head, lastBlock } }))
      .pipe(
        Effect.flip,
        Effect.orDie,
        Effect.flatMap((refused) =>
          "position" in refused ? Effect.succeed(refused.position) : Effect.fail(refused)
        )
      )
)

/** The last block of a ledger, and the last head; see `PriorLedger`. */
export type FeedPosition = Pick<PriorLedger, "head" | "lastBlock">

/** The result of one record of a feed; a genesis record changes nothing. */
export type RecordReport =
  | { readonly kind: "genesis" }
  | { readonly kind: "block" } & BlockReport
  | { readonly kind: "rollBack" } & RollBackReport
  | { readonly kind: "prices"; readonly snapshotId: SnapshotId }
  | { readonly kind: "head"; readonly snapshotId: SnapshotId }

type WriteEffect<Report> = Effect.Effect<Report, BlockViolation | StoreFailure>

/**
 * Writes the ledger. Each call is checked and stored in one transaction, or fails and stores
 * nothing.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Ledger } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const layer = Layer.provide(Ledger.layer(genesis, keccak256), Memory.layer(genesis))
 * const rollBack = Effect.flatMap(Ledger, (ledger) => ledger.rollBack(1n))
 * const failure = await Effect.runPromise(Effect.provide(Effect.flip(rollBack), layer))
 * if (failure._tag === "BlockViolation") console.log(failure.invariant) // => roll-back-block
 * ```
 */
export class Ledger extends Context.Service<Ledger, {
  /** Applies a block. If the ledger has stored the block, it changes nothing. */
  readonly applyBlock: (block: BlockFeed) => WriteEffect<BlockReport>
  /**
   * Removes every block above `toBlock`, and a head above it: the number of the genesis block or a greater one, whether
   * that block is stored, in a gap or above the last block. So a repeated call changes nothing.
   */
  readonly rollBack: (toBlock: bigint) => WriteEffect<RollBackReport>
  /** Sets prices. A rollback of the last block restores the previous ones. */
  readonly setPrices: (prices: ReadonlyArray<PriceFeed>) => WriteEffect<SnapshotId>
  /**
   * Replaces the head: how far the writer is synchronised, and how far the chain is. A rollback to a
   * block below the head removes it.
   */
  readonly setHead: (head: HeadFeed) => WriteEffect<SnapshotId>
  /** Applies one record of a feed. A genesis record must equal the one that the ledger has. */
  readonly applyRecord: (record: FeedRecord) => WriteEffect<RecordReport>
}>()("rollup/core/Ledger") {
  /**
   * Returns the ledger of the network of `genesis`. An invalid genesis record is a defect with a
   * `BlockViolation` as its cause.
   */
  static readonly layer = (
    genesis: GenesisFeed,
    keccak256: Keccak256,
    options: LedgerOptions = {}
  ): Layer.Layer<Ledger, never, LedgerWriter> =>
    Layer.effect(
      Ledger,
      Effect.gen(function*() {
        const ownGenesis = yield* Effect.orDie(Effect.fromResult(readGenesis(genesis)))
        const counts = new WriteCounts()
        yield* measure(...counts.series)
        return Ledger.of(make(yield* LedgerWriter, ownGenesis, keccak256, options, counts))
      })
    )
}

/**
 * The options of `Ledger.layer`: the slow checks of a block before it is stored. Without them only
 * the form of exit proofs and state roots is checked, and each exit needs its proof.
 */
export type LedgerOptions = SlowChecks

function make(
  writer: LedgerWriter["Service"],
  genesis: GenesisFeed,
  keccak256: Keccak256,
  checks: LedgerOptions,
  counts: WriteCounts
): Ledger["Service"] {
  const rules = { constants: genesis.constants, keccak256 }
  const applyOwn = (block: BlockFeed) =>
    writer.apply(block, decideOwnBlockWithChecks(rules, checks, block))
  const applyBlock = (input: BlockFeed): WriteEffect<BlockReport> =>
    counts.count(
      "block",
      withValidInput(() => readBlock(input), applyOwn),
      ({ applied }) => !applied
    )
  const rollBack = (toBlock: bigint): WriteEffect<RollBackReport> =>
    counts.count(
      "rollBack",
      withValidInput(() => readBlockNumber(toBlock), (number) =>
        writer.rollBack(number, decideRollBack(genesis.block.number, number)))
    )
  const setPrices = (input: ReadonlyArray<PriceFeed>): WriteEffect<SnapshotId> =>
    counts.count(
      "prices",
      withValidInput(() => readPrices(input, "/prices"), (prices) =>
        writer.setPrices(prices, decidePrices(prices)))
    )
  const setHead = (input: HeadFeed): WriteEffect<SnapshotId> =>
    counts.count(
      "head",
      withValidInput(() => readHead(input), (head) =>
        writer.setHead(head, decideHead(genesis.constants.auction, head)))
    )
  const applyRecord = (record: FeedRecord): WriteEffect<RecordReport> => {
    switch (record?.kind) {
      case "genesis":
        return withValidInput(
          () => checkGenesis(genesis, record.genesis),
          () => Effect.succeed({ kind: record.kind })
        )
      case "block":
        return Effect.map(applyBlock(record.block), (report) => ({ kind: record.kind, ...report }))
      case "rollBack":
        return Effect.map(rollBack(record.toBlock), (report) => ({ kind: record.kind, ...report }))
      case "prices":
        return Effect.map(
          setPrices(record.prices),
          (snapshotId) => ({ kind: record.kind, snapshotId })
        )
      case "head":
        return Effect.map(setHead(record.head), (snapshotId) => ({ kind: record.kind, snapshotId }))
      default:
        return Effect.fail(
          invalidShape(
            (record as FeedRecord | null | undefined)?.kind,
            "genesis, block, rollBack, prices or head",
            "/kind"
          )
        )
    }
  }
  return { applyBlock, rollBack, setPrices, setHead, applyRecord }
}

/**
 * Copies and validates the input when the write starts, so that the store gets valid data that the
 * caller can no longer change.
 */
const withValidInput = <A, Report, E>(
  read: () => Result.Result<A, BlockViolation>,
  write: (own: A) => Effect.Effect<Report, E>
): Effect.Effect<Report, BlockViolation | E> =>
  Effect.suspend(() => Effect.flatMap(Effect.fromResult(read()), write))

const readPrices = boundaryDecoder(Schema.Array(PriceFeed))

/** Checks only the type: the ledger knows whether the block exists. */
const readBlockNumber = (toBlock: unknown): Result.Result<bigint, BlockViolation> =>
  typeof toBlock === "bigint"
    ? Result.succeed(toBlock)
    : Result.fail(invalidShape(toBlock, "a bigint, the number of a block", "/toBlock"))

/**
 * Returns a check of prices for `LedgerWriter.setPrices`: it fails with a `BlockViolation` if a
 * price is for a token that is not registered. It reads only these tokens from the ledger.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { decidePrices } from "rollup-node-api"
 * import { openMemoryLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { base } = openMemoryLedger({ genesis: simulate({ seed: 1 }).genesis })
 * const price = { tokenId: 7, priceUSD: 1, timeMs: 1_700_000_000_000 }
 * const check = decidePrices([price])(base)
 * if (Result.isFailure(check)) console.log(check.failure.invariant, check.failure.pointer)
 * // => token-exists /prices/0/tokenId
 * ```
 */
export const decidePrices =
  (prices: ReadonlyArray<PriceFeed>) => (prior: PriorLedger): Result.Result<void, BlockViolation> =>
    resultOf(checkPrices(prices, prior.token))

/**
 * Returns a check of a rollback for `LedgerWriter.rollBack`: it fails with a `BlockViolation` if
 * `toBlock` is below the genesis block. The block need not be stored: if the answer to a rollback
 * into a gap was lost, the repeated one names a block above the last one.
 *
 * @example
 * ```ts
 * import { Result } from "effect"
 * import { decideRollBack } from "rollup-node-api"
 *
 * const check = decideRollBack(100n, 99n)()
 * if (Result.isFailure(check)) console.log(check.failure.invariant) // => roll-back-block
 * ```
 */
export const decideRollBack =
  (genesisBlock: bigint, toBlock: bigint) => (): Result.Result<void, BlockViolation> =>
    resultOf(
      toBlock >= genesisBlock && toBlock <= blockNumberMax
        ? undefined
        : makeViolation(
          "roll-back-block",
          toBlock,
          `a block from ${genesisBlock}, the genesis block, to ${blockNumberMax}`,
          "/toBlock"
        )
    )

const blockNumberMax = (1n << 64n) - 1n

const encode = Schema.encodeSync(Schema.toCodecJson(GenesisFeed))
const read = boundaryDecoder(GenesisFeed)

/**
 * Returns a copy of the genesis record, or a violation if it does not have the shape that the feed
 * defines.
 */
const readGenesis = (input: GenesisFeed): Result.Result<GenesisFeed, BlockViolation> =>
  read(input, "/genesis")

/** Checks that the genesis record of a feed equals the one that the ledger was opened with. */
const checkGenesis = (
  opened: GenesisFeed,
  input: GenesisFeed
): Result.Result<void, BlockViolation> =>
  Result.flatMap(
    readGenesis(input),
    (genesis) => resultOf(difference(encode(opened), encode(genesis), "/genesis"))
  )

function difference(
  expected: Schema.Json | undefined,
  actual: Schema.Json | undefined,
  pointer: string
): BlockViolation | undefined {
  if (isTree(expected) && isTree(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const inner = difference(expected[key], actual[key], `${pointer}/${key}`)
      if (inner !== undefined) return inner
    }
    return undefined
  }
  return expected === actual
    ? undefined
    : makeViolation(
      "genesis",
      textOf(actual),
      `${textOf(expected)}, the genesis of this ledger`,
      pointer
    )
}

const textOf = (json: Schema.Json | undefined): string =>
  json === undefined ? "nothing" : typeof json === "string" ? json : JSON.stringify(json)

/** Returns whether the value is an object or an array: both are read by key. */
const isTree = (json: Schema.Json | undefined): json is { readonly [key: string]: Schema.Json } =>
  typeof json === "object" && json !== null
