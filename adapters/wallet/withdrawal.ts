import type { MerkleProof } from "../../core/domain/mod.ts"
import {
  type AccountIndex,
  INTERNAL_ADDRESS,
  publicKeyToBigEndianHex
} from "../../core/encoding/mod.ts"
import type { later } from "../client/mod.ts"
import { type ProvenExit, verifyExitProof } from "../crypto/mod.ts"

/**
 * The arguments of `withdrawMerkleProof` of the rollup contract, in its order. `Object.values`
 * returns them as a list.
 */
export interface WithdrawData {
  readonly tokenId: number
  /** Units of the token. */
  readonly amount: bigint
  /** The compressed key as a number. */
  readonly publicKey: bigint
  /** The batch of the exit. */
  readonly batchNum: number
  /** From the root downwards. */
  readonly siblings: ReadonlyArray<bigint>
  readonly accountIndex: AccountIndex
  /** False sends the tokens to the contract that delays withdrawals. */
  readonly instant: boolean
}

/**
 * Returns the withdrawal data of an exit whose proof leads to the exit root. Throws InvalidExit if
 * it does not, or if no Ethereum address can withdraw it.
 */
export function withdrawDataOf(
  exit: later.Exit,
  owner: Omit<ProvenExit, "balance" | "merkleProof">,
  exitRoot: bigint,
  instant: boolean
): WithdrawData {
  const { batchNum } = exit
  const { accountIndex, publicKey, tokenId } = owner
  if (owner.address === INTERNAL_ADDRESS) {
    throw new InvalidExit(
      `Account ${accountIndex} is internal and has no Ethereum address: it cannot withdraw`
    )
  }
  const merkleProof = proofOf(exit)
  const amount = BigInt(exit.balance)
  if (!verifyExitProof({ ...owner, balance: amount, merkleProof }, exitRoot)) {
    throw new InvalidExit(
      `The proof of the exit of account ${accountIndex} in batch ${batchNum} does not lead from ${amount} units of token ${tokenId} to the exit root ${exitRoot}: read the exit again, since a rollback may have replaced its batch`
    )
  }
  return {
    tokenId,
    amount,
    publicKey: BigInt(`0x${publicKeyToBigEndianHex(publicKey)}`),
    batchNum,
    siblings: merkleProof.siblings,
    accountIndex,
    instant
  }
}

const proofOf = ({ merkleProof }: later.Exit): MerkleProof => ({
  root: BigInt(merkleProof.root),
  siblings: merkleProof.siblings.map(BigInt),
  oldKey: BigInt(merkleProof.oldKey),
  oldValue: BigInt(merkleProof.oldValue),
  isOld0: merkleProof.isOld0,
  key: BigInt(merkleProof.key),
  value: BigInt(merkleProof.value),
  fnc: merkleProof.fnc as MerkleProof["fnc"]
})

/**
 * The exit cannot be withdrawn: its proof does not lead to the exit root, or its account is
 * internal.
 *
 * @example
 * ```ts
 * import { rollupClient, valueOf } from "rollup-node-api/client"
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 * import { connect, InvalidExit, walletFromSeed } from "rollup-node-api/wallet"
 *
 * const simulation = simulate({ seed: 1 })
 * const node = await openNode({ genesis: simulation.genesis })
 * while (simulation.transactionCount() < 200) await node.applyRecord(simulation.next())
 * const target = { url: "http://node", fetch: node.fetch }
 * const wallet = walletFromSeed(simulation.demoWallet.privateKey)
 * const account = await (await connect(target)).account(wallet, "ETH")
 * const [exit] = valueOf(await rollupClient(target).getExits({ limit: 1 })).exits
 * // the exit of another account
 * const error = await account.withdrawData(exit!).catch((error: unknown) => error)
 * if (error instanceof InvalidExit) console.log(error.message.includes("does not lead")) // => true
 * await node.close()
 * ```
 */
export class InvalidExit extends Error {
  readonly _tag = "InvalidExit"
}
