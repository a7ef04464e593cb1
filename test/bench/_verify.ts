import { Effect } from "effect"
import { availableParallelism } from "node:os"
import {
  derivePublicKey,
  signTransaction,
  inlineVerifier,
  verifyTransaction
} from "../../adapters/crypto/mod.ts"
import { verifierWorkers } from "../../adapters/crypto/node.ts"
import type { PublicKey } from "../../core/encoding/mod.ts"
import { SignatureVerifier, type SignedTransaction } from "../../core/ports/mod.ts"
import { showFigure } from "./_figures.ts"

const network = {
  prefix: "zk",
  name: "Bench",
  chainId: 1337,
  rollupAddress: `0x${"ab".repeat(20)}`
}

export interface VerifyBenchOptions {
  /** Signatures in each round. */
  readonly count: number
  readonly rounds: number
}

/**
 * Measures verified transactions per second: message hash, key and signature, without HTTP and
 * stores. Each wallet signs ten, so nine of ten keys are cached. The figure for workers includes
 * the copying between threads, but not their start.
 */
export async function benchVerify({ count, rounds }: VerifyBenchOptions): Promise<void> {
  const signed = Array.from({ length: count }, (_, i) => sign(i))
  const bare = best(rounds, () => {
    for (const { publicKey, transaction } of signed) {
      verifyTransaction(publicKey, transaction, network.chainId)
    }
  })
  const all = Effect.gen(function*() {
    const verifier = yield* SignatureVerifier
    const verifyAll = Effect.forEach(
      signed,
      ({ publicKey, transaction }) => verifier.transaction(transaction, publicKey),
      {
        concurrency: "unbounded",
        discard: true
      }
    )
    yield* verifyAll
    let bestMs = Infinity
    for (let round = 0; round < rounds; round++) {
      const startMs = performance.now()
      yield* verifyAll
      bestMs = Math.min(bestMs, performance.now() - startMs)
    }
    return bestMs
  })
  const inPlace = await Effect.runPromise(all.pipe(Effect.provide(inlineVerifier(network))))
  const workersMax = availableParallelism()
  const overWorkers = await Effect.runPromise(
    all.pipe(Effect.provide(verifierWorkers(network, { workersMax, queueMax: count })))
  )
  const perSecond = (ms: number) => Math.round(count / ms * 1000)
  showFigure({ name: "signatures, bare function", measured: `${perSecond(bare)}/s on one core` })
  showFigure({
    name: "signatures, port, in place ÷ bare",
    measured: (bare / inPlace).toFixed(2),
    conditions: `${perSecond(inPlace)}/s`
  })
  showFigure({
    name: `signatures, port, ${workersMax} workers ÷ bare on as many cores`,
    measured: (bare / overWorkers / workersMax).toFixed(2),
    conditions: `${perSecond(overWorkers)}/s`
  })
}

function sign(
  i: number
): { readonly publicKey: PublicKey; readonly transaction: SignedTransaction } {
  const wallet = Math.floor(i / 10)
  const privateKey = new Uint8Array(32).fill(wallet % 256)
  privateKey[0] = wallet >> 8
  const unsigned = {
    tokenId: 0,
    fromAccountIndex: 256 + wallet,
    toAccountIndex: 256,
    toAddress: null,
    toPublicKey: null,
    amount: 1000n,
    fee: 126,
    nonce: BigInt(i % 10),
    request: null
  }
  return {
    publicKey: derivePublicKey(privateKey),
    transaction: { ...unsigned, signature: signTransaction(privateKey, unsigned, network.chainId) }
  }
}

/**
 * Returns the minimum of some runs after a warm-up: on a shared machine, other processes cause
 * everything above it.
 */
function best(rounds: number, run: () => void): number {
  run()
  let bestMs = Infinity
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now()
    run()
    bestMs = Math.min(bestMs, performance.now() - startMs)
  }
  return bestMs
}
