import { Effect } from "effect"
import type { PostedTransaction } from "../../../domain/mod.ts"
import type { StoreFailure } from "../../../ports/mod.ts"
import { reconcileWithLedger } from "../reconcile.ts"
import { symbolFaults } from "./_account_symbols.ts"
import { isOfEarlierOwner, removeOfEarlierOwner } from "./_earlier_owner.ts"
import { partiesOf, postedFaults, type PostRules, withoutEmptyParts } from "./_posted_rules.ts"
import {
  acknowledge,
  checkedOwners,
  checkLedgerRules,
  conflict,
  failFull,
  failIfReplaced,
  pendingTransaction,
  type SubmittedTransaction,
  type SubmissionContext
} from "./_submission_context.ts"
import { failIfRefused, type PoolFull, type SubmissionFailure } from "./submission_failures.ts"

/**
 * Validates a transaction and stores it. The checks run from the cheapest to the most expensive, each
 * only if the previous one passed.
 */
export const submitTransaction = Effect.fnUntraced(function*(
  context: SubmissionContext,
  input: PostedTransaction,
  rules: PostRules
): Effect.fn.Return<SubmittedTransaction, SubmissionFailure> {
  const { keccak256, limits, pool, reader, refuse } = context
  const posted = withoutEmptyParts(input)
  const { id } = posted
  yield* failIfRefused(postedFaults(posted, refuse, keccak256, rules))
  const parties = yield* partiesOf(reader, posted)
  const wrongSymbols = yield* symbolFaults(rules, posted, parties, context)
  const [known] = yield* pool.pooled([id])
  if (known !== undefined && !isOfEarlierOwner(known, posted, parties.sender)) {
    yield* failIfRefused(wrongSymbols)
    return yield* acknowledge(context, known, posted)
  }
  yield* checkLedgerRules(context, posted, parties, wrongSymbols)
  yield* checkSpace(context, posted)
  const owners = yield* checkedOwners(context, posted, parties)
  yield* failIfReplaced(context, posted)
  const isFree = known === undefined || (yield* removeOfEarlierOwner(context, [known]))
  if (!isFree) return yield* conflict(context, id)
  const transaction = yield* pendingTransaction(posted)
  const added = yield* pool.addTransaction(transaction, owners, limits)
  switch (added.kind) {
    case "added":
      // blocks that were applied since the checks were reconciled without this transaction
      yield* reconcileWithLedger(context, [{ transaction, ...owners }])
      return { id, stored: true }
    case "known": {
      const [stored] = yield* pool.pooled([id])
      return yield* acknowledge(context, stored, posted)
    }
    case "full":
      return yield* failFull(context, added.limit, posted.fromAccountIndex)
  }
})

const checkSpace = Effect.fnUntraced(function*(
  context: SubmissionContext,
  { fromAccountIndex }: PostedTransaction
): Effect.fn.Return<void, PoolFull | StoreFailure> {
  const { limits, pool } = context
  if ((yield* pool.pendingOf(fromAccountIndex)) >= limits.pendingPerAccountMax) {
    return yield* failFull(context, "pendingPerAccountMax", fromAccountIndex)
  }
  if ((yield* pool.counts).pend >= limits.pendingMax) {
    return yield* failFull(context, "pendingMax", fromAccountIndex)
  }
})
