import { Result } from "effect"
import type { L2Feed } from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  EXIT_ACCOUNT,
  feeAmount,
  FIRST_USER_ACCOUNT,
  INTERNAL_ADDRESS
} from "../../../core/encoding/mod.ts"
import {
  type Context,
  type Budget,
  type Budgets,
  lastAccountIndex,
  randomShare,
  type World
} from "../world/mod.ts"

/** A planned L2 transaction: users sign its nonce. */
export type PlannedL2 = Required<L2Feed>

/**
 * Plans up to `count` L2 transactions, a few more with exits, and deducts them from the budgets.
 */
export function planTransfers(
  context: Context,
  world: World,
  budgets: Budgets,
  count: number
): Array<PlannedL2> {
  const planned: Array<PlannedL2> = []
  if (world.accounts.length < 2) return planned
  for (let i = 0; i < count; i++) {
    const feed = planTransfer(context, world, budgets)
    if (feed !== undefined) planned.push(feed)
  }
  if (count > 0 && context.schedule.takeDue("severalExits")) {
    planned.push(...severalExits(context, world, budgets))
  }
  return planned
}

/** Fee selectors of up to half a percent. */
const FEES = [0, 1, 20, 24, 26, 28, 28, 30, 30, 31, 32, 36, 40] as const

/** Returns a fee selector: rarely one of a percent and more, and at times more than the amount. */
function feeSelector({ random, schedule }: Context): number {
  if (schedule.takeDue("greatFee")) return random.integer(192, 255)
  return random.chance(0.02) ? random.integer(41, 191) : random.oneOf(FEES)
}

/**
 * Maximum share of a balance that one transaction sends, in 4096ths; with the highest fee, an
 * eighth.
 */
const SHARE_MAX = 256

function planTransfer(context: Context, world: World, budgets: Budgets): PlannedL2 | undefined {
  const { wallets, random, settings } = context
  const isHeavy = settings.heavyShare > 0 && random.chance(settings.heavyShare)
  const heavySends = isHeavy && random.chance(0.5)
  const sender = budgets.of(heavySends ? FIRST_USER_ACCOUNT : pickSender(context, world, isHeavy))
  if (sender === undefined || !wallets.controls(sender.account.publicKey)) return undefined
  if (
    !isHeavy && random.chance(settings.exitShare) && sender.account.address !== INTERNAL_ADDRESS
  ) {
    return makeTransfer(context, sender, EXIT_ACCOUNT)
  }
  const receiver = isHeavy && !heavySends
    ? FIRST_USER_ACCOUNT
    : random.pick(world.accountsOfToken[sender.account.tokenId] ?? [])
  return receiver === undefined ? undefined : makeTransfer(context, sender, receiver)
}

/** Picks any account; if `isHeavy`, one with the same token as the first account. */
function pickSender({ random }: Context, world: World, isHeavy: boolean): AccountIndex {
  const partners = isHeavy ? world.accountsOfToken[world.accounts[0]?.tokenId ?? 0] : undefined
  return (partners && random.pick(partners)) ??
    FIRST_USER_ACCOUNT + random.integer(0, world.accounts.length - 1)
}

function makeTransfer(
  context: Context,
  budget: Budget,
  toAccountIndex: AccountIndex
): PlannedL2 | undefined {
  const { random } = context
  const fee = feeSelector(context)
  // the fee of these selectors is the amount times a power of 2
  const spendable = fee < 192 ? budget.available : budget.available >> BigInt(fee - 191)
  const amount = randomShare(random, spendable, SHARE_MAX)
  // the share of an indivisible token can be 0; a transfer of 0 is valid and rare
  if (amount === 0n && (toAccountIndex === EXIT_ACCOUNT || random.chance(0.95))) return undefined
  const nonce = budget.nonce++
  budget.available -= amount + Result.getOrThrow(feeAmount(amount, fee))
  return { fromAccountIndex: budget.account.index, toAccountIndex, amount, fee, nonce }
}

/**
 * Plans a transfer of 0 to an account that does not exist, or to one of another token, if it is due:
 * a batch can contain them, but the pool refuses them.
 */
export function planEmptyTransfer(
  { random, schedule, wallets }: Context,
  world: World,
  budgets: Budgets
): ReadonlyArray<L2Feed> {
  const sender = budgets.of(random.pick(world.accounts)?.index ?? 0)
  if (
    sender === undefined || !wallets.controls(sender.account.publicKey) ||
    !schedule.takeDue("emptyTransfer")
  ) return []
  const { index: fromAccountIndex, tokenId } = sender.account
  const other = random.pick(world.accounts.filter((account) => account.tokenId !== tokenId))
  const toAccountIndex = other === undefined || random.chance(0.5)
    ? lastAccountIndex(world) + random.integer(200, 5000)
    : other.index
  return [{ fromAccountIndex, toAccountIndex, amount: 0n, fee: 0, nonce: sender.nonce++ }]
}

/**
 * Plans several exits of one account in the same batch: they add up in one leaf of the exit tree.
 */
function* severalExits(context: Context, world: World, budgets: Budgets): Iterable<PlannedL2> {
  const account = context.random.pick(
    world.accounts.filter(({ address, balance, publicKey }) =>
      address !== INTERNAL_ADDRESS && balance > 100_000n && context.wallets.controls(publicKey)
    )
  )
  const budget = account && budgets.of(account.index)
  if (budget === undefined) return
  for (let count = context.random.integer(2, 3); count > 0; count--) {
    const feed = makeTransfer(context, budget, EXIT_ACCOUNT)
    if (feed !== undefined) yield feed
  }
}
