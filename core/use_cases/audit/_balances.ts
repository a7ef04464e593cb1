import type { TokenId } from "../../domain/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"
import type { BatchOutcome } from "../batch/mod.ts"
import type { Holding } from "./balance_book.ts"
import type { BatchEvidence } from "./batch_evidence.ts"
import type { Findings } from "./findings.ts"

/**
 * Compares created accounts, changed accounts and their balances after a batch with the computed
 * ones.
 */
export function auditBalances(
  evidence: BatchEvidence,
  outcome: BatchOutcome,
  findings: Findings
): void {
  const { after, batch: { batchNum }, before, lastAccountBefore, updated } = evidence
  auditCreated(evidence, outcome, findings)
  const computed = new Map<AccountIndex, Holding>(
    outcome.accountUpdates.map((update) => [update.index, update])
  )
  const touched = [...new Set([...updated, ...computed.keys()])].sort((a, b) => a - b)
  payFees(evidence, outcome, touched, computed, findings)
  findings.checked("balances", touched.length)
  for (const index of touched) {
    const was = before(index)
    const expected = computed.get(index) ?? was
    const found = after(index)
    const place = () => `account ${index} after batch ${batchNum}`
    if (expected === undefined) {
      findings.violate(
        "balances",
        place(),
        "a balance that was overwritten",
        "no such account before the batch"
      )
    } else {findings.sameMembers("balances", place, {
        nonce: found?.nonce,
        balance: found?.balance
      }, { nonce: expected.nonce, balance: expected.balance })}
  }
  const changed = touched.filter((index) =>
    index <= lastAccountBefore && isChanged(before(index), computed.get(index))
  )
  findings.same(
    "balances",
    `batch ${batchNum}, accounts that it overwrote`,
    updated.join(" "),
    changed.join(" ")
  )
}

const isChanged = (was: Holding | undefined, is: Holding | undefined): boolean =>
  is !== undefined && (was?.nonce !== is.nonce || was.balance !== is.balance)

function auditCreated(
  { batch, created }: BatchEvidence,
  { createdAccounts }: BatchOutcome,
  findings: Findings
): void {
  findings.same(
    "totals",
    `batch ${batch.batchNum}, numAccounts`,
    batch.numAccounts,
    createdAccounts.length
  )
  for (let i = 0; i < Math.max(created.length, createdAccounts.length); i++) {
    const [found, expected] = [created[i], createdAccounts[i]]
    const place = () => `account ${(found ?? expected)!.index}`
    if (found === undefined || expected === undefined) {
      findings.violate(
        "transitions",
        place(),
        found === undefined ? "no account" : "an account",
        `${expected === undefined ? "none" : "one"} that batch ${batch.batchNum} creates`
      )
    } else {
      findings.sameMembers("transitions", place, {
        index: found.index,
        tokenId: found.tokenId,
        batchNum: found.batchNum,
        publicKey: found.publicKey,
        address: found.address
      }, {
        index: expected.index,
        tokenId: expected.tokenId,
        batchNum: expected.batchNum,
        publicKey: expected.publicKey,
        address: expected.address
      })
    }
  }
}

/**
 * Adds the fees to the accounts that collected them. Stores do not record these accounts: for each
 * token it is the account whose balance exceeds the computed one by exactly the fees.
 */
function payFees(
  { after, batch, before, created }: BatchEvidence,
  { l2 }: BatchOutcome,
  touched: ReadonlyArray<AccountIndex>,
  computed: Map<AccountIndex, Holding>,
  findings: Findings
): void {
  const sums = new Map<TokenId, bigint>()
  for (const { feeAmount, tokenId } of l2) sums.set(tokenId, (sums.get(tokenId) ?? 0n) + feeAmount)
  findings.checked("fees", batch.collectedFees.length)
  const tokenOf = (index: AccountIndex) =>
    (before(index) ?? created.find((account) => account.index === index))?.tokenId
  for (const [tokenId, amount] of batch.collectedFees) {
    const place = `batch ${batch.batchNum}, token ${tokenId}`
    findings.same("fees", place, amount, sums.get(tokenId) ?? 0n)
    if (amount === 0n) continue
    const collector = touched.find((index) => {
      const without = computed.get(index) ?? before(index)
      return without !== undefined && tokenOf(index) === tokenId &&
        after(index)?.balance === without.balance + amount
    })
    const without = collector === undefined
      ? undefined
      : computed.get(collector) ?? before(collector)
    if (collector === undefined || without === undefined) {
      findings.violate(
        "fees",
        place,
        `no account that holds ${amount} more than its transactions explain`,
        "one that collected the fees"
      )
    } else computed.set(collector, { nonce: without.nonce, balance: without.balance + amount })
  }
}
