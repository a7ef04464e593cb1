import { Result } from "effect"
import { verifyExitProof } from "../../../adapters/crypto/mod.ts"
import { parseEthereumAddress, parsePublicKey } from "../../../core/encoding/mod.ts"

/** The fields of an exit with which the library withdraws on Ethereum. */
export interface ShownExit {
  readonly bjj: string
  readonly hezEthereumAddress: string
  readonly accountIndex: string
  readonly balance: string
  readonly token: { readonly id: number }
  readonly merkleProof: {
    readonly root: string
    readonly siblings: ReadonlyArray<string>
    readonly key: string
    readonly value: string
    readonly fnc: 0
  }
}

/** Returns whether the proof of an exit leads to the exit root, from the answers of the library alone. */
export const isProven = (
  { accountIndex, balance, bjj, hezEthereumAddress, merkleProof, token }: ShownExit,
  exitRoot: bigint
): boolean => {
  const { fnc, key, root, siblings, value } = merkleProof
  return verifyExitProof({
    accountIndex: Number(accountIndex.split(":")[2]),
    tokenId: token.id,
    balance: BigInt(balance),
    publicKey: Result.getOrThrow(parsePublicKey("hez", bjj)),
    address: Result.getOrThrow(parseEthereumAddress(hezEthereumAddress.replace("hez:", ""))),
    merkleProof: {
      root: BigInt(root),
      siblings: siblings.map(BigInt),
      oldKey: 0n,
      oldValue: 0n,
      isOld0: false,
      key: BigInt(key),
      value: BigInt(value),
      fnc
    }
  }, exitRoot)
}
