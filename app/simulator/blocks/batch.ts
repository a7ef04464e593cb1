import { Result } from "effect"
import {
  type Account,
  type BatchFeed,
  type ExitFeed,
  type L1CoordinatorFeed,
  type L2Feed,
  type New,
  protocol,
  type Transaction
} from "../../../core/domain/mod.ts"
import {
  type AccountIndex,
  FIRST_USER_ACCOUNT,
  INTERNAL_ADDRESS
} from "../../../core/encoding/mod.ts"
import { type BatchOutcome, processBatch } from "../../../core/use_cases/mod.ts"
import { forgerOf } from "../traffic/mod.ts"
import { accountOf, addAccount, batchStateOf, type Context, type World } from "../world/mod.ts"
import { provenExits } from "./proven_exits.ts"
import { externalExitsOf, openExitsMax } from "./withdrawals.ts"
import { stateRoot } from "./state_tree.ts"

/** The transactions of a batch. */
export interface BatchPlan {
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
  { l1Coordinator, l2, queue }: BatchPlan
): BatchFeed {
  const batchNum = world.lastBatchNum + 1
  const forger = forgerOf(context, world)
  const feeAccounts = feeAccountsOf(context, world, forger.number)
  const input = { batchNum, queue: queue?.transactions ?? [], l1Coordinator, l2, feeAccounts }
  // throws if the plan is invalid, which is a defect of the simulator
  const outcome = Result.getOrThrow(processBatch(batchStateOf(world), input))
  applyOutcome(context, world, outcome)
  const root = stateRoot(context, world, outcome)
  const { exitRoot, exits } = provenExits(context.recording, world, outcome.exits)
  world.lastBatchNum = batchNum
  world.transactionCount += input.queue.length + l1Coordinator.length + l2.length
  world.openExits = [
    ...world.openExits,
    ...exits.flatMap((exit) => openExit(context, world, batchNum, exit))
  ].slice(-openExitsMax)
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

/** Returns the accounts on which the forger collects fees. Fees of other tokens are lost. */
const feeAccountsOf = (
  { wallets }: Context,
  world: World,
  coordinator: number
): ReadonlyArray<AccountIndex> =>
  (world.feeAccounts.get(wallets.coordinator(coordinator).publicKey) ?? []).slice(
    0,
    FEE_ACCOUNTS_MAX
  )

const FEE_ACCOUNTS_MAX = protocol.maxFeeIdxCoordinator

function applyOutcome(
  { wallets }: Context,
  world: World,
  { accountUpdates, createdAccounts }: BatchOutcome
): void {
  for (const account of createdAccounts) {
    addAccount(world, account)
    if (wallets.isCoordinator(account.publicKey)) addFeeAccount(world, account)
  }
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

/** Returns the open exit. An exit of an internal account can never be withdrawn. */
function openExit(
  { wallets }: Context,
  world: World,
  batchNum: number,
  { accountIndex }: ExitFeed
) {
  const account = accountOf(world, accountIndex)
  return account === undefined || account.address === INTERNAL_ADDRESS ||
      !wallets.controls(account.publicKey)
    ? []
    : [{
      batchNum,
      accountIndex,
      tokenId: account.tokenId,
      owner: account.address,
      requested: false
    }]
}
