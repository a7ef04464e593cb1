import { Schema } from "effect"
import { SnapshotId } from "./ledger_snapshot.ts"

/**
 * The store failed, and the input was not the reason. `retry` is true if the same call may succeed
 * later. `reason` is the resource that a write lacks, if reads go on; or "busy" if the store is sound
 * and runs as many costly reads as it may: `message` is for the client then. `writerChanged` is true if
 * another process may have written the ledger since the last write of this `WriteSession`: read the
 * last block again before the next write.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { StoreFailure } from "rollup-node-api"
 *
 * let calls = 0
 * const read = Effect.suspend(() =>
 *   ++calls === 1
 *     ? Effect.fail(new StoreFailure({ message: "The connection was lost", retry: true }))
 *     : Effect.succeed("the answer"))
 * const answer = Effect.retry(read, { times: 3, while: ({ retry }) => retry })
 * console.log(await Effect.runPromise(answer), calls) // => the answer 2
 * ```
 */
export class StoreFailure extends Schema.TaggedError<StoreFailure>()("StoreFailure", {
  message: Schema.String,
  retry: Schema.Boolean,
  reason: Schema.optionalKey(Schema.Literals(["busy", "disk", "memory"])),
  writerChanged: Schema.optionalKey(Schema.Boolean),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

const UnregisteredThing = Schema.Struct({
  filter: Schema.String,
  kind: Schema.Literals(["token", "account", "batch"]),
  value: Schema.Int
})

/** A token, account or batch that a filter names and that was never registered. */
export type UnregisteredThing = typeof UnregisteredThing.Type

/**
 * Returns the error message for one unregistered thing.
 *
 * @example
 * ```ts
 * import { notRegisteredMessage } from "rollup-node-api"
 *
 * const message = notRegisteredMessage({ filter: "tokenId", kind: "token", value: 7 })
 * console.log(message) // => Token 7 is not registered
 * ```
 */
export const notRegisteredMessage = ({ kind, value }: UnregisteredThing): string =>
  `${
    kind === "token" ? "Token" : kind === "account" ? "Account" : "Batch"
  } ${value} is not registered`

/**
 * Filters name tokens, accounts or batches that were never registered. Lists all of them in the
 * order of the request, with the id of the snapshot.
 *
 * @example
 * ```ts
 * import { NotRegistered } from "rollup-node-api"
 *
 * const { message, things: [{ filter }] } = new NotRegistered({
 *   things: [{ filter: "tokenIds", kind: "token", value: 7 }],
 *   snapshotId: { ethereumBlockNum: 18000000n, batchNum: null, version: 0 }
 * })
 * console.log(`${filter}: ${message}`) // => tokenIds: Token 7 is not registered
 * ```
 */
export class NotRegistered extends Schema.TaggedError<NotRegistered>()("NotRegistered", {
  things: Schema.NonEmptyArray(UnregisteredThing),
  snapshotId: SnapshotId
}) {
  override get message(): string {
    return this.things.map(notRegisteredMessage).join("; ")
  }
}
