import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Exit, Network } from "../../../core/domain/mod.ts"
import { FIRST_USER_ACCOUNT } from "../../../core/encoding/mod.ts"
import { BalanceBook, type Findings, StateLeaves } from "../../../core/use_cases/mod.ts"
import { readAccounts } from "./_accounts.ts"
import { auditAuction } from "./_auction.ts"
import type { DatabaseAuditOptions } from "./audit_options.ts"
import type { AuditStep, AuditSnapshot } from "./_audit_snapshot.ts"
import { auditBatches } from "./_batches.ts"
import { auditBlocks } from "./_blocks.ts"
import { auditGenesis, auditMigrations, auditStanding } from "./_ledger.ts"
import { auditOpenItems } from "./_open_items.ts"
import { auditVariables } from "./_parameter_sets.ts"
import { auditPool, auditPoolLedger } from "./_pool.ts"
import { auditPostings } from "./_postings.ts"
import { auditQueue } from "./_queue.ts"
import { auditTokens } from "./_tokens.ts"
import { auditWithdrawals } from "./_withdrawals.ts"

/** Audits all tables of a database, in the transaction of the caller. */
export const audit = (
  sql: SqlClient.SqlClient,
  options: DatabaseAuditOptions,
  findings: Findings
): AuditStep =>
  Effect.gen(function*() {
    let [units, doneWeight, weight, at] = [0, 0, 0, ""]
    const snapshot: AuditSnapshot = {
      rows: (statement, ...parameters) => sql.unsafe(statement, parameters),
      findings,
      advance: (count, share) => {
        units += count
        return options.tell({
          units,
          share: Math.min(1, (doneWeight + weight * share) / weights),
          at
        })
      },
      book: new BalanceBook(),
      tokens: new Map()
    }
    if (!(yield* auditMigrations(snapshot))) {
      return findings.note(
        "Nothing else was looked at, since the schema is not that of this program"
      )
    }
    const genesis = yield* auditGenesis(snapshot)
    if (genesis === undefined) {
      return findings.note(
        "Nothing else was looked at, since the genesis record says what a ledger is judged by"
      )
    }
    const leaves = new StateLeaves()
    let lastAccount = FIRST_USER_ACCOUNT - 1
    const rules = { auction: genesis.constants.auction, keccak256: options.keccak256 }
    const work: { readonly [Part in keyof typeof partWeights]: AuditStep } = {
      "tokens": Effect.andThen(auditStanding(snapshot), auditTokens(snapshot)),
      "blocks": auditBlocks(snapshot),
      "accounts": Effect.map(
        readAccounts(snapshot, (account) => {
          if (options.tree !== null) leaves.add(options.tree.account(account))
        }),
        (last) => {
          lastAccount = last
        }
      ),
      "batches": Effect.suspend(() =>
        auditBatches(snapshot, {
          ...rules,
          lastAccount,
          proofs: checkProofs(options, genesis.network, findings)
        })
      ),
      "queues": auditQueue(snapshot, options.keccak256),
      "withdrawals": auditWithdrawals(snapshot),
      "auction": Effect.andThen(auditAuction(snapshot), auditVariables(snapshot)),
      "lists": auditPostings(snapshot),
      "open items": auditOpenItems(snapshot),
      "pool": Effect.andThen(auditPool(snapshot, options.keccak256), auditPoolLedger(snapshot)),
      "state root": Effect.suspend(() => auditStateRoot(snapshot, leaves, options))
    }
    for (const [part, step] of Object.entries(work)) {
      at = part
      weight = partWeights[part as keyof typeof partWeights]
      yield* step
      doneWeight += weight
    }
  })

/** Approximate share of the time of each part, for the progress. */
const partWeights = {
  "tokens": 1,
  "blocks": 2,
  "accounts": 3,
  "batches": 40,
  "queues": 2,
  "withdrawals": 1,
  "auction": 1,
  "lists": 40,
  "open items": 3,
  "pool": 2,
  "state root": 5
} as const
const weights = Object.values(partWeights).reduce((sum, weight) => sum + weight, 0)

const checkProofs =
  ({ wrongProofs }: DatabaseAuditOptions, network: Network, findings: Findings) =>
  (proofs: ReadonlyArray<readonly [exit: Exit, exitRoot: bigint]>): Effect.Effect<void> =>
    wrongProofs === null ? Effect.void : Effect.map(wrongProofs(network, proofs), (wrong) => {
      for (const place of wrong) {
        const [{ accountIndex, batchNum, itemId }, exitRoot] = proofs[place]!
        findings.violate(
          "exit-proofs",
          `exit ${itemId} (batch ${batchNum}, account ${accountIndex})`,
          "a proof that leads elsewhere",
          `one that leads from its leaf to ${exitRoot}, the exit root of its batch`
        )
      }
    })

const auditStateRoot = (
  { advance, findings, rows }: AuditSnapshot,
  leaves: StateLeaves,
  { tree }: DatabaseAuditOptions
): AuditStep =>
  Effect.gen(function*() {
    if (tree === null) return
    const [last] = yield* rows<{ readonly batch_num: bigint; readonly root: string }>(
      "SELECT batch_num, state_root::text AS root FROM batch ORDER BY batch_num DESC LIMIT 1"
    )
    if (last === undefined) return
    const root = yield* stepped(leaves.root(tree), (step) => advance(0, step / (leaves.count + 1)))
    findings.checked("state-root", leaves.count)
    findings.same("state-root", `batch ${last.batch_num}, state_root`, BigInt(last.root), root)
  })

/** Runs a generator for some milliseconds at a time, and yields to other fibers in between. */
const stepped = <A>(
  steps: Generator<void, A>,
  each: (step: number) => Effect.Effect<void>
): Effect.Effect<A> =>
  Effect.gen(function*() {
    let count = 0
    for (;;) {
      const end = performance.now() + 20
      do {
        const step = steps.next()
        if (step.done === true) return step.value
        count++
      } while (performance.now() < end)
      yield* each(count)
      yield* Effect.yieldNow
    }
  })
