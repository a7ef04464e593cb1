import { Effect, Layer, Result } from "effect"
import { memoryNode } from "../_memory_node.ts"
import { l1UserTransactionId, parsePublicKey } from "../../core/encoding/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { batchOf, blockOf, declared, l1Of } from "../use_cases/_chain.ts"
import { addressOf, genesis as ofTests } from "../use_cases/_network.ts"

/*
 * A network on which the recorded requests mean something: its prefix, name and chain are those of
 * the recordings. Accounts 256 (ether), 257 (ether) and 258 (token 2) belong to their wallets.
 */

export const network = {
  ...ofTests.network,
  prefix: "hez",
  name: "Hermez Network",
  chainId: 1337,
  rollupAddress: "0x10465b16615ae36f350268eb951d7b0187141d3b"
} as const
const genesis = { ...ofTests, network }

const keyOf = (text: string) => Result.getOrThrow(parsePublicKey("hez", text))
const sender = {
  fromAddress: "0x1a642f0e3c3af545e7acbd38b07251b3990914f1",
  fromPublicKey: keyOf("hez:iwTmAknmiIYz2xH9miPmd5b9MbvxUnQir4cHlwCmvQR9")
}
const receiver = {
  fromAddress: "0x5050a4f4b3f9338c3472dcc01a87c76a144b3c9c",
  fromPublicKey: keyOf("hez:2rJ3tU3UA4nK7LJQPVcxo8RjvSwXzf8lGWMFolvE6Jti")
}
const creations = [{ ...sender, tokenId: 0 }, { ...receiver, tokenId: 0 }, {
  ...sender,
  tokenId: 2
}].map((owner, position) =>
  l1Of(1, position, { ...owner, fromAccountIndex: 0, depositAmount: 10n ** 20n })
)

const addressEnding = (end: string) => `0x${end.padStart(40, "0")}`
/** A registration of a coordinator, which a later one of the same bidder replaces. */
const registration = (bidder: string, forger: string, url: string) => ({
  bidderAddr: addressEnding(bidder),
  forgerAddr: addressEnding(forger),
  url
})

/** Of token 2, which the accounts 256 and 257 do not hold: it has no effect. */
const ofOtherToken = l1Of(2, 0, {
  fromAddress: sender.fromAddress,
  fromPublicKey: null,
  fromAccountIndex: 256,
  toAccountIndex: 257,
  tokenId: 2,
  amount: 5n
})

const tokens = [["One", "ONE"], ["Governance", "HEZ"]].map(([name, symbol], i) => ({
  id: i + 1,
  ethereumAddress: addressOf(`${i + 1}`),
  name: name!,
  symbol: symbol!,
  decimals: 18
}))

const blocks = [
  blockOf(101n, { tokens, l1UserTransactions: creations }),
  blockOf(102n, {
    coordinators: [registration("b1", "f1", "http://one"), registration("b2", "f1", "http://two")],
    batches: [batchOf(1, { forgeL1TransactionsNum: 0 })]
  }),
  blockOf(103n, {
    coordinators: [registration("b1", "f2", "http://one.new")],
    batches: [batchOf(2, { forgeL1TransactionsNum: 1, l1UserEffects: creations.map(declared) })],
    l1UserTransactions: [ofOtherToken]
  }),
  blockOf(104n, { batches: [batchOf(3), batchOf(4), batchOf(5)] })
]
export const queuedId = l1UserTransactionId({ toForgeL1TransactionsNum: 2, position: 0 }, keccak256)

/** Returns a new node over that ledger. */
export const recordedNode = () =>
  Layer.effectDiscard(
    Effect.flatMap(Ledger, (ledger) => Effect.forEach(blocks, (block) => ledger.applyBlock(block)))
  ).pipe(Layer.provideMerge(memoryNode({ genesis })), Layer.orDie)
