import { Effect } from "effect"
import { limitMax } from "../../contract/mod.ts"
import type {
  Account,
  AccountValues,
  Batch,
  Exit,
  Token,
  TokenId,
  Transaction
} from "../../domain/mod.ts"
import { type AccountIndex, FIRST_USER_ACCOUNT, isUserAccount } from "../../encoding/mod.ts"
import type { LedgerBatch, LedgerBlock, LedgerReader, StoreFailure } from "../../ports/mod.ts"
import type { BatchEvidence } from "./_batch_evidence.ts"
import type { ComputedValues } from "./_changes.ts"
import { auditBatch, type LedgerAuditRules } from "./batch_audit.ts"
import type { BatchExits } from "./exit_trees.ts"
import { type Findings, reportDefects } from "./findings.ts"
import { listOrDie } from "./_filters.ts"

interface ReplayOptions extends LedgerAuditRules {
  readonly reader: LedgerReader["Service"]
  readonly tokens: ReadonlyMap<TokenId, Token>
  readonly findings: Findings
}

/** Accounts whose owners are cached: the same accounts appear in many batches. */
const cachedMax = 2 ** 16

/**
 * The state of a ledger after the batches checked so far. It does not go through `StagedLedger`,
 * which places the changes of a block of the feed: stores do not record the fee accounts, the
 * signatures and the prices that a feed has.
 */
export class LedgerReplay {
  /** Nonces and balances by account index. */
  readonly balances: Array<AccountValues> = []
  lastBatch: Batch | null = null
  lastAccountIndex: AccountIndex = FIRST_USER_ACCOUNT - 1
  #lastForgedQueue = -1
  #lastItems = { transaction: 0, exit: 0 }
  batches = 0
  transactions = 0
  exits = 0
  /** Batches with exits, whose exit trees the caller checks. */
  readonly exitBatches: Array<BatchExits> = []
  readonly #accounts = new Map<AccountIndex, Account>()
  readonly #options: ReplayOptions

  constructor(options: ReplayOptions) {
    this.#options = options
  }

  get lastBatchNum(): number {
    return this.lastBatch?.batchNum ?? 0
  }

  /** Compares the stored rows of the next batch with the computed ones. */
  auditBatch({ block }: LedgerBlock, stored: LedgerBatch): Effect.Effect<void, StoreFailure> {
    const { accountChanges, batch } = stored
    this.#auditOrder(batch, block)
    let computed: ComputedValues | undefined
    const audit = Effect.map(this.#loadEvidence(stored), (evidence) => {
      computed = auditBatch(this.#options, evidence, this.#options.findings)
    })
    return Effect.map(
      reportDefects("batches", `batch ${batch.batchNum}`, audit, this.#options.findings),
      () => {
        // after an invalid batch, the audit continues with the stored values
        const values = computed ??
          new Map(accountChanges.map(({ after, index }) => [index, after]))
        for (const [index, { balance, nonce }] of values) {
          this.balances[index] = { nonce, balance }
          this.lastAccountIndex = Math.max(this.lastAccountIndex, index)
        }
        this.lastBatch = batch
        this.batches++
      }
    )
  }

  /** Loads the rows of a batch, and checks their numbers and item ids. */
  #loadEvidence(
    { accountChanges: changes, batch }: LedgerBatch
  ): Effect.Effect<BatchEvidence, StoreFailure> {
    return Effect.gen({ self: this }, function*() {
      const found = (yield* this.#options.reader.find("fullBatch", batch.batchNum)).item
      const transactions = (found?.transactions ?? []).map(({ transaction }) => transaction)
      const exits = yield* this.#exitsOf(batch, transactions)
      this.#auditItems(batch, transactions, exits)
      if (exits.length > 0) this.exitBatches.push({ batch, exits })
      yield* this.#loadAccounts(
        transactions,
        [...changes.map(({ index }) => index), ...exits.map(({ accountIndex }) => accountIndex)]
      )
      const lastAccountBefore = this.lastAccountIndex
      const stored = (index: AccountIndex) => this.#accounts.get(index)
      return {
        batch,
        transactions,
        exits,
        changes,
        lastAccountBefore,
        stored,
        before: (index) => {
          const account = index <= lastAccountBefore ? stored(index) : undefined
          const values = account && this.balances[index]
          return values && { ...account, ...values }
        },
        token: (id) => this.#options.tokens.get(id)
      }
    })
  }

