import type { TokenId } from "../../domain/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"
import type { BatchOutcome } from "../batch/mod.ts"
import type { Holding } from "./balance_book.ts"
import type { BatchEvidence } from "./batch_evidence.ts"
import type { Findings } from "./findings.ts"

/** Compares the created accounts and the balances after a batch with the computed ones. */
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
  addFees(evidence, outcome, touched, computed, findings)
  findings.checked("balances", touched.length)
  for (const index of touched) {
    const accountBefore = before(index)
    const expected = computed.get(index) ?? accountBefore
    const stored = after(index)
    const location = () => `account ${index} after batch ${batchNum}`
    if (expected === undefined) {
      findings.violate(
        "balances",
        location(),
        "a balance that was overwritten",
        "no such account before the batch"
      )
    } else {
      findings.sameMembers("balances", location, {
        nonce: stored?.nonce,
        balance: stored?.balance
      }, { nonce: expected.nonce, balance: expected.balance })
    }
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

const isChanged = (from: Holding | undefined, to: Holding | undefined): boolean =>
  to !== undefined && (from?.nonce !== to.nonce || from.balance !== to.balance)

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
    const [stored, expected] = [created[i], createdAccounts[i]]
    const location = () => `account ${(stored ?? expected)!.index}`
    if (stored === undefined || expected === undefined) {
      findings.violate(
        "transitions",
        location(),
        stored === undefined ? "no account" : "an account",
        `${expected === undefined ? "none" : "one"} that batch ${batch.batchNum} creates`
      )
    } else {
      findings.sameMembers("transitions", location, {
        index: stored.index,
        tokenId: stored.tokenId,
        batchNum: stored.batchNum,
        publicKey: stored.publicKey,
        address: stored.address
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
 * Adds the fees to the accounts that collected them. Stores do not record these accounts. For each
 * token it is the account with a balance that exceeds the computed one by exactly the fees.
 */
function addFees(
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
    const location = `batch ${batch.batchNum}, token ${tokenId}`
    findings.same("fees", location, amount, sums.get(tokenId) ?? 0n)
    if (amount === 0n) continue
    const collector = touched.find((index) => {
      const withoutFees = computed.get(index) ?? before(index)
      return withoutFees !== undefined && tokenOf(index) === tokenId &&
        after(index)?.balance === withoutFees.balance + amount
    })
    const withoutFees = collector === undefined
      ? undefined
      : computed.get(collector) ?? before(collector)
    if (collector === undefined || withoutFees === undefined) {
      findings.violate(
        "fees",
        location,
        `no account that holds ${amount} more than its transactions explain`,
        "one that collected the fees"
      )
    } else {
      const balance = withoutFees.balance + amount
      computed.set(collector, { nonce: withoutFees.nonce, balance })
    }
  }
}
