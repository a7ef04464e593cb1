import { Context, Effect, Layer, type Scope } from "effect"
import { keccak256 } from "../adapters/hashing/mod.ts"
import {
  Application,
  type HttpLimits,
  type Mount,
  type TelemetryOptions
} from "../adapters/http/mod.ts"
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

/** The stores of a node. */
export type Stores = LedgerReader | LedgerWriter | PoolStore

/** Options of a node, except its stores. */
export interface NodeOptions
  extends Pick<SubmissionOptions, "minFeeUSD" | "maxFeeUSD" | "pendingMax" | "pendingPerAccountMax">
{
  /** The network, and the block before the first one that is applied. */
  readonly genesis: GenesisFeed
  /** Path of each revision; `later` at `/` and `earlier` at `/earlier` by default. */
  readonly mounts?: ReadonlyArray<Mount>
  readonly limits?: Partial<HttpLimits>
  /** Maximum characters of cached JSON fragments; about 64 million by default. */
  readonly textsMax?: number
  /** Maximum bytes of cached responses; 64 MiB by default, 0 disables the cache. */
  readonly answersBytesMax?: number
  /** Batches after which a batch is final, so that caches may keep it indefinitely; 1000 by default. */
  readonly finalAfterBatches?: number
  /** Logs and traces of requests; none by default. Metrics go to the `Monitor` service. */
  readonly telemetry?: TelemetryOptions
  /**
   * Verifies posted signatures. By default in the calling thread, with code that is imported for the
   * first signature.
   */
  readonly verifier?: Layer.Layer<SignatureVerifier>
  /**
   * Verifies exit proofs before their block is stored. By default in the calling thread, which yields
   * after each proof, with code that is imported for the first exit.
   */
  readonly verifyExitProofs?: Effect.Effect<ExitProofVerifier, never, Scope.Scope>
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
export type StoreOptions = Pick<NodeOptions, "genesis" | "minFeeUSD" | "maxFeeUSD">

/** Builds a node over the given stores. */
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

/** Builds the HTTP application of a node. */
const applicationOver = (
  { answersBytesMax, finalAfterBatches, genesis, limits, mounts, telemetry, textsMax }: NodeOptions
): Layer.Layer<Application, never, LedgerReader | PoolStore | Submission> =>
  Layer.unwrap(Effect.map(LedgerTip, (tip) =>
    Application.layer({
      // reads from a database return new objects each time, except tokens: only these are worth caching
      context: wireContext(genesis.network, keccak256, {
        ...textsMax === undefined ? {} : { charactersMax: textsMax },
        ...tip?.isRemote === true ? { shapes: ["Token"] } : {}
      }),
      constants: genesis.constants,
      ...(mounts === undefined ? {} : { mounts }),
      ...(limits === undefined ? {} : { limits }),
      ...(answersBytesMax === undefined ? {} : { answersBytesMax }),
      ...(finalAfterBatches === undefined ? {} : { finalAfterBatches }),
      ...(telemetry === undefined ? {} : { telemetry })
    })))

/** Returns the fee limits that are set. */
export const feesOf = (
  { maxFeeUSD, minFeeUSD }: Omit<StoreOptions, "genesis">
): Omit<StoreOptions, "genesis"> => ({
  ...(minFeeUSD === undefined ? {} : { minFeeUSD }),
  ...(maxFeeUSD === undefined ? {} : { maxFeeUSD })
})

/**
 * Applies blocks even if signatures cannot be verified here: the authorizations in a block are then
 * not stored.
 */
const lenient = Layer.effect(
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

/** Maximum number of verifications waiting in the calling thread. */
const waitingMax = 256

/**
 * Verifies signatures in the calling thread, with code that is imported on first use: browsers can
 * open an embedded node without a bundler, but not import its hash function. Fails with
 * `VerifierBusy` if too many verifications wait.
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
    Effect.flatMap(({ inlineVerifier }) => Layer.buildWithScope(inlineVerifier(network), scope)),
    Effect.map(Context.get(SignatureVerifier))
  )

/** Imports the proof verifier. Returns undefined, and accepts proofs unverified, if that fails: in a browser without a bundler. */
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

/** Verifies exit proofs in the calling thread, and yields after each. */
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
