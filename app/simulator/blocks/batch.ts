import { Result } from "effect"
import {
  type Account,
  type BatchFeed,
  type ExitFeed,
  type L1CoordinatorFeed,
  type L2Feed,
  type New,
  protocol,
  slotOfBlock,
  type Transaction
} from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  type EthereumAddress,
  FIRST_USER_ACCOUNT,
  INTERNAL_ADDRESS
} from "../../../core/encoding/mod.ts"
import { type BatchOutcome, processBatch } from "../../../core/use_cases/mod.ts"
import {
  accountOf,
  addAccount,
  batchStateOf,
  type Context,
  type OpenExit,
  type World
} from "../world/mod.ts"
import { provenExits } from "./proven_exits.ts"
import { externalExitsOf, openExitsMax } from "./withdrawals.ts"
import { stateRoot } from "./state_tree.ts"

/** The transactions of a batch. */
export interface BatchPlan {
  /** The coordinator that forges it. */
  readonly forger: { readonly number: number; readonly address: EthereumAddress }
  /** The queue of L1 transactions; null if the batch forges none. */
  readonly queue: {
    readonly number: number
    readonly transactions: ReadonlyArray<New<Transaction>>
  } | null
  readonly l1Coordinator: ReadonlyArray<L1CoordinatorFeed>
  readonly l2: ReadonlyArray<L2Feed>
}

/** Forges a batch: applies it to the world, with the state transition of the ledger. */
export function forgeBatch(
  context: Context,
  world: World,
  { forger, l1Coordinator, l2, queue }: BatchPlan
): BatchFeed {
  const batchNum = world.lastBatchNum + 1
  const feeAccounts = feeAccountsOf(context, world, forger.number)
  const input = { batchNum, queue: queue?.transactions ?? [], l1Coordinator, l2, feeAccounts }
  // throws if the plan is invalid, which is a defect of the simulator
  const outcome = Result.getOrThrow(processBatch(batchStateOf(world), input))
  applyOutcome(context, world, outcome)
  const root = stateRoot(context, world, outcome)
  const { exitRoot, exits } = provenExits(world, outcome.exits)
  world.lastBatchNum = batchNum
  world.lastForgedSlot = slotOfBlock(context.constants.auction, world.block.number)
  world.transactionCount += input.queue.length + l1Coordinator.length + l2.length
  addOpenExits(world, exits.flatMap((exit) => openExit(context, world, batchNum, exit)))
  world.externalExits = [
    ...world.externalExits,
    ...exits.flatMap((exit) => externalExitsOf(context, world, batchNum, exit))
  ]
  return {
    batchNum,
    forgerAddr: forger.address,
    stateRoot: root,
    exitRoot,
    feeAccounts,
    forgeL1TransactionsNum: queue === null ? null : queue.number,
    l1UserEffects: outcome.l1UserEffects.map(({ effectiveAmount, effectiveDepositAmount }) => ({
      effectiveDepositAmount,
      effectiveAmount
    })),
    l1Coordinator,
    l2,
    exits
  }
}

/**
 * Returns the accounts on which the forger collects fees. Fees of other tokens are lost. Sometimes it
 * names a second account of a token and repeats one, which collect nothing.
 */
function feeAccountsOf(
  { random, schedule, wallets }: Context,
  world: World,
  coordinator: number
): ReadonlyArray<AccountIndex> {
  const own = (world.feeAccounts.get(wallets.coordinator(coordinator).publicKey) ?? []).slice(
    0,
    FEE_ACCOUNTS_MAX - 2
  )
  const repeated = random.pick(own)
  if (repeated === undefined || !schedule.takeDue("extraFeeAccounts")) return own
  const { tokenId } = accountOf(world, repeated)!
  const other = random.pick(world.accountsOfToken[tokenId]!)!
  return random.chance(0.8) ? [...own, other, repeated] : [other, ...own, other]
}

const FEE_ACCOUNTS_MAX = protocol.maxFeeIdxCoordinator

/** Adds an account; its coordinator collects fees on it, if it is the first one of its token. */
export function addCreatedAccount({ wallets }: Context, world: World, account: New<Account>): void {
  addAccount(world, account)
  if (wallets.isCoordinator(account.publicKey)) addFeeAccount(world, account)
}

function applyOutcome(
  context: Context,
  world: World,
  { accountUpdates, createdAccounts }: BatchOutcome
): void {
  for (const account of createdAccounts) addCreatedAccount(context, world, account)
  for (const { balance, index, nonce } of accountUpdates) {
    const account = accountOf(world, index)
    if (account !== undefined) {
      world.accounts[index - FIRST_USER_ACCOUNT] = { ...account, nonce, balance }
    }
  }
}

function addFeeAccount(world: World, { index, publicKey, tokenId }: New<Account>): void {
  const known = world.feeAccounts.get(publicKey) ?? []
  if (known.some((other) => accountOf(world, other)?.tokenId === tokenId)) return
  world.feeAccounts.set(publicKey, [...known, index])
}

/** Adds open exits, and forgets the oldest ones that are not requested if there are too many. */
function addOpenExits(world: World, exits: ReadonlyArray<OpenExit>): void {
  const open = [...world.openExits, ...exits]
  const forgotten = new Set(
    open.filter(({ requestedMs }) => requestedMs === null).slice(0, -openExitsMax)
  )
  world.openExits = open.filter((exit) => !forgotten.has(exit))
}

/** Returns the open exit. An exit of an internal account can never be withdrawn. */
function openExit(
  { wallets }: Context,
  world: World,
  batchNum: number,
  { accountIndex, balance }: ExitFeed
): ReadonlyArray<OpenExit> {
  const account = accountOf(world, accountIndex)
  return account === undefined || account.address === INTERNAL_ADDRESS ||
      !wallets.controls(account.publicKey)
    ? []
    : [{
      batchNum,
      accountIndex,
      tokenId: account.tokenId,
      owner: account.address,
      balance,
      requestedMs: null
    }]
}
