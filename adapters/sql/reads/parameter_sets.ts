import { Schema } from "effect"
import {
  AuctionVariablesFeed,
  type NetworkVariables,
  RollupVariablesFeed,
  WithdrawalDelayerVariablesFeed
} from "../../../core/domain/mod.ts"

/*
 * Sets of variables as the table `parameter_set` holds them: JSON with decimal strings for what JSON would round. A set says itself
 * which block it dates from: a change of a withdrawal bucket stores another set and does not date it anew.
 */

export type ParameterKind = keyof NetworkVariables
export const parameterKinds = [
  "rollup",
  "auction",
  "withdrawalDelayer"
] as const satisfies ReadonlyArray<ParameterKind>

const dated = { ethereumBlockNum: Schema.BigIntFromString }
const codecs = {
  rollup: Schema.Struct({ ...RollupVariablesFeed.fields, ...dated }),
  auction: Schema.Struct({ ...AuctionVariablesFeed.fields, ...dated }),
  withdrawalDelayer: Schema.Struct({ ...WithdrawalDelayerVariablesFeed.fields, ...dated })
}

const textCodecs = {
  rollup: Schema.fromJsonString(codecs.rollup),
  auction: Schema.fromJsonString(codecs.auction),
  withdrawalDelayer: Schema.fromJsonString(codecs.withdrawalDelayer)
}

const write: { readonly [Kind in ParameterKind]: (set: NetworkVariables[Kind]) => string } = {
  rollup: Schema.encodeSync(textCodecs.rollup),
  auction: Schema.encodeSync(textCodecs.auction),
  withdrawalDelayer: Schema.encodeSync(textCodecs.withdrawalDelayer)
}
const read: { readonly [Kind in ParameterKind]: (text: string) => NetworkVariables[Kind] } = {
  rollup: Schema.decodeSync(textCodecs.rollup),
  auction: Schema.decodeSync(textCodecs.auction),
  withdrawalDelayer: Schema.decodeSync(textCodecs.withdrawalDelayer)
}

/** A set as it is stored. JSON writes NUL and lone surrogates as escapes, so any text can be in it. */
export const writeParameterSet = <Kind extends ParameterKind>(
  kind: Kind,
  set: NetworkVariables[Kind]
): string => write[kind](set)

/** A stored set. */
export const readParameterSet = <Kind extends ParameterKind>(
  kind: Kind,
  text: string
): NetworkVariables[Kind] => read[kind](text)
