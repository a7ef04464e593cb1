import { Effect, Fiber } from "effect"
import { limitMax, type ListItems, listNames } from "../../contract/mod.ts"
import type { Account, AccountView, GenesisFeed, Token, TokenId } from "../../domain/mod.ts"
import { FIRST_USER_ACCOUNT, type Keccak256, l1UserTransactionId } from "../../encoding/mod.ts"
import type {
  LedgerBlock,
  LedgerHistory,
  LedgerReader,
  LedgerStamp,
  StoreFailure
} from "../../ports/mod.ts"
import { type AccountTree, StateLeaves } from "./state_root.ts"
import { auditList } from "./_filters.ts"
import { type Findings, reportDefects } from "./findings.ts"
import { type FindWrongProofs, reportWrongProofs } from "./exit_proofs.ts"
import { type LedgerAuditRules, LedgerReplay } from "./_ledger_replay.ts"
import { auditRollBacks } from "./_rollbacks.ts"

export type { LedgerAuditRules } from "./_ledger_replay.ts"

/** The ports of the ledger that `auditLedger` compares. */
export interface LedgerAuditPorts {
  readonly reader: LedgerReader["Service"]
  readonly history: LedgerHistory["Service"]
}

/** The parts of an audit that the caller supplies. */
export interface AuditOptions {
  /**
   * Returns the indexes of the wrong proofs among proofs of exits, each with the root that it must
   * lead to. Null skips the check.
   */
  readonly findWrongProofs: FindWrongProofs | null
  /** Hashes of the state tree, about a dozen for each account. Null skips the check of the root. */
  readonly tree: AccountTree | null
  /**
   * Called repeatedly with the number of items checked so far, the share of the work that is done,
   * from 0 to 1, undefined if it is unknown, and the name of the current part.
   */
  readonly onProgress: (
    progress: { readonly units: number; readonly share: number | undefined; readonly at: string }
  ) => Effect.Effect<void>
}

/** Number of exit proofs that are verified together. */
const proofsAtOnce = 200

/**
 * Checks a ledger through its ports. It computes every batch from the state before it, from the
 * first batch on, and compares transactions, exits, created accounts, changes, balances and the last
 * state root with the answers; it compares the rollbacks, and a sample of the rows of each list with
 * the answers for each filter. Nothing may write the ledger in the meantime. It reads batch by batch
 * and needs 41 bytes of memory for each account, and 32 more for the state root.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { auditLedger, Findings } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import { memoryHistory, memoryReader, openAuditedLedger } from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis, next } = simulate({ seed: 1 })
 * const { applyRecord, ledger } = openAuditedLedger(genesis, keccak256)
 * for (let i = 0; i < 9; i++) applyRecord(next(), `record ${i}`)
 * const ports = { reader: memoryReader(ledger), history: memoryHistory(ledger) }
 * const options = { findWrongProofs: null, tree: null, onProgress: () => Effect.void }
 * const findings = new Findings()
 * await Effect.runPromise(auditLedger(ports, { genesis, keccak256 }, options, findings))
 * const { checks, isSound } = findings.report()
 * console.log(isSound, checks.find(({ check }) => check === "batches")?.checked) // => true 9
 * ```
 */
export const auditLedger = (
  ports: LedgerAuditPorts,
  rules: LedgerAuditRules,
  { findWrongProofs, onProgress, tree }: AuditOptions,
  findings: Findings
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    const { history, reader } = ports
    const stamp = yield* reader.stamp
    const tokens = yield* auditTokens(reader, findings)
    const replay = new LedgerReplay(reader, rules, tokens, findings)
    const options = { findWrongProofs, onProgress, findings }
    yield* reportDefects(
      "blocks",
      "blocks",
      auditBlocks(ports, rules.genesis, replay, stamp, options),
      findings
    )
    yield* onProgress({ units: replay.transactions, share: 0.9, at: "accounts" })
    yield* reportDefects(
      "balances",
      "accounts",
      auditAccounts(reader, replay, tree, findings),
      findings
    )
    yield* auditCounts(reader, replay, findings)
    yield* reportDefects(
      "queued",
      "queues",
      auditQueue(reader, rules.keccak256, findings),
      findings
    )
    yield* reportDefects(
      "rollbacks",
      "rollbacks",
      auditRollBacks(history, stamp.version, findings),
      findings
    )
    yield* onProgress({ units: replay.transactions, share: 0.95, at: "filters" })
    yield* Effect.forEach(
      listNames,
      (name) =>
        reportDefects("postings", `list of ${name}`, auditList(reader, name, findings), findings)
    )
  })

