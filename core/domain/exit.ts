import type { AccountIndex, EthereumAddress, PublicKey } from "../encoding/mod.ts"
import type { Token, TokenId } from "./token.ts"

/** Proof that a leaf is in a tree of accounts: of a batch's exits, or of the state (domain §1.2); big values are elements of the scalar field. */
export interface MerkleProof {
  readonly root: bigint
  /** From the root downwards, without trailing zeros: the form that the withdrawal contract takes. */
  readonly siblings: ReadonlyArray<bigint>
  readonly oldKey: bigint
  readonly oldValue: bigint
  readonly isOld0: boolean
  /** Account index as a number. */
  readonly key: bigint
  /** Hash of the leaf; an exit leaf is the account with the balance that leaves and nonce 0. */
  readonly value: bigint
  /** 0 = inclusion, the only kind that is served. */
  readonly fnc: number
}

/** A leaf of the exit tree of one batch: what an account may withdraw. */
export interface Exit {
  readonly itemId: number
  readonly batchNum: number
  readonly accountIndex: AccountIndex
  readonly tokenId: TokenId
  readonly address: EthereumAddress
  readonly publicKey: PublicKey
  readonly merkleProof: MerkleProof
  /** Units that leave, above zero. */
  readonly balance: bigint
  /** Ethereum block of the instant withdrawal, or null. */
  readonly instantWithdrawn: bigint | null
  /** Ethereum block in which the withdrawal went to the delayer, or null. */
  readonly delayedWithdrawRequest: bigint | null
  /** Ethereum block in which the delayed withdrawal was collected, or null. */
  readonly delayedWithdrawn: bigint | null
}

/** An exit as it is shown: with its token. */
export interface ExitView {
  readonly exit: Exit
  readonly token: Token
}

/** A requested but uncollected delayed withdrawal is still pending. */
export const isPendingWithdraw = (exit: Exit): boolean =>
  exit.instantWithdrawn === null && exit.delayedWithdrawn === null
