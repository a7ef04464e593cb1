import { Clock, Effect, Layer, Semaphore } from "effect"
import type { BlockFeed, GenesisFeed } from "../../domain/mod.ts"
import type { Keccak256 } from "../../encoding/mod.ts"
import {
  type LedgerReader,
  type LedgerWriter,
  PoolStore,
  SignatureVerifier,
  type StoreFailure
} from "../../ports/mod.ts"
import { Ledger, type LedgerOptions } from "../ledger/mod.ts"
import { Pool } from "./pool.ts"

/**
 * Returns a ledger that settles the pool after each block and rollback, and learns the
 * authorizations that a block shows. If settling fails, the ledger has already changed: the same
 * call again, or the next one, settles it.
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
      const learn = learnAuthorizations({
        store: yield* PoolStore,
        verifier: yield* SignatureVerifier
      })
      // the next block must not overtake the settlement of this one
      const oneByOne = Semaphore.makeUnsafe(1).withPermits(1)
      const settled = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E | StoreFailure> =>
        oneByOne(Effect.tap(write, () => pool.settle))
      const applyBlock = (block: BlockFeed) =>
        settled(Effect.tap(ledger.applyBlock(block), () => learn(block)))
      return Ledger.of({
        applyBlock,
        rollBack: (toBlock) => settled(ledger.rollBack(toBlock)),
        setPrices: ledger.setPrices,
        applyRecord: (record) => {
          switch (record.kind) {
            case "block":
              return Effect.map(
                applyBlock(record.block),
                (report) => ({ kind: record.kind, ...report })
              )
            case "rollBack":
              return settled(ledger.applyRecord(record))
            default:
              return ledger.applyRecord(record)
          }
        }
      })
    })
  ).pipe(Layer.provide(Ledger.layer(genesis, keccak256, options)))

interface Learning {
  readonly store: PoolStore["Service"]
  readonly verifier: SignatureVerifier["Service"]
}

/**
 * Stores the authorizations that a coordinator published on chain in a block, for owners that have
 * not posted one.
 */
export const learnAuthorizations = ({ store, verifier }: Learning) => {
  const verified = (
    authorization: Parameters<typeof verifier.authorization>[0]
  ): Effect.Effect<boolean> =>
    Effect.catchTag(
      verifier.authorization(authorization),
      "VerifierBusy",
      ({ retryAfterSeconds }) =>
        Effect.andThen(
          Effect.sleep(retryAfterSeconds * 1000),
          Effect.suspend(() => verified(authorization))
        )
    )
  return Effect.fnUntraced(function*(block: BlockFeed): Effect.fn.Return<void, StoreFailure> {
    const timestampMs = yield* Clock.currentTimeMillis
    for (
      const { address, publicKey, signature } of (block.batches ?? []).flatMap((
        { l1Coordinator }
      ) => l1Coordinator)
    ) {
      if (signature === null || (yield* store.authorization(address)) !== null) continue
      // the ledger does not verify signatures, and a wrong one would block the owner's own
      // authorization
      if (yield* verified({ address, publicKey, signature })) {
        yield* store.addAuthorization({ address, publicKey, signature, timestampMs })
      }
    }
  })
}
