import type {
  Account,
  L1CoordinatorFeed,
  L1Part,
  L2Feed,
  New,
  Token,
  TokenId,
  Transaction
} from "../../domain/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"

/** The greatest nonce that fits into a leaf of the state tree. */
export const nonceMax = (1n << 40n) - 1n

/** Balances are below this limit: a leaf of the state tree has 192 bits for them. */
export const balanceLimit = 1n << 192n

/** The state before a batch. */
export interface BatchState {
  readonly account: (index: AccountIndex) => New<Account> | undefined
  readonly token: (id: TokenId) => New<Token> | undefined
  /** 255 before the first account. */
  readonly lastAccountIndex: AccountIndex
}

/** The fields of a queued L1 user transaction that decide its effect. */
export type QueuedTransaction =
  & Pick<Transaction, "id" | "fromAccountIndex" | "toAccountIndex" | "tokenId" | "amount">
  & Pick<Transaction, "fromAddress" | "fromPublicKey">
  & { readonly l1: Pick<L1Part, "depositAmount"> | null }

/** The content of a batch, in processing order. */
export interface BatchInput {
  readonly batchNum: number
  /**
   * The queued L1 user transactions that the batch forges, by position; empty if it forges no
   * queue.
   */
  readonly queue: ReadonlyArray<QueuedTransaction>
  readonly l1Coordinator: ReadonlyArray<L1CoordinatorFeed>
  readonly l2: ReadonlyArray<L2Feed>
  readonly feeAccounts: ReadonlyArray<AccountIndex>
}

/** The effect of one L1 user transaction: each amount is the declared one or zero. */
export interface L1UserEffect {
  readonly effectiveDepositAmount: bigint
  readonly effectiveAmount: bigint
  /** The account that the transaction created, or null. */
  readonly createdIndex: AccountIndex | null
}

/** The accounts, token and fee of an L2 transaction in the state before it. */
export interface L2Resolution {
  /** The account before the batch, or as it was created in it. */
  readonly sender: New<Account>
  /** Null for an exit, and for a transfer of 0 to an account that does not exist. */
  readonly receiver: New<Account> | null
  readonly tokenId: TokenId
  /** Nonce of the sender when the transaction was processed. */
  readonly nonce: bigint
  /** Units of the token. */
  readonly feeAmount: bigint
}

/** The changes of a batch to the state, and its effects. */
export interface BatchOutcome {
  /** By position in the queue. */
  readonly l1UserEffects: ReadonlyArray<L1UserEffect>
  /**
   * Accounts with a changed nonce or balance and created accounts, as they are after the batch,
   * ascending by index.
   */
  readonly accounts: ReadonlyArray<New<Account>>
  /** The created ones, which are the last of `accounts`. */
  readonly createdAccounts: ReadonlyArray<New<Account>>
  /**
   * Leaves of the exit tree, ascending by index. A leaf is 0 if none of the forced exits of the
   * account had an effect.
   */
  readonly exits: ReadonlyArray<{ readonly accountIndex: AccountIndex; readonly balance: bigint }>
  /** One entry for each token of a fee account, possibly zero, ascending by token. */
  readonly collectedFees: ReadonlyArray<readonly [TokenId, bigint]>
  /** By position among the L2 transactions. */
  readonly l2: ReadonlyArray<L2Resolution>
}
