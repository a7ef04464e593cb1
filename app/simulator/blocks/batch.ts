import { Result } from "effect"
import { accountLeaf, exitTree, type MerkleTree, merkleTree } from "../../../adapters/crypto/mod.ts"
import {
  type Account,
  type BatchFeed,
  type ExitFeed,
  type L1CoordinatorFeed,
  type L2Feed,
  type New,
  protocol,
  slotOfBlock
} from "../../../core/domain/mod.ts"
import { type AccountIndex, FIRST_USER_ACCOUNT } from "../../../core/encoding/mod.ts"
import { type BatchOutcome, processBatch } from "../../../core/use_cases/mod.ts"
import type { Forger } from "../traffic/mod.ts"
import {
  accountOf,
  batchStateOf,
  type Context,
  placeholderRootOf,
  type Queue,
  type World
} from "../world/mod.ts"
import { addExits } from "./withdrawals.ts"

/** The transactions of a batch. */
export interface BatchPlan {
  /** The coordinator that forges it. */
  readonly forger: Forger
  /** The queue of L1 transactions; null if the batch forges none. */
  readonly queue: Queue | null
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
  addExits(context, world, batchNum, exits)
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
  const { index, publicKey, tokenId } = account
  world.accounts.push(account)
  world.accountsOfToken[tokenId] = [...world.accountsOfToken[tokenId] ?? [], index]
  if (!wallets.isCoordinator(publicKey)) return
  const known = world.feeAccounts.get(publicKey) ?? []
  if (known.some((other) => accountOf(world, other)?.tokenId === tokenId)) return
  world.feeAccounts.set(publicKey, [...known, index])
}

function applyOutcome(
  context: Context,
  world: World,
  { accounts, createdAccounts }: BatchOutcome
): void {
  for (const account of createdAccounts) addCreatedAccount(context, world, account)
  for (const account of accounts) world.accounts[account.index - FIRST_USER_ACCOUNT] = account
}

/** Returns the state root after a batch, and updates the state tree. */
function stateRoot(
  { settings }: Context,
  world: World,
  { accounts }: BatchOutcome
): bigint {
  if (settings.placeholderRoots) return placeholderRootOf(world.block.hash, world.lastBatchNum + 1)
  world.tree = withAccounts(world.tree, accounts)
  return world.tree.root
}

/** Returns the state tree of accounts. */
export const stateTreeOf = (accounts: ReadonlyArray<New<Account>>): MerkleTree =>
  withAccounts(merkleTree([]), accounts)

const withAccounts = (tree: MerkleTree, accounts: ReadonlyArray<New<Account>>): MerkleTree =>
  tree.update(accounts.map((account) => ({ index: account.index, leaf: accountLeaf(account) })))

/** Returns the exits of a batch with valid proofs, and the root of the exit tree. */
function provenExits(world: World, exits: BatchOutcome["exits"]) {
  const { proofs, root } = exitTree(
    exits.map((exit) => ({ ...accountOf(world, exit.accountIndex)!, ...exit }))
  )
  return {
    exitRoot: root,
    exits: exits.map(({ accountIndex, balance }, position): ExitFeed => ({
      accountIndex,
      balance,
      merkleProof: proofs[position]!
    }))
  }
}
