import type { Account, New, TokenId } from "../../domain/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"
import { type BlockViolation, makeViolation } from "../violation/mod.ts"
import {
  balanceLimit,
  type BatchOutcome,
  type BatchState,
  type L1UserEffect,
  type L2Resolution
} from "./batch_transition.ts"

/** An account during a batch. */
export interface StagedAccount {
  /** The account before the batch, or as it was created in it. */
  readonly before: New<Account>
  nonce: bigint
  balance: bigint
}

/** The state during a batch; one for each call of `processBatch`. */
export class StagedBatch {
  readonly state: BatchState
  readonly batchNum: number
  readonly l1UserEffects: Array<L1UserEffect> = []
  readonly l2: Array<L2Resolution> = []
  readonly exits = new Map<AccountIndex, bigint>()
  /** The account that collects the fees of a token, and the amount collected so far. */
  readonly feeAccounts = new Map<TokenId, { readonly account: StagedAccount; amount: bigint }>()
  readonly #accounts = new Map<AccountIndex, StagedAccount>()
  #created = 0

  constructor(state: BatchState, batchNum: number) {
    this.state = state
    this.batchNum = batchNum
  }

  /** Returns the account, or undefined if it does not exist. */
  find(index: AccountIndex): StagedAccount | undefined {
    const known = this.#accounts.get(index)
    if (known !== undefined) return known
    const before = this.state.account(index)
    return before === undefined ? undefined : this.#add(before)
  }

  /** Creates the account with the next index. */
  create(owner: Pick<Account, "tokenId" | "publicKey" | "address">): StagedAccount {
    const index = this.state.lastAccountIndex + ++this.#created
    return this.#add({ index, batchNum: this.batchNum, ...owner, nonce: 0n, balance: 0n })
  }

  /**
   * Adds the effective amount to the leaf of the account in the exit tree of this batch. The
   * declared amount decides whether there is a leaf: one whose exits have no effect is 0.
   */
  addExit(index: AccountIndex, declared: bigint, effective: bigint): void {
    if (declared > 0n) this.exits.set(index, (this.exits.get(index) ?? 0n) + effective)
  }

  /** Returns the changes of the batch. */
  outcome(): BatchOutcome {
    const isCreated = ({ index }: New<Account>) => index > this.state.lastAccountIndex
    const accounts = [...this.#accounts.values()]
      .filter(({ balance, before, nonce }) =>
        isCreated(before) || nonce !== before.nonce || balance !== before.balance
      )
      .map(accountAfter)
      .sort((a, b) => a.index - b.index)
    return {
      l1UserEffects: this.l1UserEffects,
      accounts,
      createdAccounts: accounts.filter(isCreated),
      exits: [...this.exits].map(([accountIndex, balance]) => ({ accountIndex, balance }))
        .sort((a, b) => a.accountIndex - b.accountIndex),
      collectedFees: [...this.feeAccounts].map(([tokenId, { amount }]) =>
        [tokenId, amount] as const
      ).sort((a, b) => a[0] - b[0]),
      l2: this.l2
    }
  }

  #add(before: New<Account>): StagedAccount {
    const account = { before, nonce: before.nonce, balance: before.balance }
    this.#accounts.set(before.index, account)
    return account
  }
}

/**
 * Adds units to the balance. Returns a violation if it exceeds the limit; `pointer` is called only
 * then.
 */
export function credit(
  account: StagedAccount,
  amount: bigint,
  pointer: () => string
): BlockViolation | undefined {
  account.balance += amount
  return account.balance < balanceLimit
    ? undefined
    : makeViolation(
      "balance-limit",
      account.balance,
      `a balance of account ${account.before.index} below 2^192`,
      pointer()
    )
}

const accountAfter = ({ balance, before, nonce }: StagedAccount): New<Account> => ({
  index: before.index,
  tokenId: before.tokenId,
  batchNum: before.batchNum,
  publicKey: before.publicKey,
  address: before.address,
  nonce,
  balance
})
