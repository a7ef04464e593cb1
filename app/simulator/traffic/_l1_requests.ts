import type { Account, L1UserFeed, New } from "../../../core/domain/mod.ts"
import { type AccountIndex, INTERNAL_ADDRESS, NO_ACCOUNT } from "../../../core/encoding/mod.ts"
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

/**
 * Returns a request of an account with an Ethereum key to any account of the same token, with the
 * changes of `change`. By default it transfers nothing.
 */
export const requestBetween = (
  change: (from: New<Account>, context: Context, world: World) => Partial<L1Request> | undefined
): MakeRequests =>
(context, world) => {
  const { random, wallets } = context
  const from = random.pick(world.accounts)
  if (
    from === undefined || from.address === INTERNAL_ADDRESS || !wallets.controls(from.publicKey)
  ) return []
  const toAccountIndex = random.pick(world.accountsOfToken[from.tokenId]!)!
  const changed = change(from, context, world)
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
  change: (
    from: New<Account>,
    deposit: bigint,
    context: Context,
    world: World
  ) => Partial<L1Request>
): MakeRequests =>
  requestBetween((from, context, world) => {
    const deposit = depositInto(from, context, world)
    return { depositAmount: deposit, ...change(from, deposit, context, world) }
  })

/** Returns the amount of a deposit into an account. */
export const depositInto = (
  { tokenId }: Pick<Account, "tokenId">,
  { random }: Context,
  world: World
): bigint => depositAmount(random, world.tokens[tokenId] ?? UNKNOWN)

export const UNKNOWN = { decimals: 0, priceUSD: null }

/** Returns the fields with which a transaction creates another account for its sender. */
export const creatingSender = ({ publicKey }: New<Account>): Partial<L1Request> => ({
  fromAccountIndex: NO_ACCOUNT,
  fromPublicKey: publicKey
})

/** Returns the newest account of another token. */
export const otherToken = (from: New<Account>, world: World): AccountIndex | undefined =>
  world.accounts.findLast(({ tokenId }) => tokenId !== from.tokenId)?.index
