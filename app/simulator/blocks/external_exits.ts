import type { ExitFeed } from "../../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../../core/encoding/mod.ts"
import {
  accountOf,
  type BlockDraft,
  type Context,
  type ExternalExit,
  type World
} from "../world/mod.ts"

/**
 * Exits of wallets that the simulator does not play: of the demo wallet and of whoever authorized an account over the interface. Their
 * owners have no Ethereum to withdraw on, so a simulated one does it for them, soon and always.
 */
export function externalExitsOf(
  { wallets }: Context,
  world: World,
  batchNum: number,
  { accountIndex, balance }: ExitFeed
): ReadonlyArray<ExternalExit> {
  const account = accountOf(world, accountIndex)
  if (
    account === undefined || account.address === INTERNAL_ADDRESS ||
    wallets.controls(account.publicKey)
  ) return []
  const { address, tokenId } = account
  const instant = worthUSD(world, tokenId, balance) <= INSTANT_MAX_USD
  return [{
    batchNum,
    accountIndex,
    tokenId,
    owner: address,
    instant,
    requested: false,
    dueBlock: world.block.number + WAIT_BLOCKS
  }]
}

/** Blocks from the exit to its withdrawal, and from the request of a delayed one to its collection. */
const WAIT_BLOCKS = 2n

/** What is worth more goes through the delayer. */
const INSTANT_MAX_USD = 1000

/** Nothing where nobody knows a price. */
function worthUSD({ tokens }: World, tokenId: number, balance: bigint): number {
  const { decimals, priceUSD } = tokens[tokenId]!
  return Number(balance) / 10 ** decimals * (priceUSD ?? 0)
}

/** Withdraws what is due, and collects what was requested and is due. */
export function withdrawExternal(world: World, draft: BlockDraft): void {
  const due = world.externalExits.filter(({ dueBlock }) => dueBlock <= world.block.number)
  if (due.length === 0) return
  const left = world.externalExits.filter((exit) => !due.includes(exit))
  const withdrawals = due.filter(({ requested }) => !requested)
  const collections = new Map(
    due.filter(({ requested }) => requested).map((
      { owner, tokenId }
    ) => [`${owner} ${tokenId}`, { owner, tokenId }])
  )
  if (withdrawals.length > 0) {
    draft.withdrawals = [
      ...draft.withdrawals ?? [],
      ...withdrawals.map(({ accountIndex, batchNum, instant }) => ({
        batchNum,
        accountIndex,
        instant
      }))
    ]
  }
  if (collections.size > 0) {
    draft.delayedWithdrawals = [...draft.delayedWithdrawals ?? [], ...collections.values()]
  }
  // a collection takes all that its owner requested of the token before, due or not
  const uncollected = left.filter(({ owner, requested, tokenId }) =>
    !(requested && collections.has(`${owner} ${tokenId}`))
  )
  const requested = withdrawals.filter(({ instant }) => !instant)
  world.externalExits = [
    ...uncollected,
    ...requested.map((exit) => ({
      ...exit,
      requested: true,
      dueBlock: world.block.number + WAIT_BLOCKS
    }))
  ]
}
