import type { L1CoordinatorFeed, TokenId } from "../../../core/domain/mod.ts"
import { EMPTY_PUBLIC_KEY, INTERNAL_ADDRESS } from "../../../core/encoding/mod.ts"
import { accountOf, type Context, type Wallet, type World } from "../world/mod.ts"

/**
 * Returns accounts that the coordinator creates in a batch with a queue: for users and for itself.
 */
export function coordinatorAccounts(
  context: Context,
  world: World
): ReadonlyArray<L1CoordinatorFeed> {
  const { schedule, wallets, random } = context
  if (world.users < 12) return []
  const accounts: Array<NewAccount> = []
  if (schedule.takeDue("coordinatorAccount")) {
    const tokenId = random.integer(0, world.tokens.length - 1)
    accounts.push(
      missingFeeAccount(context, world) ??
        { wallet: wallets.user(random.integer(0, world.users - 1)), tokenId }
    )
  }
  if (schedule.takeDue("internalAccount")) {
    const number = 12 * random.integer(1, Math.floor(world.users / 12)) - 1
    accounts.push({ wallet: wallets.user(number), tokenId: random.skewed(world.tokens.length) })
  }
  // the contract accepts any key for an internal account
  const withEmptyKey = schedule.takeDue("emptyKeyAccount")
    ? [{
      address: INTERNAL_ADDRESS,
      publicKey: EMPTY_PUBLIC_KEY,
      tokenId: random.skewed(world.tokens.length),
      signature: null
    }]
    : []
  return [...accounts.map((account) => feedOf(context, account)), ...withEmptyKey]
}

interface NewAccount {
  readonly wallet: Wallet
  readonly tokenId: TokenId
}

/** Returns a coordinator and a token of which it cannot collect fees yet. */
function missingFeeAccount(
  { wallets, random, settings }: Context,
  world: World
): NewAccount | undefined {
  const wallet = wallets.coordinator(random.integer(0, settings.coordinators))
  const ownTokens = new Set(
    (world.feeAccounts.get(wallet.publicKey) ?? []).map((index) => accountOf(world, index)?.tokenId)
  )
  const tokenId = world.tokens.findIndex(({ id }) => !ownTokens.has(id))
  return tokenId < 0 ? undefined : { wallet, tokenId }
}

const feedOf = ({ wallets }: Context, { wallet, tokenId }: NewAccount): L1CoordinatorFeed => ({
  address: wallet.address,
  // an authorization names the key, an internal account has none
  publicKey: wallet.address === INTERNAL_ADDRESS ? wallet.creationKey : wallet.publicKey,
  tokenId,
  signature: wallets.authorization(wallet)
})