  /** Compares a batch with its block and with the batch before it. */
  #auditOrder(batch: Batch, block: LedgerBlock["block"]): void {
    const { findings } = this.#options
    const place = `batch ${batch.batchNum}`
    const expected = `batch ${this.lastBatchNum + 1}`
    findings.same("batches", place, place, expected)
    const previousItem = this.lastBatch?.itemId ?? 0
    if (batch.itemId <= previousItem) {
      findings.violate("batches", `${place}, itemId`, batch.itemId, `above ${previousItem}`)
    }
    findings.sameMembers("batches", () => place, batch, {
      ethereumBlockNum: block.number,
      ethereumBlockHash: block.hash,
      timestampMs: block.timestampMs
    })
    const queue = batch.forgeL1TransactionsNum
    if (queue === null) return
    findings.same(
      "batches",
      `${place}, forgeL1TransactionsNum`,
      queue,
      this.#lastForgedQueue + 1
    )
    this.#lastForgedQueue = queue
  }

  /** Returns the exits of a batch. */
  #exitsOf(
    { batchNum, exitRoot }: Batch,
    transactions: ReadonlyArray<Transaction>
  ): Effect.Effect<ReadonlyArray<Exit>, StoreFailure> {
    if (exitRoot === 0n && !transactions.some(({ toAccountIndex }) => toAccountIndex === 1)) {
      return Effect.succeed([])
    }
    return Effect.map(
      listOrDie(this.#options.reader, "exits", { filters: { batchNum }, limit: limitMax }),
      ({ items }) => items.map(({ exit }) => exit)
    )
  }

  /** Checks the numbers of the rows of a batch, and that their item ids ascend. */
  #auditItems(
    { batchNum, forgedTransactions }: Batch,
    transactions: ReadonlyArray<Transaction>,
    exits: ReadonlyArray<Exit>
  ): void {
    const { findings } = this.#options
    findings.checked("ranges", 2)
    findings.same(
      "ranges",
      `batch ${batchNum}, transactions`,
      `${transactions.length} rows`,
      `${forgedTransactions} rows`
    )
    this.transactions += transactions.length
    this.exits += exits.length
    for (const [kind, rows] of [["transaction", transactions], ["exit", exits]] as const) {
      for (const { itemId } of rows) {
        const last = this.#lastItems[kind]
        if (itemId <= last) {
          const place = `${kind}, item ${itemId}`
          findings.violate("ranges", place, `in batch ${batchNum}`, `an item above ${last}`)
        }
        this.#lastItems[kind] = itemId
      }
    }
  }

  /** Loads the accounts of some indexes and transactions, and those that these can create. */
  #loadAccounts(
    transactions: ReadonlyArray<Transaction>,
    indexes: Iterable<AccountIndex>
  ): Effect.Effect<void, StoreFailure> {
    if (this.#accounts.size > cachedMax) this.#accounts.clear()
    const named = new Set(indexes)
    let created = this.lastAccountIndex
    for (const { fromAccountIndex, l1, toAccountIndex, type } of transactions) {
      if (fromAccountIndex !== null) named.add(fromAccountIndex)
      named.add(toAccountIndex)
      if (l1 !== null && type.startsWith("CreateAccount")) named.add(++created)
    }
    const accounts = [...named].filter((index) =>
      isUserAccount(index) && !this.#accounts.has(index)
    )
    return accounts.length === 0
      ? Effect.void
      : Effect.map(this.#options.reader.accountsAndTokens({ accounts, tokens: [] }), (found) => {
        for (const account of found.accounts) {
          if (account !== null) this.#accounts.set(account.index, account)
        }
      })
  }
}
