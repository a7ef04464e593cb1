import { Effect, Schema } from "effect"
import {
  BadInput,
  type CurrencyOperation,
  type InputFault,
  type RevisedOperation,
  type Shapes,
  type WireContext
} from "../../contract/mod.ts"
import { SnapshotId, type NotRegistered, type StoreFailure } from "../../ports/mod.ts"

/**
 * The requested item does not exist. `snapshotId` is present if the ledger was read. The message names
 * the item as the client wrote it.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { later, readInterfaces, wireContext } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, genesis: { constants, network } } = simulate({ seed: 1 })
 * const context = wireContext(network, keccak256)
 * const opening = readInterfaces({ context, constants, revisions: [later] })
 * const reading = Effect.flatMap(opening, ([first]) => first!.operations.getToken(["7"], ""))
 * const found = Effect.catchTag(reading, "NotFound", ({ message }) => Effect.succeed(message))
 * const stores = Layer.merge(Memory.layer(genesis), Memory.poolLayer)
 * console.log(await Effect.runPromise(Effect.provide(found, stores)))
 * // => There is no token with id 7
 * ```
 */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  message: Schema.String,
  snapshotId: Schema.optionalKey(SnapshotId)
}) {}

/** The failures of a read operation. */
export type ReadFailure = BadInput | NotFound | NotRegistered | StoreFailure

/** Returns the error for faults, of which there is at least one. */
export const badInput = (faults: ReadonlyArray<InputFault>) =>
  new BadInput({ faults: faults as [InputFault, ...Array<InputFault>] })

/** Returns the error for a missing item, with the value that the client sent. */
export const failNotFound = (
  operation: CurrencyOperation | RevisedOperation,
  context: WireContext,
  path: ReadonlyArray<string>,
  snapshotId?: SnapshotId
) =>
  Effect.fail(
    new NotFound({
      message: `There is no ${nounOf(operation)} with ${
        operation.parameters.map(({ name }, i) =>
          `${context.name(name)} ${decodeURIComponent(path[i]!)}`
        ).join(" and ")
      }`,
      ...(snapshotId === undefined ? {} : { snapshotId })
    })
  )

const nounOf = (operation: CurrencyOperation | RevisedOperation): string => {
  switch (operation.kind) {
    case "group":
      return "group in the pool"
    case "currency":
      return "price of a currency"
    default:
      return nouns[operation.shape]
  }
}

const nouns: { readonly [S in keyof Shapes]: string } = {
  account: "account",
  exit: "exit",
  transaction: "transaction in the history",
  batch: "batch",
  fullBatch: "batch",
  slot: "slot",
  bid: "bid",
  token: "token",
  coordinator: "coordinator",
  state: "state",
  config: "configuration",
  poolTransaction: "transaction in the pool",
  authorization: "account-creation authorization"
}
