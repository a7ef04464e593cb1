import { Schema } from "effect"
import {
  AuctionVariablesFeed,
  type NetworkVariables,
  RollupVariablesFeed,
  VerifiersFeed,
  WithdrawalDelayerVariablesFeed
} from "../../../core/domain/mod.ts"

import {
  bigIntegers,
  checked,
  integer,
  nullable,
  oneOf,
  plainText,
  uint64
} from "./column_types.ts"
import { inferredShape, type ShapeRow } from "./shape.ts"

/*
 * The encoding of variables in the table `parameter_set`: JSON, with decimal strings for large
 * integers. Each set contains the number of the block that decided it. That can be older than the
 * block of its row: a withdrawal stores a set with changed buckets, and the number stays. Texts are
 * unrestricted: JSON escapes NUL and lone surrogates, which PostgreSQL refuses.
 */

export type ParameterKind = keyof NetworkVariables
export const parameterKinds = [
  "rollup",
  "auction",
  "withdrawalDelayer"
] as const satisfies ReadonlyArray<ParameterKind>

/** A set of variables that was ever in force. */
export const parameterSet = inferredShape({
  kind: ["kind", oneOf<ParameterKind>(parameterKinds)],
  blockNum: ["ethereum_block_num", uint64, "REFERENCES block (number)"],
  /**
   * Of auction variables, the first slot to which their default bids apply, 2^32 if to none; it
   * never decreases.
   */
  firstSlot: ["first_slot", nullable(checked(integer, "% BETWEEN 0 AND 4294967296"))],
  defaultBids: ["default_bids", nullable(bigIntegers)],
  variables: ["variables", plainText]
})
export type ParameterSet = ShapeRow<typeof parameterSet>

/** Returns the row of a set that a block put in force. */
export const parameterSetRow = <Kind extends ParameterKind>(
  kind: Kind,
  blockNum: bigint,
  set: NetworkVariables[Kind]
): ParameterSet => ({
  kind,
  blockNum,
  firstSlot: "defaultSlotSetBidFirstSlot" in set ? set.defaultSlotSetBidFirstSlot : null,
  defaultBids: "defaultSlotSetBid" in set ? set.defaultSlotSetBid : null,
  variables: encoders[kind](set)
})

/** Returns SQL for the newest variables of a kind, as text. */
export const currentVariables = (kind: ParameterKind): string =>
  `(SELECT parameter_set.variables FROM parameter_set WHERE parameter_set.kind = '${kind}' ORDER BY parameter_set.ethereum_block_num DESC LIMIT 1)`

const blockNumber = { ethereumBlockNum: Schema.BigIntFromString }
const codecs = {
  rollup: Schema.Struct({
    ...RollupVariablesFeed.fields,
    verifiers: VerifiersFeed,
    ...blockNumber
  }),
  auction: Schema.Struct({
    ...AuctionVariablesFeed.fields,
    defaultSlotSetBidFirstSlot: Schema.Int,
    ...blockNumber
  }),
  withdrawalDelayer: Schema.Struct({ ...WithdrawalDelayerVariablesFeed.fields, ...blockNumber })
}

const textCodecs = {
  rollup: Schema.fromJsonString(codecs.rollup),
  auction: Schema.fromJsonString(codecs.auction),
  withdrawalDelayer: Schema.fromJsonString(codecs.withdrawalDelayer)
}

const encoders: { readonly [Kind in ParameterKind]: (set: NetworkVariables[Kind]) => string } = {
  rollup: Schema.encodeSync(textCodecs.rollup),
  auction: Schema.encodeSync(textCodecs.auction),
  withdrawalDelayer: Schema.encodeSync(textCodecs.withdrawalDelayer)
}
const decoders: { readonly [Kind in ParameterKind]: (text: string) => NetworkVariables[Kind] } = {
  rollup: Schema.decodeSync(textCodecs.rollup),
  auction: Schema.decodeSync(textCodecs.auction),
  withdrawalDelayer: Schema.decodeSync(textCodecs.withdrawalDelayer)
}

/** Decodes a stored set of variables; throws if it is invalid. */
export const decodeParameterSet = <Kind extends ParameterKind>(
  kind: Kind,
  text: string
): NetworkVariables[Kind] => decoders[kind](text)
