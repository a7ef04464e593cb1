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
 * Returns a ledger that settles the pool after each block and rollback, and stores the
 * authorizations that blocks contain. If a settlement fails, the block is already stored: a retry,
 * or the next call, settles the pool.
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
      // the next block has to wait for the settlement of this one
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
          switch (record?.kind) {
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

interface LearnPorts {
  readonly store: PoolStore["Service"]
  readonly verifier: SignatureVerifier["Service"]
}

/**
 * Returns a function that stores the authorizations that coordinators published in a block, for
 * addresses without an authorization.
 */
export const learnAuthorizations = ({ store, verifier }: LearnPorts) => {
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
      // the ledger does not verify signatures, and an invalid one would prevent the owner from
      // posting a valid one
      if (yield* verified({ address, publicKey, signature })) {
        yield* store.addAuthorization({ address, publicKey, signature, timestampMs })
      }
    }
  })
}
