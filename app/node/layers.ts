import { Effect, Layer, type Scope } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { Application, type ApplicationOptions } from "../../adapters/http/mod.ts"
import {
  type ExitTree,
  type ExitTreeBuilder,
  type GenesisFeed,
  type Ledger,
  type LedgerReader,
  type LedgerWriter,
  Pool,
  pooledLedger,
  type PoolStore,
  type RecommendedFeeOptions,
  type StateRootVerifier,
  SignatureVerifier,
  Submission,
  type SubmissionOptions,
  wireContext
} from "../../core/mod.ts"
import { cachedSuccess } from "../../core/ports/mod.ts"
import { verifierOnDemand } from "./verifier.ts"

/** The stores of a node. */
export type Stores = LedgerReader | LedgerWriter | PoolStore

/** Options of a node. All except `genesis` have defaults. */
export interface NodeOptions
  extends
    Omit<ApplicationOptions, "context" | "constants">,
    Omit<SubmissionOptions, "network" | "keccak256" | "retryAfterSeconds">,
    Pick<RecommendedFeeOptions, "recommendedFeeUSD">
{
  /** The network, and the block before the first one that is applied. */
  readonly genesis: GenesisFeed
  /**
   * Verifies posted signatures. By default in the calling thread, with code that is imported for
   * the first signature.
   */
  readonly verifier?: Layer.Layer<SignatureVerifier>
  /**
   * Builds the exit trees of a block before it is stored, to verify or derive the proofs of its exits.
   * By default in the calling thread, which yields after some exits, with code that is imported for
   * the first exit.
   */
  readonly exitTrees?: Effect.Effect<ExitTreeBuilder, never, Scope.Scope>
  /** Verifies the state root of each batch before its block is stored; by default no one does. */
  readonly verifyStateRoots?: Effect.Effect<StateRootVerifier, never, LedgerReader | Scope.Scope>
}

/** The services of a node. */
export type Node =
  | Application
  | Ledger
  | LedgerReader
  | LedgerWriter
  | Pool
  | PoolStore
  | SignatureVerifier
  | Submission

/** The options of a node that its stores need. */
export type StoreOptions = Pick<NodeOptions, "genesis"> & RecommendedFeeOptions

/** Builds a node over stores. */
export const nodeOver = <E>(
  stores: Layer.Layer<Stores, E>,
  options: NodeOptions
): Layer.Layer<Node, E> => {
  const {
    genesis,
    exitTrees = exitTreesHere,
    verifyStateRoots = Effect.succeed(undefined),
    verifier = verifierOnDemand(genesis.network)
  } = options
  const { constants, network } = genesis
  const submission = Submission.layer({ ...options, network, keccak256 })
  const context = wireContext(network, keccak256)
  const application = Application.layer({ ...options, constants, context })
  const ledger = Layer.unwrap(
    Effect.map(
      Effect.all({ buildExitTrees: exitTrees, verifyStateRoots }),
      ({ buildExitTrees, verifyStateRoots }) =>
        pooledLedger(genesis, keccak256, {
          buildExitTrees,
          ...withoutUndefined({ verifyStateRoots })
        })
    )
  ).pipe(Layer.provide(verifierWithoutDefects))
  const ports = Layer.merge(stores, verifier)
  return Layer.merge(application, ledger).pipe(
    Layer.provideMerge(Layer.merge(submission, Pool.layer({ keccak256 }))),
    Layer.provideMerge(ports)
  )
}

/** Returns the options of fees that are set. */
export const feesOf = (
  { maxFeeUSD, minFeeUSD, recommendedFeeUSD }: {
    readonly [option in keyof RecommendedFeeOptions]?: number | undefined
  }
): RecommendedFeeOptions => withoutUndefined({ maxFeeUSD, minFeeUSD, recommendedFeeUSD })

/** The members that can be undefined are optional. */
type WithoutUndefined<T> =
  & { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] }
  & { readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> }

/** Returns an object without the members that are undefined. */
export const withoutUndefined = <T extends object>(value: T): WithoutUndefined<T> =>
  Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined)
  ) as WithoutUndefined<T>

/**
 * A verifier that rejects an authorization if signatures cannot be verified here, so that a block
 * is applied without storing its authorizations.
 */
const verifierWithoutDefects = Layer.effect(
  SignatureVerifier,
  Effect.map(SignatureVerifier, (verifier) => ({
    ...verifier,
    authorization: (authorization) =>
      Effect.catchDefect(verifier.authorization(authorization), (defect) =>
        Effect.as(
          Effect.logDebug(
            "An authorization was not stored: its signature cannot be verified here",
            defect
          ),
          false
        ))
  }))
)

/**
 * Builds exit trees in the calling thread, and yields in between. Returns null if the builder cannot
 * be imported, as in a browser without a bundler: the exit proofs of the block are then accepted
 * unverified, and a feed must have them.
 */
export const exitTreesHere: Effect.Effect<ExitTreeBuilder> = Effect.map(
  cachedSuccess(Effect.promise(() => import("../../adapters/crypto/mod.ts"))),
  (loaded) =>
    Effect.fnUntraced(function*(batches) {
      const crypto = yield* Effect.catchDefect(loaded, (error) =>
        // Node gives a code: the import may succeed later, so the block must not be stored now
        Object(error).code !== undefined
          ? Effect.die(error)
          : Effect.as(Effect.logWarning(notVerified, error), undefined))
      if (crypto === undefined) return null
      const trees: Array<ExitTree> = []
      for (const leaves of batches) {
        const steps = crypto.exitTreeSteps(leaves)
        let step = steps.next()
        for (; step.done !== true; step = steps.next()) {
          yield* Effect.yieldNow
        }
        trees.push(step.value)
        yield* Effect.yieldNow
      }
      return trees
    })
)

const notVerified =
  "Exit proofs are neither verified nor derived, since the hash function cannot be loaded here"
