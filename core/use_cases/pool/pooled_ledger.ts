import { Clock, Effect, Layer, Semaphore } from "effect"
import type { BlockFeed, GenesisFeed } from "../../domain/mod.ts"
import type { Keccak256 } from "../../encoding/mod.ts"
import {
  type LedgerReader,
  LedgerWriter,
  PoolStore,
  SignatureVerifier,
  type StoreFailure
} from "../../ports/mod.ts"
import { Ledger, type LedgerOptions } from "../ledger/mod.ts"
import { Pool } from "./pool.ts"

/**
 * Returns a ledger that reconciles the pool after each block and rollback, and before a block stores
 * the authorizations that it contains. If a reconciliation fails, the block is already stored: the next
 * call, or a retry, reconciles the pool before it writes.
 *
 * @example
 * ```ts
 * import { Effect, Layer } from "effect"
 * import { Ledger, Pool, pooledLedger } from "rollup-node-api"
 * import { inlineVerifier, keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * const node = pooledLedger(genesis, keccak256).pipe(
 *   Layer.provide(Pool.layer({ keccak256 })),
 *   Layer.provide(inlineVerifier(genesis.network)),
 *   Layer.provide(Layer.merge(Memory.layer(genesis), Memory.poolLayer))
 * )
 * const apply = Effect.flatMap(Ledger, (ledger) => ledger.applyRecord(next()))
 * const { kind } = await Effect.runPromise(Effect.provide(apply, node))
 * console.log(kind) // => block
 * ```
 */
export const pooledLedger = (
  genesis: GenesisFeed,
  keccak256: Keccak256,
  options: LedgerOptions = {}
): Layer.Layer<Ledger, never, LedgerReader | LedgerWriter | Pool | PoolStore | SignatureVerifier> =>
  Layer.effect(
    Ledger,
    Effect.gen(function*() {
      const ledger = yield* Ledger
      const pool = yield* Pool
      const oneByOne = Semaphore.makeUnsafe(1).withPermits(1)
      // false if a process may have stopped, or failed, between a write and its reconciliation
      let isReconciled = false
      /** Reconciles each write before the next: a block can return after a rollback, with other posts. */
      const withReconciliation = <A, E>(
        write: Effect.Effect<A, E>
      ): Effect.Effect<A, E | StoreFailure> =>
        oneByOne(Effect.gen(function*() {
          if (!isReconciled) yield* pool.reconcile
          isReconciled = false
          const written = yield* write
          yield* pool.reconcile
          isReconciled = true
          return written
        }))
      return Ledger.of({
        ...ledger,
        applyBlock: (block) => withReconciliation(ledger.applyBlock(block)),
        rollBack: (toBlock) => withReconciliation(ledger.rollBack(toBlock)),
        applyRecord: (record) =>
          record?.kind === "block" || record?.kind === "rollBack"
            ? withReconciliation(ledger.applyRecord(record))
            : ledger.applyRecord(record)
      })
    })
  ).pipe(
    Layer.provide(Ledger.layer(genesis, keccak256, options)),
    Layer.provide(learningWriter)
  )

/** Stores the authorizations of a block before the block, so that a crash in between loses none. */
const learningWriter = Layer.effect(
  LedgerWriter,
  Effect.gen(function*() {
    const writer = yield* LedgerWriter
    const learn = learnAuthorizations({
      store: yield* PoolStore,
      verifier: yield* SignatureVerifier
    })
    return LedgerWriter.of({
      ...writer,
      apply: (block, decide) => Effect.andThen(learn(block), writer.apply(block, decide))
    })
  })
)

interface LearnPorts {
  readonly store: PoolStore["Service"]
  readonly verifier: SignatureVerifier["Service"]
}

/**
 * Returns a function that stores the authorizations that coordinators published in a block, for
 * addresses without an authorization.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { learnAuthorizations, SignatureVerifier } from "rollup-node-api"
 * import * as Crypto from "rollup-node-api/crypto"
 * import { openMemoryPool } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis: { network }, next } = simulate({ seed: 1 })
 * const learning = Effect.gen(function*() {
 *   const store = openMemoryPool()
 *   const learn = learnAuthorizations({ store, verifier: yield* SignatureVerifier })
 *   const created = []
 *   for (let i = 0; i < 20; i++) {
 *     const record = next()
 *     if (record.kind !== "block") continue
 *     yield* learn(record.block)
 *     created.push(...(record.block.batches ?? []).flatMap(({ l1Coordinator }) => l1Coordinator))
 *   }
 *   const signed = created.find(({ signature }) => signature !== null)!
 *   return (yield* store.authorization(signed.address))?.publicKey === signed.publicKey
 * })
 * const provided = Effect.provide(learning, Crypto.inlineVerifier(network))
 * console.log(await Effect.runPromise(provided)) // => true
 * ```
 */
export const learnAuthorizations = ({ store, verifier }: LearnPorts) =>
  Effect.fnUntraced(function*(block: BlockFeed): Effect.fn.Return<void, StoreFailure> {
    const timestampMs = yield* Clock.currentTimeMillis
    const created = (block.batches ?? []).flatMap(({ l1Coordinator }) => l1Coordinator)
    for (const { address, publicKey, signature } of created) {
      if (signature === null || (yield* store.authorization(address)) !== null) continue
      // the ledger does not verify signatures, and an invalid one would prevent the owner from
      // posting a valid one
      const isValid = yield* verifier.authorization({ address, publicKey, signature }).pipe(
        Effect.tapError(({ retryAfterSeconds }) => Effect.sleep(retryAfterSeconds * 1000)),
        Effect.eventually
      )
      if (isValid) yield* store.addAuthorization({ address, publicKey, signature, timestampMs })
    }
  })
