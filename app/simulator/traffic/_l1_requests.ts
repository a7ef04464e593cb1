import type { Account, L1UserFeed, New } from "../../../core/domain/mod.ts"
import { type AccountIndex, INTERNAL_ADDRESS, NO_ACCOUNT } from "../../../core/encoding/mod.ts"
import { accountOf, type Context, depositAmount, type Wallet, type World } from "../world/mod.ts"

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

/** Picks an account with an Ethereum key, and any account of the same token. */
function pickAccounts(
  { wallets, random }: Context,
  world: World
): { readonly from: New<Account>; readonly to: New<Account> } | undefined {
  const from = random.pick(world.accounts)
  if (
    from === undefined || from.address === INTERNAL_ADDRESS || !wallets.controls(from.publicKey)
  ) {
    return undefined
  }
  const to = accountOf(world, random.pick(world.accountsOfToken[from.tokenId] ?? []) ?? from.index)
  return to === undefined ? undefined : { from, to }
}

/**
 * Returns a request between two accounts of the same token, with the changes of `change`. By default
 * it transfers nothing.
 */
export const requestBetween = (
  change: (
    from: New<Account>,
    to: New<Account>,
    context: Context,
    world: World
  ) => Partial<L1Request> | undefined
): MakeRequests =>
(context, world) => {
  const accounts = pickAccounts(context, world)
  if (accounts === undefined) return []
  const { from, to } = accounts
  const changed = change(from, to, context, world)
  return changed === undefined ? [] : [{
    fromAddress: from.address,
    fromPublicKey: null,
    fromAccountIndex: from.index,
    toAccountIndex: to.index,
    tokenId: from.tokenId,
    depositAmount: 0n,
    amount: 0n,
    ...changed
  }]
}

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
