import type { Account, L1UserFeed, New } from "../../../core/domain/mod.ts"
import { INTERNAL_ADDRESS, NO_ACCOUNT } from "../../../core/encoding/mod.ts"
import { type Context, depositAmount, type Wallet, type World } from "../world/mod.ts"

/** An L1 user transaction before it has a position in a queue. */
export type L1Request = Omit<L1UserFeed, "toForgeL1TransactionsNum" | "position">

/** Returns the request for an account of a wallet. */
export const creationOf = (
  { address, creationKey }: Wallet,
  tokenId: number,
  deposit: bigint
): L1Request => ({
  fromAddress: address,
  fromPublicKey: creationKey,
  fromAccountIndex: NO_ACCOUNT,
  toAccountIndex: NO_ACCOUNT,
  tokenId,
  depositAmount: deposit,
  amount: 0n
})

/** Returns a request of one kind; none if the chosen accounts do not allow it. */
export type MakeRequests = (context: Context, world: World) => ReadonlyArray<L1Request>

/** Kinds of requests, of which one is chosen. */
export type RequestKinds = readonly [MakeRequests, ...ReadonlyArray<MakeRequests>]

/** What a request is made from. */
export interface Choice extends Pick<Context, "random" | "wallets"> {
  /** The account that sends it. */
  readonly from: New<Account>
  readonly world: World
}

/**
 * Returns a request of an account with an Ethereum key to any account of the same token, with the
 * changes of `change`. By default it transfers nothing.
 */
export const requestBetween =
  (change: (choice: Choice) => Partial<L1Request> | undefined): MakeRequests =>
  ({ random, wallets }, world) => {
    const from = random.pick(world.accounts)
    if (
      from === undefined || from.address === INTERNAL_ADDRESS || !wallets.controls(from.publicKey)
    ) return []
    const toAccountIndex = random.pick(world.accountsOfToken[from.tokenId]!)!
    const changed = change({ from, random, wallets, world })
    return changed === undefined ? [] : [{
      fromAddress: from.address,
      fromPublicKey: null,
      fromAccountIndex: from.index,
      toAccountIndex,
      tokenId: from.tokenId,
      depositAmount: 0n,
      amount: 0n,
      ...changed
    }]
  }

/** Returns such a request with a deposit of the sender's token. */
export const depositRequest = (
  change: (choice: Choice & { readonly deposit: bigint }) => Partial<L1Request>
): MakeRequests =>
  requestBetween((choice) => {
    const deposit = depositInto(choice.from.tokenId, choice)
    return { depositAmount: deposit, ...change({ ...choice, deposit }) }
  })

/** Returns the amount of a deposit of a token. */
export const depositInto = (
  tokenId: number,
  { random, world }: Pick<Choice, "random" | "world">
): bigint => depositAmount(random, world.tokens[tokenId]!)

/** Returns the fields with which a transaction creates another account for its sender. */
export const creatingSender = ({ publicKey }: New<Account>): Partial<L1Request> => ({
  fromAccountIndex: NO_ACCOUNT,
  fromPublicKey: publicKey
})
