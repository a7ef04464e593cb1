import { EXIT_ACCOUNT, NO_ACCOUNT } from "../../../core/encoding/mod.ts"
import { accountOf, floorAmount, lastAccountIndex, randomShare, type World } from "../world/mod.ts"
import {
  type Choice,
  creatingSender,
  depositInto,
  depositRequest,
  type L1Request,
  type MakeRequests,
  requestBetween,
  type RequestKinds
} from "./_l1_requests.ts"

/** A transfer that is not sent by the owner of the account. */
const ofThief = ({ wallets }: Choice): Partial<L1Request> => ({
  fromAddress: wallets.contractAddress("thief"),
  amount: 1n
})

/** More than the balance of the sender. */
const tooMuch = ({ from: { balance } }: Choice): Partial<L1Request> => ({
  amount: floorAmount(balance * 1000n + 1000n)
})

/** Returns the index of an account that does not exist. */
const unknownAccount = (world: World) => lastAccountIndex(world) + 5000

const toUnknown = ({ world }: Pick<Choice, "world">): Partial<L1Request> => ({
  toAccountIndex: unknownAccount(world),
  amount: 1n
})

/** A transfer to the newest account of another token; undefined if there is none. */
const toOtherToken = ({ from, world }: Choice): Partial<L1Request> | undefined => {
  const account = world.accounts.findLast(({ tokenId }) => tokenId !== from.tokenId)
  return account && { toAccountIndex: account.index, amount: 1n }
}

const nextToken = ({ from, world }: Choice): number => (from.tokenId + 1) % world.tokens.length

/** A deposit of another token than that of the account. */
const depositOfNextToken = (choice: Choice): Partial<L1Request> => {
  const tokenId = nextToken(choice)
  return { tokenId, depositAmount: depositInto(tokenId, choice) }
}

/** Requests whose transfer has no effect. A deposit takes effect. */
const PARTLY_VALID: RequestKinds = [
  // receiver of another token: the sender keeps the deposit
  requestBetween((choice) => {
    const transfer = toOtherToken(choice)
    return transfer && { ...transfer, depositAmount: depositInto(choice.from.tokenId, choice) }
  }),
  // more than the balance
  depositRequest(({ deposit, from }) => ({
    amount: floorAmount((from.balance + deposit) * 1000n)
  })),
  // not sent by the owner
  depositRequest(({ wallets }) => ({ fromAddress: wallets.coordinator(0).address, amount: 1n })),
  // a new account that sends more than its deposit
  depositRequest(({ deposit, from }) => ({ ...creatingSender(from), amount: deposit * 10n }))
]

/** Requests without any effect. */
const WITHOUT_EFFECT: RequestKinds = [
  // in turn: unknown receiver, unknown sender, another token than the sender's, unknown receiver
  depositRequest(toUnknown),
  depositRequest(({ world }) => ({ fromAccountIndex: unknownAccount(world), amount: 1n })),
  requestBetween(depositOfNextToken),
  depositRequest((choice) => ({ ...creatingSender(choice.from), ...toUnknown(choice) })),
  // forced transfers: more than the balance, another owner, another token, unknown receiver
  requestBetween(tooMuch),
  requestBetween(ofThief),
  requestBetween(toOtherToken),
  requestBetween(toUnknown),
  // deposits: unknown account, another token than that of the account
  depositRequest(({ world }) => ({
    fromAccountIndex: unknownAccount(world),
    toAccountIndex: NO_ACCOUNT
  })),
  requestBetween((choice) => ({ toAccountIndex: NO_ACCOUNT, ...depositOfNextToken(choice) }))
]

/** Forced exits without effect, alone or after an exit of the account with effect. */
const NULLIFIED_EXITS: RequestKinds = [
  nullifiedExit(tooMuch),
  nullifiedExit(ofThief),
  // another token than that of the account
  nullifiedExit((choice) => ({ tokenId: nextToken(choice), amount: 1n }))
]

function nullifiedExit(change: (choice: Choice) => Partial<L1Request>): MakeRequests {
  return (context, world) => {
    const { random } = context
    const [exit] = requestBetween((choice) => ({
      toAccountIndex: EXIT_ACCOUNT,
      amount: randomShare(random, choice.from.balance, 400),
      ...change(choice)
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
const CREATIONS_WITH_EXIT: RequestKinds = [
  requestBetween(({ from }) => ({ ...creatingSender(from), toAccountIndex: EXIT_ACCOUNT })),
  requestBetween(({ from, random }) => ({
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
