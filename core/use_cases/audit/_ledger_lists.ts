import { Effect } from "effect"
import { limitMax } from "../../contract/mod.ts"
import type { Account, Token, TokenId } from "../../domain/mod.ts"
import { FIRST_USER_ACCOUNT, type Keccak256, l1UserTransactionId } from "../../encoding/mod.ts"
import type { LedgerReader, StoreFailure } from "../../ports/mod.ts"
import { findInPages } from "../_find_in_pages.ts"
import type { Findings } from "./findings.ts"
import type { LedgerReplay } from "./_ledger_replay.ts"
import { listOrDie } from "./_filters.ts"
import { type AccountTree, stateRootOf } from "./state_root.ts"

/* What the whole lists of a ledger have to be after its last batch. */

const everything = { filters: {}, limit: limitMax }

/** Checks that token ids have no gaps, and returns all tokens. */
export const auditTokens = Effect.fnUntraced(
  function*(reader: LedgerReader["Service"], findings: Findings) {
    const tokens = new Map<TokenId, Token>()
    let lastItem = 0
    yield* findInPages(reader, "tokens", everything, (items) => {
      for (const token of items) {
        findings.same("tokens", `token ${tokens.size}`, token.id, tokens.size)
        if (token.itemId <= lastItem) {
          findings.violate("tokens", `token ${token.id}, itemId`, token.itemId, `above ${lastItem}`)
        }
        tokens.set(token.id, token)
        lastItem = token.itemId
      }
      findings.checked("tokens", items.length)
    })
    const addresses = new Set([...tokens.values()].map(({ ethereumAddress }) => ethereumAddress))
    findings.same("tokens", "addresses of tokens", addresses.size, tokens.size)
    return tokens
  }
)

/** Compares the stored accounts, and the root over them, with the values after the last batch. */
export const auditAccounts = (
  reader: LedgerReader["Service"],
  replay: LedgerReplay,
  tree: AccountTree | null,
  findings: Findings
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    const leaves: Array<bigint> = []
    let [last, lastItem] = [FIRST_USER_ACCOUNT - 1, 0]
    yield* findInPages(reader, "accounts", everything, (items) => {
      for (const { account } of items) {
        if (account.index !== last + 1) {
          findings.violate(
            "transitions",
            `account ${last + 1}`,
            "no account",
            "no gaps of accounts"
          )
        }
        if (account.itemId <= lastItem) {
          const location = `account ${account.index}, itemId`
          findings.violate("transitions", location, account.itemId, `above ${lastItem}`)
        }
        ;[last, lastItem] = [account.index, account.itemId]
        auditAccount(account, replay, findings)
        if (tree !== null) leaves.push(tree.account(account))
      }
    })
    if (tree === null || replay.lastBatch === null) return
    const { batchNum, stateRoot } = replay.lastBatch
    findings.checked("state-root", leaves.length)
    const root = yield* runWithYields(stateRootOf(leaves, tree))
    findings.same("state-root", `batch ${batchNum}, stateRoot`, stateRoot, root)
  })

function auditAccount(account: Account, replay: LedgerReplay, findings: Findings): void {
  const computed = replay.balances[account.index]
  if (computed === undefined) {
    findings.violate(
      "transitions",
      `account ${account.index}`,
      "an account",
      "one that a batch creates"
    )
    return
  }
  findings.checked("balances")
  findings.sameMembers(
    "balances",
    () => `account ${account.index} after batch ${replay.lastBatchNum}`,
    account,
    computed
  )
}

/** Runs a generator, and yields to other fibers in between. */
const runWithYields = <A>(steps: Generator<void, A>): Effect.Effect<A> =>
  Effect.gen(function*() {
    for (let count = 1;; count++) {
      const step = steps.next()
      if (step.done === true) return step.value
      if (count % 64 === 0) yield* Effect.yieldNow
    }
  })

/** Compares the numbers of listed transactions and exits with those of all batches. */
export const auditCounts = (
  reader: LedgerReader["Service"],
  replay: LedgerReplay,
  findings: Findings
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    for (const name of ["transactions", "exits", "batches"] as const) {
      const { counts } = yield* listOrDie(reader, name, { filters: {}, limit: 1 })
      findings.same("ranges", `list of ${name}`, counts.totalItems, replay[name])
    }
  })

/** Checks the ids and positions of the transactions that wait in queues. */
export const auditQueue = (
  reader: LedgerReader["Service"],
  keccak256: Keccak256,
  findings: Findings
): Effect.Effect<unknown, StoreFailure> =>
  findInPages(reader, "transactions", {
    filters: { includePending: true },
    limit: limitMax,
    order: "DESC"
  }, (items) => {
    const waiting = items.filter(({ transaction }) => transaction.batchNum === null)
    findings.checked("queued", waiting.length)
    for (const { transaction: { id, l1, position } } of waiting) {
      const toForgeL1TransactionsNum = l1?.toForgeL1TransactionsNum ?? 0
      findings.same(
        "queued",
        `queue ${toForgeL1TransactionsNum}, position ${position}`,
        id,
        l1UserTransactionId({ toForgeL1TransactionsNum, position }, keccak256)
      )
    }
    return waiting.length < items.length ? true : undefined
  })
