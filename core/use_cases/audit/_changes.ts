import type { AccountValues, TokenId } from "../../domain/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"
import { accountOf, type BatchAudit } from "./_batch_evidence.ts"

/** Values of accounts after a batch, by index. */
export type ComputedValues = Map<AccountIndex, AccountValues>

/**
 * Compares the created accounts and the stored changes of a batch with the computed ones. Returns
 * the computed values of the accounts that the batch created or changed.
 */
export function auditChanges(audit: BatchAudit): ComputedValues {
  const { evidence: { batch: { batchNum }, before, changes }, findings, outcome } = audit
  auditCreated(audit)
  const computed: ComputedValues = new Map(
    outcome.accounts.map((account) => [account.index, account])
  )
  const stored = new Map(changes.map((change) => [change.index, change]))
  const touched = [...new Set([...stored.keys(), ...computed.keys()])].sort((a, b) => a - b)
  addFees(audit, touched, computed)
  findings.checked("balances", touched.length)
  findings.checked("changes", changes.length)
  for (const index of touched) {
    const [from, to, change] = [before(index), computed.get(index), stored.get(index)]
    const isChanged = to !== undefined && (from?.nonce !== to.nonce || from.balance !== to.balance)
    const location = `batch ${batchNum}, account ${index}`
    if (change === undefined || !isChanged) {
      const [actual, expected] = [change?.after, isChanged ? to : undefined].map((values) =>
        values === undefined ? "no change" : formatValues(values)
      )
      findings.same("changes", location, actual, expected)
      continue
    }
    findings.same("changes", location, formatValues(change.after), formatValues(to))
    if (change.before === null || from === undefined) {
      const [actual, expected] = [change.before, from ?? null].map(formatValues)
      findings.same("changes", `${location}, before`, actual, expected)
    } else {
      findings.sameMembers(
        "balances",
        () => `account ${index} before batch ${batchNum}`,
        change.before,
        {
          nonce: from.nonce,
          balance: from.balance
        }
      )
    }
  }
  return computed
}

const formatValues = (values: AccountValues | null): string =>
  values === null ? "no account" : `nonce ${values.nonce}, balance ${values.balance}`

function auditCreated(
  { evidence: { batch, stored }, findings, outcome: { createdAccounts } }: BatchAudit
): void {
  findings.same(
    "totals",
    `batch ${batch.batchNum}, numAccounts`,
    batch.numAccounts,
    createdAccounts.length
  )
  for (const { address, batchNum, index, publicKey, tokenId } of createdAccounts) {
    const account = stored(index)
    if (account === undefined) {
      findings.violate(
        "transitions",
        `account ${index}`,
        "no account",
        `one that batch ${batch.batchNum} creates`
      )
    } else {
      const expected = { tokenId, batchNum, publicKey, address }
      findings.sameMembers("transitions", () => `account ${index}`, account, expected)
    }
  }
}

/**
 * Adds the fees to the accounts that collected them. Stores do not record these accounts. For each
 * token it is the account whose stored balance exceeds the computed one by exactly the fees.
 */
function addFees(
  audit: BatchAudit,
  touched: ReadonlyArray<AccountIndex>,
  computed: ComputedValues
): void {
  const { evidence: { batch, before, changes }, findings, outcome } = audit
  const sums = new Map<TokenId, bigint>()
  for (const { feeAmount, tokenId } of outcome.l2) {
    sums.set(tokenId, (sums.get(tokenId) ?? 0n) + feeAmount)
  }
  findings.checked("fees", batch.collectedFees.length)
  const after = new Map(changes.map((change) => [change.index, change.after]))
  for (const [tokenId, amount] of batch.collectedFees) {
    const location = `batch ${batch.batchNum}, token ${tokenId}`
    const sum = sums.get(tokenId) ?? 0n
    findings.same("fees", location, amount, sum)
    if (sum === 0n) continue
    const withoutFees = (index: AccountIndex) => computed.get(index) ?? before(index)
    const collector = touched.find((index) => {
      const balance = withoutFees(index)?.balance
      // the fees can restore the balance before
      const stored = after.get(index) ?? before(index)
      return balance !== undefined && stored?.balance === balance + sum &&
        accountOf(audit, index)?.tokenId === tokenId
    })
    if (collector === undefined) {
      findings.violate(
        "fees",
        location,
        `no account with ${sum} units of fees`,
        "one account that received the fees"
      )
    } else {
      const { balance, nonce } = withoutFees(collector)!
      computed.set(collector, { nonce, balance: balance + sum })
    }
  }
}
