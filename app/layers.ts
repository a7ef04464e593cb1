import { Context, Effect, Layer, type Scope } from "effect"
import { keccak256 } from "../adapters/hashing/mod.ts"
import { Application, type HttpLimits, type Mount, type Observing } from "../adapters/http/mod.ts"
import {
  type ExitProofVerifier,
  type GenesisFeed,
  type Ledger,
  type LedgerReader,
  LedgerTip,
  type LedgerWriter,
  type Network,
  Pool,
  pooledLedger,
  type PoolStore,
  SignatureVerifier,
  Submission,
  type SubmissionOptions,
  VerifierBusy,
  type VerifyExit,
  wireContext
} from "../core/mod.ts"

/** What a node keeps its data in. */
export type Stores = LedgerReader | LedgerWriter | PoolStore

/** What a node is made of besides its stores. */
export interface NodeOptions
  extends Pick<SubmissionOptions, "minFeeUSD" | "maxFeeUSD" | "pendingMax" | "pendingPerAccountMax">
{
  /** The network, and the block before the first one that is applied. */
  readonly genesis: GenesisFeed
  /** Where revisions are served: `later` at `/` and `earlier` at `/earlier` by default. */
  readonly mounts?: ReadonlyArray<Mount>
  readonly limits?: Partial<HttpLimits>
  /** Characters of written objects that are kept ready; some 64 million by default, a byte each for Latin-1. */
  readonly textsMax?: number
  /** Bytes of whole answers that are kept ready while the ledger stands still; 64 MiB by default, 0 keeps none. */
  readonly answersBytesMax?: number
  /** Batches after which one is too deep for a rollback, so that caches may keep it for good; 1000 by default. */
  readonly finalAfterBatches?: number
  /** What is done about each request besides answering it; nothing by default. Figures go to the `Monitor` that the layers find. */
  readonly observing?: Observing
  /** Verifies what is posted. By default in the calling thread, by code that is loaded with the first signature: nodes that only read do without. */
  readonly verifier?: Layer.Layer<SignatureVerifier>
  /**
   * Judges the proofs of exits before their block is stored. By default in the calling thread, some four milliseconds for each, with a turn of
   * others in between, by code that is loaded with the first exit.
   */
  readonly verifyExitProofs?: Effect.Effect<ExitProofVerifier, never, Scope.Scope>
}

/** Everything that a host may call. */
export type Node =
  | Application
  | Ledger
  | LedgerReader
  | LedgerWriter
  | Pool
  | PoolStore
  | SignatureVerifier
  | Submission

/** What a store has to know of a node. */
export type StoreOptions = Pick<NodeOptions, "genesis" | "minFeeUSD" | "maxFeeUSD">

/** A node over the stores that it is given. */
export const nodeOver = <E>(
  stores: Layer.Layer<Stores, E>,
  options: NodeOptions
): Layer.Layer<Node, E> => {
  const {
    genesis,
    verifyExitProofs = verifyExitProofsHere,
    pendingMax,
    pendingPerAccountMax,
    verifier = verifierOnDemand(genesis.network)
  } = options
  const submission = Submission.layer({
    network: genesis.network,
    keccak256,
    ...feesOf(options),
    ...(pendingMax === undefined ? {} : { pendingMax }),
    ...(pendingPerAccountMax === undefined ? {} : { pendingPerAccountMax })
  })
  const ledger = Layer.unwrap(
    Effect.map(
      verifyExitProofs,
      (verifyExitProofs) => pooledLedger(genesis, keccak256, { verifyExitProofs })
    )
  ).pipe(Layer.provide(lenient))
  const ports = Layer.merge(stores, verifier)
  return Layer.merge(applicationOver(options), ledger).pipe(
    Layer.provideMerge(Layer.merge(submission, Pool.layer({ keccak256 }))),
    Layer.provideMerge(ports)
  )
}

