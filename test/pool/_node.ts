import { Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { layer, poolLayer } from "../../adapters/memory/mod.ts"
import type { BatchFeed, PostedTransaction } from "../../core/domain/mod.ts"
import { LedgerReader, PoolStore, SignatureVerifier } from "../../core/ports/mod.ts"
import {
  Ledger,
  Pool,
  pooledLedger,
  type Selection,
  Submission,
  type SubmissionOptions
} from "../../core/use_cases/mod.ts"
import { poolNetwork } from "../laws/mod.ts"
import { postedTransferOf } from "../laws/pool/_pool_rows.ts"
import { batchOfSelection as batchOfSelectionAfter } from "../laws/pool/_pool_world.ts"
import { genesis } from "./_subject.ts"

export const { batchOf, ownerOf } = poolNetwork
/** The signature that the verifier of these tests refuses. */
export const wrongSignature = "f".repeat(128)
export const wrongEthSignature = `0x${"f".repeat(130)}`

/** Counts verifications of signatures. */
export interface VerificationCounts {
  count: number
  /** Runs during each verification. */
  hook?: Effect.Effect<void>
}

/** Replacements of the memory stores. */
export interface NodeOverrides {
  readonly pool?: (store: PoolStore["Service"]) => Partial<PoolStore["Service"]>
  readonly reader?: (reader: LedgerReader["Service"]) => Partial<LedgerReader["Service"]>
}

const overriddenStores = ({ pool, reader }: NodeOverrides) =>
  Layer.merge(
    Layer.effect(PoolStore, Effect.map(PoolStore, (store) => ({ ...store, ...pool?.(store) })))
      .pipe(Layer.provide(poolLayer)),
    Layer.effect(
      LedgerReader,
      Effect.map(LedgerReader, (store) => ({ ...store, ...reader?.(store) }))
    ).pipe(Layer.provideMerge(layer(genesis)))
  )

/** A node in memory whose verifier refuses one signature of each kind. */
export const nodeLayer = (
  options: Partial<SubmissionOptions> = {},
  verified: VerificationCounts = { count: 0 },
  overrides: NodeOverrides = {}
) =>
  Layer.mergeAll(
    pooledLedger(genesis, keccak256),
    Submission.layer({ network: genesis.network, keccak256, ...options })
  ).pipe(
    Layer.provideMerge(Pool.layer({ keccak256 })),
    Layer.provideMerge(
      Layer.merge(
        overriddenStores(overrides),
        Layer.sync(SignatureVerifier, () => ({
          transaction: ({ signature }) =>
            Effect.as(verifying(verified), signature !== wrongSignature),
          authorization: ({ signature }) =>
            Effect.as(verifying(verified), signature !== wrongEthSignature)
        }))
      )
    )
  )

const verifying = (verified: VerificationCounts) =>
  Effect.suspend(() => {
    verified.count++
    return verified.hook ?? Effect.void
  })

/** A ledger that does not reconcile the pool. */
export const bareLedger = Effect.provide(Ledger, Ledger.layer(genesis, keccak256))

/** Applies the blocks of the first accounts; returns the chain. */
export const openChain = Effect.gen(function*() {
  const ledger = yield* Ledger
  const chain = new poolNetwork.PoolChain(genesis)
  for (const block of chain.opening()) yield* ledger.applyBlock(block)
  return chain
})

/**
 * Returns a valid transaction from the first account to the second, with some parts replaced; the
 * id follows from the rest.
 */
export const postedOf = (parts: Partial<PostedTransaction> = {}): PostedTransaction =>
  postedTransferOf(parts, keccak256)

/** The transaction that `postedOf` returns, as a batch forges it. */
export const transfer = {
  fromAccountIndex: 256,
  toAccountIndex: 257,
  amount: 1000n,
  fee: 126,
  nonce: 0n
}

/** Returns the batch that forges a selection without new accounts. */
export const batchOfSelection = (selection: Selection): BatchFeed =>
  batchOfSelectionAfter(selection, [])
