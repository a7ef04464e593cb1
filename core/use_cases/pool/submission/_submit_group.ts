import { Clock, Effect } from "effect"
import type { InputFault } from "../../../contract/mod.ts"
import type { PoolTransaction, PostedGroup } from "../../../domain/mod.ts"
import type { TransactionId } from "../../../encoding/mod.ts"
import type { StoreFailure, TransactionOwners, VerifierBusy } from "../../../ports/mod.ts"
import { completeGroup, faultAt, groupFaults } from "./_group_rules.ts"
import {
  type AccountsOfPosted,
  boundFaults,
  type FeeBounds,
  feeInUSDOf,
  ledgerFaults,
  ownersOf,
  partiesOf,
  type PostRules
} from "./_posted_rules.ts"
import {
  failIfRefused,
  type PoolFull,
  SubmissionConflict,
  type SubmissionFailure,
  type SubmissionRefused
} from "./submission_failures.ts"
import { isOfEarlierOwner, removeOfEarlierOwner } from "./_earlier_owner.ts"
import { reconcileWithLedger } from "../reconcile.ts"
import { isSamePosted } from "../_same_transaction.ts"
import {
  failFull,
  failIfReplaced,
  type SubmissionContext,
  type Submitted,
  wrongSignature
} from "./_submission_context.ts"

/** Validates a group and stores it. */
export const submitGroup = Effect.fnUntraced(function*(
  context: SubmissionContext,
  input: PostedGroup,
  rules: PostRules
): Effect.fn.Return<SubmittedGroup, SubmissionFailure> {
  const { keccak256, limits, pool, reader, refuse } = context
  const group = completeGroup(input)
  yield* failIfRefused(groupFaults(group, refuse, keccak256, rules))
  const ids = group.transactions.map((each) => each.id)
  const parties = yield* Effect.forEach(group.transactions, (each) => partiesOf(reader, each))
  const known = yield* pool.pooled(ids)
  const isKnown = known.some((row) => {
    const position = ids.indexOf(row.transaction.id)
    return !isOfEarlierOwner(row, group.transactions[position]!, parties[position]!.sender)
  })
  if (isKnown) return yield* acknowledgeGroup(context, group)

  yield* checkRules(context, group, parties)
  if ((yield* pool.counts).pend + ids.length > limits.pendingMax) {
    return yield* failFull(context, "pendingMax", group.transactions[0]!.fromAccountIndex)
  }
  const owners = parties.map(ownersOf)
  yield* checkSignatures(context, group, owners)
  for (const each of group.transactions) yield* failIfReplaced(context, each)
  if (!(yield* removeOfEarlierOwner(context, known))) {
    return yield* acknowledgeGroup(context, group)
  }
  return yield* storeGroup(context, group, owners)
})

const storeGroup = Effect.fnUntraced(function*(
  context: SubmissionContext,
  group: PostedGroup,
  owners: ReadonlyArray<TransactionOwners>
): Effect.fn.Return<SubmittedGroup, SubmissionConflict | PoolFull | StoreFailure> {
  const { limits, pool } = context
  const timestampMs = yield* Clock.currentTimeMillis
  const rows = group.transactions.map(({ requestOffset, ...posted }, position) => ({
    ...owners[position]!,
    transaction: {
      ...posted,
      group: { id: group.id, position, size: group.transactions.length, requestOffset },
      state: "pend",
      timestampMs,
      batchNum: null
    } satisfies PoolTransaction
  }))
  const added = yield* pool.addGroup(rows, limits)
  switch (added.kind) {
    case "added":
      // blocks that were applied since the checks were reconciled without this group
      yield* reconcileWithLedger(context, rows)
      return { ids: group.transactions.map(({ id }) => id), stored: true }
    case "known":
      return yield* acknowledgeGroup(context, group)
    case "full":
      return yield* failFull(context, added.limit, added.account)
  }
})

/** Returns the ids of the group if the pool has exactly this group; fails otherwise. */
const acknowledgeGroup = Effect.fnUntraced(function*(
  context: SubmissionContext,
  { id, transactions }: PostedGroup
): Effect.fn.Return<SubmittedGroup, SubmissionConflict | StoreFailure> {
  const ids = transactions.map((each) => each.id)
  const stored = yield* context.pool.members([id])
  // the id of a group is a hash of its ids, and what its members require is signed
  const isSame = stored.length === transactions.length &&
    stored.every(({ transaction }, position) => isSamePosted(transaction, transactions[position]!))
  if (!isSame) {
    return yield* new SubmissionConflict({
      faults: [
        context.refuse(
          "atomicGroupId",
          id,
          "the stored group, or one of unused ids: another transaction is stored under an id of this group"
        )
      ]
    })
  }
  yield* reconcileWithLedger(context, stored)
  return { ids, stored: false }
})

const checkRules = (
  { fees, refuse }: SubmissionContext,
  { transactions }: PostedGroup,
  parties: ReadonlyArray<AccountsOfPosted>
): Effect.Effect<void, SubmissionRefused> => {
  const sumUSD = transactions.reduce(
    (sum, each, position) => sum + feeInUSDOf(each, parties[position]!.token),
    0
  )
  const averageUSD = sumUSD / transactions.length
  return failIfRefused([
    ...transactions.flatMap((each, position) =>
      ledgerFaults(each, parties[position]!, anyFee, refuse).map(faultAt(position))
    ),
    ...boundFaults(
      averageUSD,
      fees,
      (bound, ruleName) =>
        refuse("transactions", averageUSD, `an average fee of ${bound}`, ruleName)
    )
  ])
}

const checkSignatures = Effect.fnUntraced(function*(
  { refuse, verifier }: SubmissionContext,
  { transactions }: PostedGroup,
  owners: ReadonlyArray<TransactionOwners>
): Effect.fn.Return<void, SubmissionRefused | VerifierBusy> {
  const faults: Array<InputFault> = []
  for (const [position, transaction] of transactions.entries()) {
    if (yield* verifier.transaction(transaction, owners[position]!.sender.publicKey)) continue
    faults.push(faultAt(position)(wrongSignature(transaction, refuse)))
  }
  yield* failIfRefused(faults)
})

/** The result of a post of a group, with the ids of its transactions. */
export interface SubmittedGroup extends Submitted {
  readonly ids: ReadonlyArray<TransactionId>
}

/** The bounds apply to the average of a group, not to each of its transactions. */
const anyFee: FeeBounds = { minFeeUSD: 0, maxFeeUSD: Infinity }
