import { Effect } from "effect"
import {
  type OperationId,
  type ReadOperationId,
  readOperationsOf,
  type Revision
} from "../../contract/mod.ts"
import { CurrencyPrices, LedgerReader, PoolStore } from "../../ports/mod.ts"
import type { ReadOperation, ReadOptions } from "./answer.ts"
import { bindOperation } from "./_operations.ts"

/** The operations of one revision, bound to the stores. */
export interface ReadInterface {
  readonly revision: Revision
  readonly operations:
    & { readonly [Id in OperationId]: ReadOperation }
    & { readonly [Id in ReadOperationId]?: ReadOperation }
}

/**
 * Returns the read operations of each revision, bound to the stores. Decoders and writers are built
 * once, when this is called.
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
 * const reading = Effect.flatMap(opening, ([first]) => first!.operations.getToken(["0"], ""))
 * const stores = Layer.merge(Memory.layer(genesis), Memory.poolLayer)
 * const { json } = await Effect.runPromise(Effect.provide(reading, stores))
 * console.log(JSON.parse(json).symbol) // => ETH
 * ```
 */
export const readInterfaces = Effect.fnUntraced(function*(options: ReadOptions) {
  const stores = {
    reader: yield* LedgerReader,
    pool: yield* PoolStore,
    currencies: yield* CurrencyPrices
  }
  return options.revisions.map((revision): ReadInterface => ({
    revision,
    operations: Object.fromEntries(
      readOperationsOf(revision).map(([id, operation]) => [
        id,
        bindOperation(operation, revision, options, stores)
      ])
    ) as ReadInterface["operations"]
  }))
})
