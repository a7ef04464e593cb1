import { Effect, Layer } from "effect"
import {
  derivePublicKey,
  ethereumAddress,
  keccak256,
  signAuthorization,
  signTransaction
} from "../../adapters/crypto/mod.ts"
import type { NodeOptions } from "../../app/node/layers.ts"
import { memoryNode } from "../_memory_node.ts"
import { bodyWriter, later, wireContext } from "../../core/contract/mod.ts"
import type { PostedAuthorization, PostedTransaction } from "../../core/domain/mod.ts"
import type { PublicKey } from "../../core/encoding/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { postedTransferOf } from "../laws/pool/_pool_rows.ts"
import { batchOf, blockOf, declared, internal, l1Of } from "../use_cases/_chain.ts"
import { addressOf, genesis } from "../use_cases/_network.ts"

/*
 * A ledger with funded wallets and real keys: ether 256 (Ann) and 257 (Bob), token 1 258 (Ann) and
 * 259 (Cleo).
 */

export interface Wallet {
  readonly privateKey: Uint8Array
  readonly ethereumKey: Uint8Array
  readonly address: string
  readonly publicKey: PublicKey
}

export const wallet = (number: number): Wallet => {
  const privateKey = new Uint8Array(32).fill(number)
  return {
    privateKey,
    ethereumKey: privateKey,
    address: ethereumAddress(privateKey),
    publicKey: derivePublicKey(privateKey)
  }
}
export const [ann, bob, cleo] = [wallet(11), wallet(12), wallet(13)] as const

export const { network } = genesis
export const context = wireContext(network, keccak256)

const creations = [[ann, 0], [bob, 0], [ann, 1], [cleo, 1]].map(([owner, tokenId], position) =>
  l1Of(1, position, {
    fromAddress: (owner as Wallet).address,
    fromPublicKey: (owner as Wallet).publicKey,
    fromAccountIndex: 0,
    tokenId: tokenId as number,
    depositAmount: 10n ** 20n
  })
)

/** Ether costs two dollars, a whole token three. */
export const blocks = [
  blockOf(101n, {
    tokens: [{ id: 1, ethereumAddress: addressOf("e"), name: "One", symbol: "ONE", decimals: 18 }],
    prices: [{ tokenId: 0, priceUSD: 2, timeMs: 101_000 }, {
      tokenId: 1,
      priceUSD: 3,
      timeMs: 101_000
    }],
    l1UserTransactions: creations
  }),
  blockOf(102n, { batches: [batchOf(1, { forgeL1TransactionsNum: 0 })] }),
  blockOf(103n, {
    batches: [batchOf(2, {
      forgeL1TransactionsNum: 1,
      l1UserEffects: creations.map(declared),
      l1Coordinator: [{
        address: internal.address,
        publicKey: internal.key,
        tokenId: 0,
        signature: null
      }]
    })]
  })
]

/** Returns a node over that ledger. */
export const fundedNode = (options: Partial<NodeOptions> = {}) =>
  Layer.effectDiscard(
    Effect.flatMap(Ledger, (ledger) => Effect.forEach(blocks, (block) => ledger.applyBlock(block)))
  ).pipe(Layer.provideMerge(memoryNode({ genesis, ...options })), Layer.orDie)

/** Returns a transfer of a little ether from Ann to Bob, with some parts replaced. */
export const signed = (
  by: Wallet,
  parts: Partial<Omit<PostedTransaction, "id" | "signature">> = {}
): PostedTransaction => {
  const wish = postedTransferOf({ amount: 10n ** 16n, fee: 20, ...parts }, keccak256)
  return { ...wish, signature: signTransaction(by.privateKey, wish, network.chainId) }
}

export const authorized = (
  by: Wallet,
  publicKey: PublicKey = by.publicKey
): PostedAuthorization => ({
  address: by.address,
  publicKey,
  signature: signAuthorization(by.ethereumKey, publicKey, network)
})

/** Accounts 258 and 259 are of token 1. */
const symbolOf = (index: number) => index === 258 || index === 259 ? "ONE" : "ETH"
export const transactionText = bodyWriter(later.bodies.transaction, context, symbolOf)
export const authorizationText = bodyWriter(later.bodies.authorization, context)
