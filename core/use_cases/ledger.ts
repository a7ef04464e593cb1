import { Context, Effect, Layer, Result, Schema } from "effect"
import { type BlockFeed, type FeedRecord, type GenesisFeed, PriceFeed } from "../domain/mod.ts"
import type { Keccak256 } from "../encoding/mod.ts"
import { type LedgerView, LedgerWriter, type LedgerStamp, type RollBackReport, type StoreFailure } from "../ports/mod.ts"
import { checkGenesis } from "./_genesis.ts"
import { shapeOf } from "./_shape.ts"
import { checkPrices } from "./_tokens.ts"
import { type BlockViolation, violation } from "./block_violation.ts"
import { decideBlock } from "./check_block.ts"

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
  /** The ledger of the network that `genesis` opens. */
  static readonly layer = (genesis: GenesisFeed, keccak256: Keccak256): Layer.Layer<Ledger, never, LedgerWriter> =>
    Layer.effect(Ledger, Effect.map(LedgerWriter, (writer) => Ledger.of(make(writer, genesis, keccak256))))
}

function make(writer: LedgerWriter["Service"], genesis: GenesisFeed, keccak256: Keccak256): Ledger["Service"] {
  const rules = { network: genesis.network, constants: genesis.constants, keccak256 }
  const applyBlock = (block: BlockFeed) => writer.apply(block, decideBlock(rules, block))
  const rollBack = (toBlock: bigint) =>
    writer.rollBack(toBlock, (view) => resultOf(checkRollBack(genesis.block.number, toBlock, view)))
  const setPrices = (prices: ReadonlyArray<PriceFeed>) =>
    writer.setPrices(prices, (view) => resultOf(checkPriceShapes(prices, "/prices") ?? checkPrices(prices, view.token)))
  const applyRecord = (record: FeedRecord): Writing<RecordReport> => {
    switch (record.kind) {
      case "genesis":
        return Effect.fromResult(Result.map(resultOf(checkGenesis(genesis, record.genesis)), () => ({ kind: record.kind })))
      case "block":
        return Effect.map(applyBlock(record.block), (report) => ({ kind: record.kind, ...report }))
      case "rollBack":
        return Effect.map(rollBack(record.toBlock), (report) => ({ kind: record.kind, ...report }))
      case "prices":
        return Effect.map(setPrices(record.prices), (stamp) => ({ kind: record.kind, stamp }))
    }
  }
  return { applyBlock, rollBack, setPrices, applyRecord }
}

const checkPriceShapes = shapeOf(Schema.Array(PriceFeed))

const resultOf = (violated: BlockViolation | undefined): Result.Result<void, BlockViolation> =>
  violated === undefined ? Result.void : Result.fail(violated)

function checkRollBack(first: bigint, toBlock: bigint, { lastBlock }: LedgerView): BlockViolation | undefined {
  return toBlock >= first && toBlock <= lastBlock.number
    ? undefined
    : violation("roll-back-block", toBlock, `a block from ${first} to ${lastBlock.number}`, "/toBlock")
}
