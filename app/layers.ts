import { Effect, Layer } from "effect"
import { keccak256 } from "../adapters/hashing/mod.ts"
import { Application, type HttpLimits, type Mount } from "../adapters/http/mod.ts"
import * as Memory from "../adapters/memory/mod.ts"
import { type GenesisFeed, Ledger, type LedgerReader, type LedgerWriter, type PoolStore, wireContext } from "../core/mod.ts"

/** What a node is made of besides its stores. */
export interface NodeOptions {
  /** The network, and the block before the first one that is applied. */
  readonly genesis: GenesisFeed
  /** Where revisions are served: `later` at `/` and `earlier` at `/earlier` by default. */
  readonly mounts?: ReadonlyArray<Mount>
  readonly limits?: Partial<HttpLimits>
  /** Bounds of the recommended fee, US dollars. */
  readonly minFeeUSD?: number
  readonly maxFeeUSD?: number
  /** Characters of written objects that are kept ready; some 64 million by default, a byte each for Latin-1. */
  readonly textsMax?: number
}

/** Everything that a host may call. */
export type Node = Application | Ledger | LedgerReader | LedgerWriter | PoolStore

/** A node over stores in memory. */
export const memoryNode = (options: NodeOptions): Layer.Layer<Node> => {
  const { genesis, mounts, limits, textsMax, minFeeUSD, maxFeeUSD } = options
  const stores = Layer.merge(
    Memory.layer(genesis, { ...(minFeeUSD === undefined ? {} : { minFeeUSD }), ...(maxFeeUSD === undefined ? {} : { maxFeeUSD }) }),
    Memory.poolLayer
  )
  const application = Layer.unwrap(Effect.sync(() =>
    Application.layer({
      context: wireContext(genesis.network, keccak256, textsMax),
      constants: genesis.constants,
      ...(mounts === undefined ? {} : { mounts }),
      ...(limits === undefined ? {} : { limits })
    })))
  return Layer.merge(application, Ledger.layer(genesis, keccak256)).pipe(Layer.provideMerge(stores))
}
