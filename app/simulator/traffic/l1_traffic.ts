import type { Account, L1UserFeed, New } from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  EXIT_ACCOUNT,
  INTERNAL_ADDRESS,
  NO_ACCOUNT
} from "../../../core/encoding/mod.ts"
import {
  accountOf,
  type Context,
  depositAmount,
  lastAccountIndex,
  type Wallet,
  floorAmount,
  randomShare,
  type World
} from "../world/mod.ts"

/** An L1 user transaction before it has a position in a queue. */
export type L1Request = Omit<L1UserFeed, "toForgeL1TransactionsNum" | "position">

/** Returns the L1 transactions that users and coordinators send in a block. */
export function l1Requests(context: Context, world: World): ReadonlyArray<L1Request> {
  const { schedule, random } = context
  const requests = [...arrivals(context, world)]
  for (let count = world.accounts.length > 20 ? random.integer(1, 3) : 0; count > 0; count--) {
    requests.push(...random.oneOf(VALID)(context, world))
  }
  if (world.accounts.length > 20 && schedule.takeDue("partFailure")) {
    requests.push(...random.oneOf(PARTLY_VALID)(context, world))
  }
  if (world.accounts.length > 20 && schedule.takeDue("wholeFailure")) {
    requests.push(...random.oneOf(WITHOUT_EFFECT)(context, world))
  }
  return requests
}

/** Returns how many users arrive per block, until the configured number is reached. */
export const arrivalsPerBlock = (users: number): number =>
  Math.min(100, Math.max(4, Math.ceil(users / 20)))

function* arrivals(context: Context, world: World): Iterable<L1Request> {
  const { schedule, wallets, random, settings } = context
  if (world.lastBatchNum === 0 && world.users === 0) {
    yield* coordinatorAccounts(context, world)
    yield* demoAccounts(context, world)
  }
  const missing = settings.users - world.users
  const count = missing > 0
    ? Math.min(missing, arrivalsPerBlock(settings.users))
    : schedule.takeDue("latecomer")
    ? 1
    : 0
  for (let arrived = 0; arrived < count; arrived++) {
    const wallet = wallets.user(world.users++)
    // coordinators create the accounts of internal users
    if (wallet.address === INTERNAL_ADDRESS) continue
    for (let count = random.oneOf([1, 1, 1, 2, 3]); count > 0; count--) {
      yield randomCreation(context, world, wallet)
    }
  }
}

/** Creates an account of each token for each coordinator, on which it collects fees. */
function* coordinatorAccounts(
  { wallets, random, settings }: Context,
  world: World
): Iterable<L1Request> {
  for (let number = 0; number <= settings.coordinators; number++) {
    for (const token of world.tokens) {
      yield creationOf(wallets.coordinator(number), token.id, depositAmount(random, token))
    }
  }
}

/** Creates the accounts of the demo wallet: 100 whole tokens of each of the first two tokens. */
function* demoAccounts({ wallets }: Context, world: World): Iterable<L1Request> {
  for (const { decimals, id } of world.tokens.slice(0, 2)) {
    yield creationOf(wallets.demo(), id, 100n * 10n ** BigInt(decimals))
  }
}

function randomCreation({ random }: Context, world: World, wallet: Wallet): L1Request {
  // ether and the first tokens have the most accounts
  const tokenId = random.skewed(world.tokens.length)
  return creationOf(wallet, tokenId, depositAmount(random, world.tokens[tokenId] ?? UNKNOWN))
}

const creationOf = (
  { address, publicKey }: Wallet,
  tokenId: number,
  deposit: bigint
): L1Request => ({
  fromAddress: address,
  fromPublicKey: publicKey,
  fromAccountIndex: NO_ACCOUNT,
  toAccountIndex: NO_ACCOUNT,
  tokenId,
  depositAmount: deposit,
  amount: 0n
})

/** Returns a request of one kind; none if the chosen accounts do not allow it. */
type MakeRequests = (context: Context, world: World) => ReadonlyArray<L1Request>

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

