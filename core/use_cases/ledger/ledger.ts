import { Context, Effect, Layer, Result, Schema } from "effect"
import { type BlockFeed, type FeedRecord, type GenesisFeed, PriceFeed } from "../../domain/mod.ts"
import type { Keccak256 } from "../../encoding/mod.ts"
import {
  type LedgerView,
  LedgerWriter,
  type LedgerStamp,
  type RollBackReport,
  type StoreFailure
} from "../../ports/mod.ts"
import {
  checkPrices,
  decideWithDeferredProofs,
  decideOwnBlock,
  type ExitProofVerifier,
  readBlock
} from "../block/mod.ts"
import { type BlockViolation, invalidShape, boundaryDecoder, violation } from "../violation/mod.ts"
import { checkGenesis, readGenesis } from "./_genesis.ts"
import { WriteCounts } from "./_write_counts.ts"

/** What came of a block: `applied` is false where the ledger held it already. */
export interface BlockReport {
  readonly applied: boolean
  readonly stamp: LedgerStamp
}

/** What came of one record of a feed; a genesis record changes nothing. */
export type RecordReport =
  | { readonly kind: "genesis" }
  | { readonly kind: "block" } & BlockReport
  | { readonly kind: "rollBack" } & RollBackReport
  | { readonly kind: "prices"; readonly stamp: LedgerStamp }

type Writing<Report> = Effect.Effect<Report, BlockViolation | StoreFailure>

/** Writes the ledger: each call is checked as a whole, then stored as a whole or not at all. */
export class Ledger extends Context.Service<Ledger, {
  /** The same block twice is harmless. */
  readonly applyBlock: (block: BlockFeed) => Writing<BlockReport>
  /** Drops every block above `toBlock`, which is a block from the genesis block to the last one. */
  readonly rollBack: (toBlock: bigint) => Writing<RollBackReport>
  /** Prices that arrive between two blocks belong to the last one. */
  readonly setPrices: (prices: ReadonlyArray<PriceFeed>) => Writing<LedgerStamp>
  /** Does what one line of a feed says. */
  readonly applyRecord: (record: FeedRecord) => Writing<RecordReport>
}>()("rollup/core/Ledger") {
  /** The ledger of the network that `genesis` opens. A genesis that no feed could hold is a defect: the cause is a BlockViolation. */
  static readonly layer = (
    genesis: GenesisFeed,
    keccak256: Keccak256,
    options: LedgerOptions = {}
  ): Layer.Layer<Ledger, never, LedgerWriter> =>
    Layer.effect(
      Ledger,
      Effect.gen(function*() {
        const own = yield* Effect.orDie(Effect.fromResult(readGenesis(genesis)))
        const counts = new WriteCounts()
        yield* counts.measured
        return Ledger.of(make(yield* LedgerWriter, own, keccak256, options, counts))
      })
    )
}

export interface LedgerOptions {
  /** Computes exit proofs anew before their block is stored. Without it only their form is checked. */
  readonly verifyExitProofs?: ExitProofVerifier
}

function make(
  writer: LedgerWriter["Service"],
  genesis: GenesisFeed,
  keccak256: Keccak256,
  { verifyExitProofs }: LedgerOptions,
  counts: WriteCounts
): Ledger["Service"] {
  const rules = { constants: genesis.constants, keccak256 }
  const applyOwn = (block: BlockFeed) =>
    writer.apply(
      block,
      verifyExitProofs === undefined
        ? decideOwnBlock(rules, block)
        : decideWithDeferredProofs(rules, verifyExitProofs, block)
    )
  const applyBlock = (given: BlockFeed): Writing<BlockReport> =>
    counts.counted("block", reading(() => readBlock(given), applyOwn), ({ applied }) => !applied)
  const rollBack = (toBlock: bigint): Writing<RollBackReport> =>
    counts.counted(
      "rollBack",
      reading(() => readBlockNumber(toBlock), (number) =>
        writer.rollBack(number, (view) =>
          resultOf(checkRollBack(genesis.block.number, number, view))))
    )
  const setPrices = (given: ReadonlyArray<PriceFeed>): Writing<LedgerStamp> =>
    counts.counted(
      "prices",
      reading(() => readPrices(given, "/prices"), (prices) =>
        writer.setPrices(prices, decidePrices(prices)))
    )
  const applyRecord = (record: FeedRecord): Writing<RecordReport> => {
    switch (record?.kind) {
      case "genesis":
        return reading(
          () => resultOf(checkGenesis(genesis, record.genesis)),
          () => Effect.succeed({ kind: record.kind })
        )
      case "block":
        return Effect.map(applyBlock(record.block), (report) => ({ kind: record.kind, ...report }))
      case "rollBack":
        return Effect.map(rollBack(record.toBlock), (report) => ({ kind: record.kind, ...report }))
      case "prices":
        return Effect.map(setPrices(record.prices), (stamp) => ({ kind: record.kind, stamp }))
      default:
        return Effect.fail(
          invalidShape(
            (record as FeedRecord | null | undefined)?.kind,
            "genesis, block, rollBack or prices",
            "/kind"
          )
        )
    }
  }
  return { applyBlock, rollBack, setPrices, applyRecord }
}

/** Reads what a host hands over when the write starts, so that a store only sees what has its shape and nobody else can change. */
const reading = <A, Report, E>(
  read: () => Result.Result<A, BlockViolation>,
  write: (own: A) => Effect.Effect<Report, E>
): Effect.Effect<Report, BlockViolation | E> =>
  Effect.suspend(() => Effect.flatMap(Effect.fromResult(read()), write))

const readPrices = boundaryDecoder(Schema.Array(PriceFeed))

/** Whether the ledger holds it is seen in the ledger. */
const readBlockNumber = (toBlock: unknown): Result.Result<bigint, BlockViolation> =>
  typeof toBlock === "bigint"
    ? Result.succeed(toBlock)
    : Result.fail(invalidShape(toBlock, "a bigint, the number of a block", "/toBlock"))

/** Checks prices against the ledger: each is that of a registered token. Of the view it reads these tokens. */
export const decidePrices =
  (prices: ReadonlyArray<PriceFeed>) => (view: LedgerView): Result.Result<void, BlockViolation> =>
    resultOf(checkPrices(prices, view.token))

const resultOf = (violated: BlockViolation | undefined): Result.Result<void, BlockViolation> =>
  violated === undefined ? Result.void : Result.fail(violated)

function checkRollBack(
  first: bigint,
  toBlock: bigint,
  { lastBlock }: LedgerView
): BlockViolation | undefined {
  return toBlock >= first && toBlock <= lastBlock.number
    ? undefined
    : violation(
      "roll-back-block",
      toBlock,
      `a block from ${first} to ${lastBlock.number}`,
      "/toBlock"
    )
}
