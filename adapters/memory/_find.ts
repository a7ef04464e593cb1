import type { ItemKeys, ItemName, Items } from "../../core/contract/mod.ts"
import type { TokenId } from "../../core/domain/mod.ts"
import type { AccountIndex } from "../../core/encoding/mod.ts"
import type { AccountsAndTokens } from "../../core/ports/mod.ts"
import type { LedgerState } from "./state/mod.ts"
import { slotAt } from "./_slot_at.ts"
import { accountView, exitView, transactionView } from "./_views.ts"

const finders: {
  readonly [N in ItemName]: (ledger: LedgerState, key: ItemKeys[N]) => Items[N] | null
} = {
  account: ({ history, tokens }, index) => {
    const account = history.accounts.find(index)
    return account === undefined ? null : accountView(tokens, account)
  },
  exit: ({ history, tokens }, { batchNum, accountIndex }) => {
    const exit = history.exit(batchNum, accountIndex)
    return exit === undefined ? null : exitView(tokens, exit)
  },
  transaction: ({ history, tokens }, id) => {
    const transaction = history.shownTransaction(id)
    return transaction === undefined ? null : transactionView(tokens, transaction)
  },
  batch: ({ history }, batchNum) => history.batch(batchNum) ?? null,
  fullBatch: ({ history, tokens }, batchNum) => {
    const batch = history.batch(batchNum)
    if (batch === undefined) return null
    const rows = history.transactions.rows.slice(...history.transactionsOf(batchNum))
    return {
      batch,
      transactions: rows.map((transaction) => transactionView(tokens, transaction))
    }
  },
  slot: (ledger, slotNum) => slotAt(ledger, ledger.clock, slotNum),
  token: ({ tokens }, id) => tokens.find(id) ?? null,
  coordinator: ({ auction }, bidder) => auction.registration(bidder) ?? null
}

/** One item, or null where there is none. */
export const findItem = <N extends ItemName>(
  ledger: LedgerState,
  name: N,
  key: ItemKeys[N]
): Items[N] | null => finders[name](ledger, key)

/** Accounts and tokens by what a transaction calls them. */
export const findAccountsAndTokens = (
  { history, stamp, tokens }: LedgerState,
  asked: { readonly accounts: ReadonlyArray<AccountIndex>; readonly tokens: ReadonlyArray<TokenId> }
): AccountsAndTokens => ({
  accounts: asked.accounts.map((index) => {
    const account = history.accounts.find(index)
    return account === undefined ? null : Object.freeze(account)
  }),
  tokens: asked.tokens.map((id) => tokens.find(id) ?? null),
  stamp
})
