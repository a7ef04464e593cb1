import type { Account, New } from "../../../core/domain/mod.ts"
import { EXIT_ACCOUNT, NO_ACCOUNT } from "../../../core/encoding/mod.ts"
import {
  accountOf,
  type Context,
  floorAmount,
  lastAccountIndex,
  randomShare,
  type Wallets,
  type World
} from "../world/mod.ts"
import {
  creatingSender,
  depositInto,
  depositRequest,
  type L1Request,
  type MakeRequests,
  otherToken,
  requestBetween
} from "./_l1_requests.ts"

const ofThief = (wallets: Wallets): Partial<L1Request> => ({
  fromAddress: wallets.contractAddress("thief")
})

/** Returns the index of an account that does not exist. */
const unknownAccount = (world: World) => lastAccountIndex(world) + 5000

/** Requests whose transfer has no effect. A deposit takes effect. */
const PARTLY_VALID: readonly [MakeRequests, ...Array<MakeRequests>] = [
  // receiver of another token: the sender keeps the deposit
  requestBetween((from, context, world) => {
    const toAccountIndex = otherToken(from, world)
    return toAccountIndex === undefined
      ? undefined
      : { toAccountIndex, depositAmount: depositInto(from, context, world), amount: 1n }
  }),
  // more than the balance
  depositRequest((from, deposit) => ({ amount: floorAmount((from.balance + deposit) * 1000n) })),
  // not sent by the owner
  depositRequest((_from, _deposit, { wallets }) => ({
    fromAddress: wallets.coordinator(0).address,
    amount: 1n
  })),
  // a new account that sends more than its deposit
  depositRequest((from, deposit) => ({ ...creatingSender(from), amount: deposit * 10n }))
]

/** Requests without any effect. */
const WITHOUT_EFFECT: readonly [MakeRequests, ...Array<MakeRequests>] = [
  // in turn: unknown receiver, unknown sender, another token than the sender's, unknown receiver
  depositRequest((_from, _deposit, _context, world) => ({
    toAccountIndex: unknownAccount(world),
    amount: 1n
  })),
  depositRequest((_from, _deposit, _context, world) => ({
    fromAccountIndex: unknownAccount(world),
    amount: 1n
  })),
  requestBetween((from, context, world) => depositOfNextToken(from, context, world)),
  depositRequest((from, _deposit, _context, world) => ({
    ...creatingSender(from),
    toAccountIndex: unknownAccount(world),
    amount: 1n
  })),
  // forced transfers: more than the balance, another owner, another token, unknown receiver
  requestBetween(({ balance }) => ({ amount: floorAmount(balance * 1000n + 1000n) })),
  requestBetween((_from, { wallets }) => ({ ...ofThief(wallets), amount: 1n })),
  requestBetween((from, _context, world) => {
    const toAccountIndex = otherToken(from, world)
    return toAccountIndex === undefined ? undefined : { toAccountIndex, amount: 1n }
  }),
  requestBetween((_from, _context, world) => ({
    toAccountIndex: unknownAccount(world),
    amount: 1n
  })),
  // deposits: unknown account, another token than that of the account
  depositRequest((_from, _deposit, _context, world) => ({
    fromAccountIndex: unknownAccount(world),
    toAccountIndex: NO_ACCOUNT
  })),
  requestBetween((from, context, world) => ({
    toAccountIndex: NO_ACCOUNT,
    ...depositOfNextToken(from, context, world)
  }))
]

/** Returns a deposit of another token than that of an account. */
function depositOfNextToken(
  from: New<Account>,
  context: Context,
  world: World
): Partial<L1Request> {
  const tokenId = (from.tokenId + 1) % world.tokens.length
  return { tokenId, depositAmount: depositInto({ tokenId }, context, world) }
}

/** Forced exits without effect, alone or after an exit of the account with effect. */
const NULLIFIED_EXITS: readonly [MakeRequests, ...Array<MakeRequests>] = [
  // more than the balance
  nullifiedExit(({ balance }) => ({ amount: floorAmount(balance * 1000n + 1000n) })),
  // not sent by the owner
  nullifiedExit((_from, { wallets }) => ({ ...ofThief(wallets), amount: 1n })),
  // another token than that of the account
  nullifiedExit(({ tokenId }, _context, world) => ({
    tokenId: (tokenId + 1) % world.tokens.length,
    amount: 1n
  }))
]

function nullifiedExit(
  change: (from: New<Account>, context: Context, world: World) => Partial<L1Request>
): MakeRequests {
  return (context, world) => {
    const { random } = context
    const [exit] = requestBetween((from) => ({
      toAccountIndex: EXIT_ACCOUNT,
      amount: randomShare(random, from.balance, 400),
      ...change(from, context, world)
    }))(context, world)
    if (exit === undefined) return []
    const account = accountOf(world, exit.fromAccountIndex)
    if (account === undefined || random.chance(0.6)) return [exit]
    // the other exit of the account, with effect
    const other = {
      ...exit,
      fromAddress: account.address,
      tokenId: account.tokenId,
      amount: randomShare(random, account.balance, 400)
    }
    return random.chance(0.5) ? [other, exit] : [exit, other]
  }
}

/** New accounts with an exit, which never has an effect. */
const CREATIONS_WITH_EXIT: readonly [MakeRequests, ...Array<MakeRequests>] = [
  requestBetween((from) => ({ ...creatingSender(from), toAccountIndex: EXIT_ACCOUNT })),
  requestBetween((from, { random }) => ({
    ...creatingSender(from),
    toAccountIndex: EXIT_ACCOUNT,
    amount: floorAmount(BigInt(random.integer(1, 1_000_000)))
  }))
]

/** Requests that fail in whole or in part, by the event that causes them. */
export const FAILING = [
  ["partFailure", PARTLY_VALID],
  ["wholeFailure", WITHOUT_EFFECT],
  ["nullifiedExit", NULLIFIED_EXITS],
  ["creationWithExit", CREATIONS_WITH_EXIT]
] as const
