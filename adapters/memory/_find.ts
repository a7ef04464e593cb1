import type { ItemKeys, ItemName, Items } from "../../core/contract/mod.ts"
import type { TokenId } from "../../core/domain/mod.ts"
import type { AccountIndex } from "../../core/encoding/mod.ts"
import type { AccountsAndTokens, LedgerBlock } from "../../core/ports/mod.ts"
import { accountView, exitView, slotAt, transactionView } from "./_views.ts"
import type { LedgerState } from "./state/mod.ts"

/** By kind of item, a function that returns one by its key, or null if it does not exist. */
export const finders: {
  readonly [N in ItemName]: (state: LedgerState, key: ItemKeys[N]) => Items[N] | null
} = {
  account: (state, index) => {
    const account = state.history.accounts.find(index)
    return account === undefined ? null : accountView(state, account)
  },
  exit: (state, { batchNum, accountIndex }) => {
    const exit = state.history.exit(batchNum, accountIndex)
    return exit === undefined ? null : exitView(state, exit)
  },
  transaction: (state, id) => {
    const transaction = state.history.transaction(id)
    return transaction === undefined ? null : transactionView(state, transaction)
  },
  batch: ({ history }, batchNum) => history.batch(batchNum) ?? null,
  fullBatch: (state, batchNum) => {
    const { history } = state
    const batch = history.batch(batchNum)
    if (batch === undefined) return null
    const rows = history.transactions.rows.slice(...history.transactionRange(batchNum))
    return { batch, transactions: rows.map((transaction) => transactionView(state, transaction)) }
  },
  slot: (state, slotNum) => slotAt(state, state.clock, slotNum),
  token: ({ tokens }, id) => tokens.find(id) ?? null,
  coordinator: ({ auction }, bidder) => auction.registration(bidder) ?? null
}

/** Returns accounts and tokens in the order of the request, null if they do not exist. */
export const findAccountsAndTokens = (
  { history, snapshotId, tokens }: LedgerState,
  request: {
    readonly accounts: ReadonlyArray<AccountIndex>
    readonly tokens: ReadonlyArray<TokenId>
  }
): AccountsAndTokens => ({
  accounts: request.accounts.map((index) => {
    const account = history.accounts.find(index)
    return account === undefined ? null : Object.freeze(account)
  }),
  tokens: request.tokens.map((id) => tokens.find(id) ?? null),
  snapshotId
})

/** Returns the stored block with a number; null if there is none. */
export const findBlock = ({ blocks, history }: LedgerState, number: bigint): LedgerBlock | null => {
  const position = blocks.positionOf(number)
  const stored = blocks.at(position)
  if (stored === undefined) return null
  const next = blocks.at(position + 1)
  const [from, to] = [stored.batches, next?.batches ?? history.lastBatchNum]
  return {
    block: stored.block,
    previous: blocks.at(position - 1)?.block ?? null,
    next: next?.block ?? null,
    batches: history.batches.rows.slice(from, to).map((batch) => ({
      batch,
      accountChanges: history.accountChanges(batch.batchNum)
    }))
  }
}
