import { Schema } from "effect"
import { LedgerStamp } from "./stamp.ts"

/**
 * A store could not answer: not the caller's fault. `retry` tells whether the same call may succeed later. `overtaken` tells who writes in a
 * `WriteSeries` that others may have written the ledger since he did: what he goes on from has to be looked at first.
 */
export class StoreFailure extends Schema.TaggedError<StoreFailure>()("StoreFailure", {
  message: Schema.String,
  retry: Schema.Boolean,
  overtaken: Schema.optionalKey(Schema.Boolean),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

const UnregisteredThing = Schema.Struct({
  filter: Schema.String,
  kind: Schema.Literals(["token", "account", "batch"]),
  value: Schema.Int
})

/** One thing that a filter names and that was never registered. */
export type UnregisteredThing = typeof UnregisteredThing.Type

/** What is wrong with one thing, in a sentence. */
export const notRegisteredMessage = ({ kind, value }: UnregisteredThing): string =>
  `${
    kind === "token" ? "Token" : kind === "account" ? "Account" : "Batch"
  } ${value} is not registered`

/** Filters name tokens, accounts or batches that were never registered: all of them, in the order in which they are given, and the snapshot that knows. */
export class NotRegistered extends Schema.TaggedError<NotRegistered>()("NotRegistered", {
  things: Schema.NonEmptyArray(UnregisteredThing),
  stamp: LedgerStamp
}) {
  override get message(): string {
    return this.things.map(notRegisteredMessage).join("; ")
  }
  /** The filter that names the first of them. */
  get filter(): string {
    return this.things[0].filter
  }
  get kind(): UnregisteredThing["kind"] {
    return this.things[0].kind
  }
  get value(): number {
    return this.things[0].value
  }
}
