import type { Account, Batch, Exit, Token, TokenId, Transaction } from "../../domain/mod.ts"
import type { AccountIndex, TransactionId } from "../../encoding/mod.ts"
import type { BatchOutcome } from "../batch/mod.ts"
import type { Findings } from "./findings.ts"

/** Nonce and balance of an account. */
export type Holding = Pick<Account, "nonce" | "balance">

const sliceBits = 12
const sliceSize = 2 ** sliceBits
const wordBits = 64n
/** 64-bit words of a balance: it is below 2^192, or below 2^256 if it is damaged. */
const words = 4

interface Slice {
  readonly isPresent: Uint8Array
  readonly nonces: Float64Array
  readonly balances: BigUint64Array
}

/** Nonces and balances of accounts at one batch. Takes 41 bytes for each account. */
export class BalanceBook {
  readonly #slices = new Map<number, Slice>()

  set(index: AccountIndex, { balance, nonce }: Holding): void {
    const number = Math.floor(index / sliceSize)
    let slice = this.#slices.get(number)
    if (slice === undefined) {
      slice = {
        isPresent: new Uint8Array(sliceSize),
        nonces: new Float64Array(sliceSize),
        balances: new BigUint64Array(words * sliceSize)
      }
      this.#slices.set(number, slice)
    }
    const offset = index % sliceSize
    slice.isPresent[offset] = 1
    slice.nonces[offset] = Number(nonce)
    for (let word = 0; word < words; word++) {
      slice.balances[words * offset + word] = balance >> (wordBits * BigInt(word))
    }
  }

  get(index: AccountIndex): Holding | undefined {
    const slice = this.#slices.get(Math.floor(index / sliceSize))
    const offset = index % sliceSize
    if (slice === undefined || slice.isPresent[offset] === 0) return undefined
    let balance = 0n
    for (let word = words - 1; word >= 0; word--) {
      balance = balance << wordBits | slice.balances[words * offset + word]!
    }
    return { nonce: BigInt(slice.nonces[offset]!), balance }
  }
}

/** The stored data of a batch, and the state before and after it. */
export interface BatchEvidence {
  readonly batch: Batch
  /** Ascending by item id. */
  readonly transactions: ReadonlyArray<Transaction>
  /** Returns a forged transaction in its state before it was forged. */
  readonly queued: (id: TransactionId) => Transaction | undefined
  readonly exits: ReadonlyArray<Exit>
  /** Accounts that the batch created, ascending; their balances are ignored. */
  readonly created: ReadonlyArray<Account>
  readonly lastAccountBefore: AccountIndex
  /** Accounts that existed before and changed, ascending. */
  readonly updated: ReadonlyArray<AccountIndex>
  /** Returns an account that existed before the batch, with nonce and balance. */
  readonly before: (index: AccountIndex) => Account | undefined
  /** Returns nonce and balance of an account after the batch. */
  readonly after: (index: AccountIndex) => Holding | undefined
  readonly token: (id: TokenId) => Token | undefined
}

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
        "an overwritten balance",
        "no account with this index before the batch"
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
    `batch ${batchNum}, overwritten accounts`,
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
        `no account with ${amount} units of fees`,
        "one account that received the fees"
      )
    } else {
      const balance = withoutFees.balance + amount
      computed.set(collector, { nonce: withoutFees.nonce, balance })
    }
  }
}