/** The interface of a node over what it reads and where posts go. */
const applicationOver = (
  { answersBytesMax, finalAfterBatches, genesis, limits, mounts, observing, textsMax }: NodeOptions
): Layer.Layer<Application, never, LedgerReader | PoolStore | Submission> =>
  Layer.unwrap(Effect.map(LedgerTip, (tip) =>
    Application.layer({
      // only tokens are the same objects from answer to answer where a database is read
      context: wireContext(genesis.network, keccak256, {
        ...textsMax === undefined ? {} : { charactersMax: textsMax },
        ...tip?.isRemote === true ? { shapes: ["Token"] } : {}
      }),
      constants: genesis.constants,
      ...(mounts === undefined ? {} : { mounts }),
      ...(limits === undefined ? {} : { limits }),
      ...(answersBytesMax === undefined ? {} : { answersBytesMax }),
      ...(finalAfterBatches === undefined ? {} : { finalAfterBatches }),
      ...(observing === undefined ? {} : { observing })
    })))

/** The bounds of fees as far as they are given. */
export const feesOf = (
  { maxFeeUSD, minFeeUSD }: Omit<StoreOptions, "genesis">
): Omit<StoreOptions, "genesis"> => ({
  ...(minFeeUSD === undefined ? {} : { minFeeUSD }),
  ...(maxFeeUSD === undefined ? {} : { maxFeeUSD })
})

/** Where nothing can verify, a block is applied all the same: the authorizations that it shows are not learned. */
const lenient = Layer.effect(
  SignatureVerifier,
  Effect.map(SignatureVerifier, (verifier) => ({
    ...verifier,
    authorization: (authorization) =>
      Effect.catchDefect(verifier.authorization(authorization), (defect) =>
        Effect.as(
          Effect.logDebug(
            "An authorization was not learned: its signature cannot be verified here",
            defect
          ),
          false
        ))
  }))
)

/** Verifications in the calling thread that may wait for each other: half a second of work. */
const waitingMax = 256

/**
 * A verifier in the calling thread that is loaded when it is first asked: the embedded node opens in browsers, which need
 * a bundler to load its hash function. With too many waiting it is busy.
 */
const verifierOnDemand = (network: Network): Layer.Layer<SignatureVerifier> =>
  Layer.effect(
    SignatureVerifier,
    Effect.gen(function*() {
      const verifier = yield* Effect.cached(
        Effect.uninterruptible(load(network, yield* Effect.scope))
      )
      let waiting = 0
      const ask = (
        question: (verifier: SignatureVerifier["Service"]) => Effect.Effect<boolean, VerifierBusy>
      ) =>
        Effect.suspend(() => {
          if (waiting >= waitingMax) return Effect.fail(new VerifierBusy({ retryAfterSeconds: 1 }))
          waiting++
          return Effect.ensuring(
            Effect.flatMap(verifier, question),
            Effect.sync(() => void waiting--)
          )
        })
      return {
        transaction: (transaction, publicKey) =>
          ask((verifier) => verifier.transaction(transaction, publicKey)),
        authorization: (authorization) => ask((verifier) => verifier.authorization(authorization))
      }
    })
  )

const load = (network: Network, scope: Scope.Scope): Effect.Effect<SignatureVerifier["Service"]> =>
  Effect.promise(() => import("../adapters/crypto/mod.ts")).pipe(
    Effect.flatMap(({ verifierInPlace }) => Layer.buildWithScope(verifierInPlace(network), scope)),
    Effect.map(Context.get(SignatureVerifier))
  )

/** Loaded with the first exit. Where that cannot be, in a browser without a bundler, exit proofs are taken as they come. */
const loadVerifyExit: Effect.Effect<VerifyExit | undefined> = Effect.tryPromise(() =>
  import("../adapters/crypto/mod.ts")
).pipe(
  Effect.map(({ verifyExitProof }) => verifyExitProof),
  Effect.catch((error) =>
    Effect.as(
      Effect.logWarning(
        "Exit proofs are not verified, since the hash function cannot be loaded here",
        error
      ),
      undefined
    )
  )
)

/** In the calling thread, with a turn for others behind each of them. */
export const verifyExitProofsHere: Effect.Effect<ExitProofVerifier> = Effect.map(
  Effect.cached(loadVerifyExit),
  (loaded) =>
    Effect.fnUntraced(function*(proofs) {
      const verifyExit = yield* loaded
      if (verifyExit === undefined) return undefined
      for (const [position, proof] of proofs.entries()) {
        if (!verifyExit(...proof)) return position
        yield* Effect.yieldNow
      }
      return undefined
    })
)
