import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Exit, Network } from "../../../core/domain/mod.ts"
import { FIRST_USER_ACCOUNT } from "../../../core/encoding/mod.ts"
import { BalanceBook, type Findings, StateLeaves } from "../../../core/use_cases/mod.ts"
import { readAccounts, auditAuction, auditTokens } from "./_registrations.ts"
import { selectRows } from "../entities/mod.ts"
import type { AuditSnapshot, AuditStep, DatabaseAuditOptions } from "./_audit_snapshot.ts"
import { auditBatches } from "./_batches.ts"
import { auditBlocks } from "./_blocks.ts"
import { auditGenesis, auditLedgerRow, auditMigrations } from "./_ledger.ts"
import { auditOpenItems } from "./_open_items.ts"
import { auditVariables } from "./_parameter_sets.ts"
import { auditPool, auditPoolLedger } from "./_pool.ts"
import { auditPostings } from "./_postings.ts"
import { auditQueue, auditWithdrawals } from "./_queue.ts"

/** Checks all tables of a database, in the transaction of the caller. */
export const auditTables = (
  sql: SqlClient.SqlClient,
  options: DatabaseAuditOptions,
  findings: Findings
): AuditStep =>
  Effect.gen(function*() {
    let [units, doneWeight, weight, at] = [0, 0, 0, ""]
    const snapshot: AuditSnapshot = {
      rows: (statement, ...parameters) => sql.unsafe(statement, parameters),
      select: (query, ...parameters) => selectRows(sql, query, parameters),
      findings,
      advance: (count, share) => {
        units += count
        return options.onProgress({
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
        "The rest was not checked, because the schema differs from that of this program"
      )
    }
    const genesis = yield* auditGenesis(snapshot)
    if (genesis === undefined) {
      return findings.note(
        "The rest was not checked, because all other checks need the genesis record"
      )
    }
    const leaves = new StateLeaves()
    let lastAccount = FIRST_USER_ACCOUNT - 1
    const rules = { auction: genesis.constants.auction, keccak256: options.keccak256 }
    const steps: { readonly [Part in keyof typeof partWeights]: AuditStep } = {
      "tokens": Effect.andThen(auditLedgerRow(snapshot), auditTokens(snapshot)),
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
          checkProofs: proofChecker(options, genesis.network, findings)
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
    for (const [part, step] of Object.entries(steps)) {
      at = part
      weight = partWeights[part as keyof typeof partWeights]
      yield* step
      doneWeight += weight
    }
  })

/** Approximate share of each part in the total time, for the progress. */
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

/** Returns a function that reports the wrong proofs of exits. */
const proofChecker =
  ({ findWrongProofs }: DatabaseAuditOptions, network: Network, findings: Findings) =>
  (proofs: ReadonlyArray<readonly [exit: Exit, exitRoot: bigint]>): Effect.Effect<void> =>
    findWrongProofs === null ?
      Effect.void :
      Effect.map(findWrongProofs(network, proofs), (wrong) => {
        for (const index of wrong) {
          const [{ accountIndex, batchNum, itemId }, exitRoot] = proofs[index]!
          findings.violate(
            "exit-proofs",
            `exit ${itemId} (batch ${batchNum}, account ${accountIndex})`,
            "a proof with another root",
            `a proof with the root ${exitRoot}, the exit root of its batch`
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
    const root = yield* runInSlices(leaves.root(tree), (step) =>
      advance(0, step / (leaves.count + 1)))
    findings.checked("state-root", leaves.count)
    findings.same("state-root", `batch ${last.batch_num}, state_root`, BigInt(last.root), root)
  })

/** Runs a generator in slices of 20 ms, and yields to other fibers in between. */
const runInSlices = <A>(
  steps: Generator<void, A>,
  each: (step: number) => Effect.Effect<void>
): Effect.Effect<A> =>
  Effect.gen(function*() {
    let count = 0
    for (;;) {
      const endMs = performance.now() + 20
      do {
        const step = steps.next()
        if (step.done === true) return step.value
        count++
      } while (performance.now() < endMs)
      yield* each(count)
      yield* Effect.yieldNow
    }
  })