const requestBetween = (
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

const depositInto = ({ tokenId }: New<Account>, { random }: Context, world: World): bigint =>
  depositAmount(random, world.tokens[tokenId] ?? UNKNOWN)

const UNKNOWN = { decimals: 0, priceUSD: null }

/** Returns the fields with which a transaction creates another account for its sender. */
const creatingSender = ({ publicKey }: New<Account>): Partial<L1Request> => ({
  fromAccountIndex: NO_ACCOUNT,
  fromPublicKey: publicKey
})

const otherToken = (from: New<Account>, world: World): AccountIndex | undefined =>
  world.accounts.findLast(({ tokenId }) => tokenId !== from.tokenId)?.index

/** Requests that take full effect. */
const VALID: readonly [MakeRequests, ...Array<MakeRequests>] = [
  requestBetween((from, _to, context, world) => ({
    toAccountIndex: NO_ACCOUNT,
    depositAmount: depositInto(from, context, world)
  })),
  requestBetween((from, _to, context, world) => {
    const deposit = depositInto(from, context, world)
    return { depositAmount: deposit, amount: floorAmount(deposit / 2n) }
  }),
  requestBetween(({ balance }, _to, { random }) => ({ amount: randomShare(random, balance, 400) })),
  requestBetween(({ balance }, _to, { random }) => ({
    toAccountIndex: EXIT_ACCOUNT,
    amount: randomShare(random, balance, 400)
  })),
  requestBetween((from, _to, context, world) => {
    const deposit = depositInto(from, context, world)
    return { ...creatingSender(from), depositAmount: deposit, amount: floorAmount(deposit / 3n) }
  })
]

/** Requests whose transfer has no effect. A deposit takes effect. */
const PARTLY_VALID: readonly [MakeRequests, ...Array<MakeRequests>] = [
  // receiver of another token: the sender keeps the deposit
  requestBetween((from, _to, context, world) => {
    const toAccountIndex = otherToken(from, world)
    return toAccountIndex === undefined
      ? undefined
      : { toAccountIndex, depositAmount: depositInto(from, context, world), amount: 1n }
  }),
  // more than the balance
  requestBetween((from, _to, context, world) => {
    const deposit = depositInto(from, context, world)
    return { depositAmount: deposit, amount: floorAmount((from.balance + deposit) * 1000n) }
  }),
  // not sent by the owner
  requestBetween((from, _to, context, world) => ({
    fromAddress: context.wallets.coordinator(0).address,
    depositAmount: depositInto(from, context, world),
    amount: 1n
  })),
  requestBetween((_from, _to, { wallets }) => ({
    fromAddress: wallets.contractAddress("thief"),
    toAccountIndex: EXIT_ACCOUNT,
    amount: 1n
  })),
  // a new account that sends more than its deposit
  requestBetween((from, _to, context, world) => {
    const deposit = depositInto(from, context, world)
    return { ...creatingSender(from), depositAmount: deposit, amount: deposit * 10n }
  })
]

/** Requests without any effect. */
const WITHOUT_EFFECT: readonly [MakeRequests, ...Array<MakeRequests>] = [
  // in turn: unknown receiver, unknown sender, another token than the sender's, unknown receiver
  requestBetween((from, _to, context, world) => ({
    toAccountIndex: lastAccountIndex(world) + 5000,
    depositAmount: depositInto(from, context, world),
    amount: 1n
  })),
  requestBetween((from, _to, context, world) => ({
    fromAccountIndex: lastAccountIndex(world) + 5000,
    depositAmount: depositInto(from, context, world),
    amount: 1n
  })),
  requestBetween((from, _to, context, world) => ({
    tokenId: (from.tokenId + 1) % world.tokens.length,
    depositAmount: depositInto(from, context, world)
  })),
  requestBetween((from, _to, context, world) => ({
    ...creatingSender(from),
    toAccountIndex: lastAccountIndex(world) + 5000,
    depositAmount: depositInto(from, context, world),
    amount: 1n
  }))
]
