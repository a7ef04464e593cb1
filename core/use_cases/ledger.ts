import { Context, Effect, Layer, Result, Schema } from "effect"
import { type BlockFeed, type FeedRecord, type GenesisFeed, PriceFeed } from "../domain/mod.ts"
import type { Keccak256 } from "../encoding/mod.ts"
import { type LedgerView, LedgerWriter, type LedgerStamp, type RollBackReport, type StoreFailure } from "../ports/mod.ts"
import { checkGenesis } from "./_genesis.ts"
import { shapeOf } from "./_shape.ts"
import { checkPrices } from "./_tokens.ts"
import { type BlockViolation, violation } from "./block_violation.ts"
import type { VerifyExit } from "./_block_work.ts"
import { decideBlock, type LedgerRules } from "./check_block.ts"

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
  static readonly layer = (genesis: GenesisFeed, keccak256: Keccak256, options: LedgerOptions = {}): Layer.Layer<Ledger, never, LedgerWriter> =>
    Layer.effect(Ledger, Effect.map(LedgerWriter, (writer) => Ledger.of(make(writer, { network: genesis.network, constants: genesis.constants, keccak256 }, genesis, options))))
}

export interface LedgerOptions {
  /** Computes exit proofs anew; asked for with each block that brings exits, so it can be loaded with the first one. Without it only their form is checked. */
  readonly verifyExit?: Effect.Effect<VerifyExit | undefined>
}

function make(writer: LedgerWriter["Service"], rules: LedgerRules, genesis: GenesisFeed, { verifyExit }: LedgerOptions): Ledger["Service"] {
  const applyBlock = (block: BlockFeed) =>
    verifyExit === undefined || !bringsExits(block)
      ? writer.apply(block, decideBlock(rules, block))
      : Effect.flatMap(verifyExit, (verify) => writer.apply(block, decideBlock(verify === undefined ? rules : { ...rules, verifyExit: verify }, block)))
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

/** Of a block whose shape is not checked yet: of a misshapen one the decision has to say what is wrong with it. */
const bringsExits = (block: Partial<BlockFeed> | null): boolean =>
  Array.isArray(block?.batches) && block.batches.some((batch: { readonly exits?: unknown } | null) => Array.isArray(batch?.exits) && batch.exits.length > 0)

const checkPriceShapes = shapeOf(Schema.Array(PriceFeed))

const resultOf = (violated: BlockViolation | undefined): Result.Result<void, BlockViolation> =>
  violated === undefined ? Result.void : Result.fail(violated)

function checkRollBack(first: bigint, toBlock: bigint, { lastBlock }: LedgerView): BlockViolation | undefined {
  return toBlock >= first && toBlock <= lastBlock.number
    ? undefined
    : violation("roll-back-block", toBlock, `a block from ${first} to ${lastBlock.number}`, "/toBlock")
}