/** Checks that token ids have no gaps, and returns all tokens. */
const auditTokens = Effect.fnUntraced(
  function*(reader: LedgerReader["Service"], findings: Findings) {
    const tokens = new Map<TokenId, Token>()
    let lastItem = 0
    yield* eachPage(reader, "tokens", (items) => {
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
    return tokens
  }
)

/** Calls `each` with the items of a list, page by page. */
const eachPage = <N extends "accounts" | "tokens">(
  reader: LedgerReader["Service"],
  name: N,
  each: (items: ReadonlyArray<ListItems[N]>) => void
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function*() {
    for (let fromItem = 0;;) {
      const { counts, items } = yield* reader
        .list(name, { filters: {}, fromItem, limit: limitMax })
        .pipe(Effect.catchTag("NotRegistered", Effect.die))
      each(items)
      const last: AccountView | Token | undefined = items.at(-1)
      if (last === undefined || counts.pendingItems === 0) return
      fromItem = ("account" in last ? last.account : last).itemId + 1
      yield* Effect.yieldNow
    }
  })

/** Checks the chain of blocks, and the batches of each block in the state before them. */
const auditBlocks = Effect.fnUntraced(
  function*(
    { history }: LedgerAuditPorts,
    genesis: GenesisFeed,
    replay: LedgerReplay,
    stamp: LedgerStamp,
    { findWrongProofs, findings, onProgress }: Omit<AuditOptions, "tree"> & {
      readonly findings: Findings
    }
  ): Effect.fn.Return<void, StoreFailure> {
    const { network } = genesis
    let [number, previous]: [bigint, LedgerBlock | null] = [genesis.block.number, null]
    let verification = yield* Effect.forkChild(Effect.void)
    for (;;) {
      const block: LedgerBlock | null = (yield* history.block(number)).item
      if (block === null) {
        findings.violate("blocks", `block ${number}`, null, "a stored block")
        break
      }
      auditBlock(block, previous, findings)
      for (const batch of block.batches) yield* replay.auditBatch(block, batch)
      if (findWrongProofs !== null && replay.proofs.length >= proofsAtOnce) {
        yield* Fiber.join(verification)
        verification = yield* Effect.forkChild(
          reportWrongProofs(findWrongProofs, network, replay.takeProofs(), findings)
        )
      }
      const share = replay.lastBatchNum / ((stamp.batchNum ?? 0) + 1)
      yield* onProgress({ units: replay.transactions, share: 0.9 * share, at: "batches" })
      if (block.next === null) break
      ;[number, previous] = [block.next.number, block]
    }
    yield* Fiber.join(verification)
    if (findWrongProofs !== null) {
      yield* reportWrongProofs(findWrongProofs, network, replay.takeProofs(), findings)
    }
    findings.same("blocks", "last block", number, stamp.ethereumBlockNum)
    findings.same("batches", "last batch", replay.lastBatchNum, stamp.batchNum ?? 0)
  }
)

/** Compares a block with the block before it. */
function auditBlock(
  { block, previous }: LedgerBlock,
  before: LedgerBlock | null,
  findings: Findings
): void {
  const location = `block ${block.number}`
  findings.checked("blocks")
  findings.same("blocks", `${location}, previous`, previous?.hash, before?.block.hash)
  if (before !== null && block.timestampMs < before.block.timestampMs) {
    findings.violate(
      "blocks",
      `${location}, timestampMs`,
      block.timestampMs,
      `${before.block.timestampMs} or more, the time of the previous block`
    )
  }
}

/** Compares the stored accounts, and the root over them, with the values after the last batch. */
const auditAccounts = Effect.fnUntraced(
  function*(
    reader: LedgerReader["Service"],
    replay: LedgerReplay,
    tree: AccountTree | null,
    findings: Findings
  ): Effect.fn.Return<void, StoreFailure> {
    const leaves = new StateLeaves()
    let [last, lastItem] = [FIRST_USER_ACCOUNT - 1, 0]
    yield* eachPage(reader, "accounts", (items) => {
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
        if (tree !== null) leaves.add(tree.account(account))
      }
    })
    if (tree === null || replay.lastBatch === null) return
    const { batchNum, stateRoot } = replay.lastBatch
    findings.checked("state-root", leaves.count)
    const root = yield* runWithYields(leaves.root(tree))
    findings.same("state-root", `batch ${batchNum}, stateRoot`, stateRoot, root)
  }
)

function auditAccount(account: Account, replay: LedgerReplay, findings: Findings): void {
  const computed = replay.balances.get(account.index)
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
    { nonce: account.nonce, balance: account.balance },
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
const auditCounts = Effect.fnUntraced(
  function*(
    reader: LedgerReader["Service"],
    replay: LedgerReplay,
    findings: Findings
  ): Effect.fn.Return<void, StoreFailure> {
    for (const name of ["transactions", "exits", "batches"] as const) {
      const { counts } = yield* reader.list(name, { filters: {}, limit: 1 })
        .pipe(Effect.catchTag("NotRegistered", Effect.die))
      findings.same("ranges", `list of ${name}`, counts.totalItems, replay[name])
    }
  }
)

/** Checks the ids and positions of the transactions that wait in queues. */
const auditQueue = Effect.fnUntraced(
  function*(
    reader: LedgerReader["Service"],
    keccak256: Keccak256,
    findings: Findings
  ): Effect.fn.Return<void, StoreFailure> {
    for (let fromItem: number | undefined;;) {
      const { counts, items } = yield* reader.list("transactions", {
        filters: { includePending: true },
        ...fromItem === undefined ? {} : { fromItem },
        limit: limitMax,
        order: "DESC"
      }).pipe(Effect.catchTag("NotRegistered", Effect.die))
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
      const last = items.at(-1)
      if (waiting.length < items.length || last === undefined || counts.pendingItems === 0) return
      fromItem = last.transaction.itemId - 1
    }
  }
)
