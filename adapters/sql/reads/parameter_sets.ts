import { Schema } from "effect"
import {
  AuctionVariablesFeed,
  type NetworkVariables,
  RollupVariablesFeed,
  VerifiersFeed,
  WithdrawalDelayerVariablesFeed
} from "../../../core/domain/mod.ts"

/*
 * The encoding of variables in the table `parameter_set`: JSON, with decimal strings for large
 * integers. Each set contains the number of the block that decided it. That can be older than the
 * block of its row: a withdrawal stores a set with changed buckets, and the number stays.
 */

export type ParameterKind = keyof NetworkVariables
export const parameterKinds = [
  "rollup",
  "auction",
  "withdrawalDelayer"
] as const satisfies ReadonlyArray<ParameterKind>

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

/**
 * Encodes a set of variables. Texts in it are unrestricted: JSON escapes NUL and lone surrogates,
 * which PostgreSQL refuses.
 */
export const encodeParameterSet = <Kind extends ParameterKind>(
  kind: Kind,
  set: NetworkVariables[Kind]
): string => encoders[kind](set)

/** Decodes a stored set of variables; throws if it is invalid. */
export const decodeParameterSet = <Kind extends ParameterKind>(
  kind: Kind,
  text: string
): NetworkVariables[Kind] => decoders[kind](text)
