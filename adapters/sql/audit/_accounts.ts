import { Effect } from "effect"
import type { Account } from "../../../core/domain/mod.ts"
import { FIRST_USER_ACCOUNT } from "../../../core/encoding/mod.ts"
import { accountRowSql, decodeAccount } from "../reads/mod.ts"
import { type AuditSnapshot, type AuditStep, itemsPerStatement } from "./_audit_snapshot.ts"

const accountsStatement = `
SELECT ${accountRowSql} AS line FROM account AS r WHERE r.account_index > $1::bigint ORDER BY r.account_index LIMIT ${itemsPerStatement}`

/**
 * Checks that account indexes have no gaps and that item ids ascend with them. Adds all accounts to
 * the book, calls `each` with each of them, and returns the last index.
 */
export const readAccounts = (
  { advance, book, findings, rows }: AuditSnapshot,
  each: (account: Account) => void
): AuditStep<number> =>
  Effect.gen(function*() {
    const [greatest] = yield* rows<{ readonly last: bigint | null }>(
      "SELECT max(account_index) AS last FROM account"
    )
    const total = Number(greatest?.last ?? 0n) - FIRST_USER_ACCOUNT + 1
    let [last, lastItem] = [FIRST_USER_ACCOUNT - 1, 0]
    for (;;) {
      const lines = yield* rows<{ readonly line: string }>(accountsStatement, `${last}`)
      if (lines.length === 0) break
      for (const { line } of lines) {
        const account = decodeAccount(line)
        if (account.index !== last + 1) {
          findings.violate(
            "transitions",
            `account ${last + 1}`,
            account.index === last + 2 ? "no account" : `no account up to ${account.index - 1}`,
            "accounts without gaps"
          )
        }
        if (account.itemId <= lastItem) {
          findings.violate(
            "transitions",
            `account ${account.index}, item_id`,
            account.itemId,
            `more than ${lastItem}, that of the account before`
          )
        }
        book.set(account.index, account)
        each(account)
        ;[last, lastItem] = [account.index, account.itemId]
      }
      yield* advance(lines.length, (last - FIRST_USER_ACCOUNT + 1) / total)
    }
    return last
  })
