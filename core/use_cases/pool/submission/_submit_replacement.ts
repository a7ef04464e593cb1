import { Effect } from "effect"
import { type AccountOwner, isSameOwner, type PostedTransaction } from "../../../domain/mod.ts"
import { type Pooled, type StoreFailure, type TransactionOwners } from "../../../ports/mod.ts"
import { isOfEarlierOwner, removeOfEarlierOwner } from "./_earlier_owner.ts"
import { symbolFaults } from "./_account_symbols.ts"
import {
  type AccountsOfPosted,
  partiesOf,
  postedFaults,
  type PostRules,
  type Refuse,
  withoutEmptyParts
} from "./_posted_rules.ts"
import { listAll, type PoolPorts } from "../_optimistic_change.ts"
import { isSamePosted } from "../_same_transaction.ts"
import { reconcileWithLedger } from "../reconcile.ts"
import { isReplaceable } from "../store_writes.ts"
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
import {
  failIfRefused,
  NothingToReplace,
  type Replaced,
  type SubmissionConflict,
  type SubmissionFailure
} from "./submission_failures.ts"

/** Validates a transaction and stores it instead of another one. */
export const replaceTransaction = Effect.fnUntraced(function*(
  context: SubmissionContext,
  replaced: Replaced,
  input: PostedTransaction,
  rules: PostRules
): Effect.fn.Return<SubmittedTransaction, SubmissionFailure | NothingToReplace> {
  const posted = withoutEmptyParts(input)
  yield* failIfRefused(postedFaults(posted, context.refuse, context.keccak256, rules))
  for (;;) {
    const answer = yield* attempt(context, replaced, posted, rules)
    // otherwise another write came between the checks and this one
    if (answer !== "changed") return answer
  }
})

const attempt = Effect.fnUntraced(function*(
  context: SubmissionContext,
  replaced: Replaced,
  posted: PostedTransaction,
  rules: PostRules
): Effect.fn.Return<SubmittedTransaction | "changed", SubmissionFailure | NothingToReplace> {
  const { pool, reader } = context
  const { id } = posted
  const parties = yield* partiesOf(reader, posted)
  const wrongSymbols = yield* symbolFaults(rules, posted, parties, context)
  const [known] = yield* pool.pooled([id])
  const isKnown = known !== undefined && !isOfEarlierOwner(known, posted, parties.sender)
  const isSameId = isKnown && isNamed(replaced, posted)
  if (isKnown && (!isSameId || isSamePosted(known.transaction, posted))) {
    yield* failIfRefused(wrongSymbols)
    return yield* acknowledge(context, known, posted)
  }
  if (isSameId) yield* checkSameId(context, known)
  yield* failIfReplaced(context, posted)
  const old = isSameId ? known : yield* findOther(context, replaced, posted, parties)
  yield* checkLedgerRules(context, posted, parties, wrongSymbols)
  const owners = yield* checkedOwners(context, posted, parties)
  const isFree = known === undefined || isSameId || (yield* removeOfEarlierOwner(context, [known]))
  if (!isFree) return yield* conflict(context, id)
  return (yield* storeInstead(context, old, posted, owners)) ? { id, stored: true } : "changed"
})

/** Stores a transaction in place of another one. Returns false if one of both has changed. */
const storeInstead = Effect.fnUntraced(function*(
  context: SubmissionContext,
  old: Pooled,
  posted: PostedTransaction,
  owners: TransactionOwners
) {
  const { limits, pool } = context
  const transaction = yield* pendingTransaction(posted)
  const place = { id: old.transaction.id, arrival: old.arrival }
  const result = yield* pool.replaceTransaction(place, transaction, owners, limits)
  switch (result.kind) {
    case "replaced":
      yield* reconcileWithLedger(context, [{ transaction, ...owners }])
      return true
    case "known":
    case "changed":
      return false
    case "full":
      return yield* failFull(context, result.limit, posted.fromAccountIndex)
  }
})

/** Returns the transaction to replace if it has another id than the posted one. */
const findOther = Effect.fnUntraced(function*(
  context: SubmissionContext,
  replaced: Replaced,
  posted: PostedTransaction,
  { sender }: AccountsOfPosted
): Effect.fn.Return<Pooled, SubmissionFailure | NothingToReplace> {
  const { fromAccountIndex } = posted
  const { pool, refuse } = context
  const old = typeof replaced === "string"
    ? (yield* pool.pooled([replaced]))[0]
    // another sender is refused below
    : yield* findByNonce(
      context,
      replaced,
      fromAccountIndex === replaced.fromAccountIndex ? sender : null
    )
  if (old === undefined || old === null || !isReplaceable(old.transaction)) {
    return yield* new NothingToReplace({
      replaced,
      state: old?.transaction.state ?? null,
      ...old?.transaction.group === undefined ? {} : { group: old.transaction.group.id }
    })
  }
  yield* failIfRefused([...differences(old, posted, refuse)])
  if (sender !== null && !isSameOwner(sender, old.sender)) {
    return yield* new NothingToReplace({
      replaced,
      state: old.transaction.state,
      earlierOwnerOf: fromAccountIndex
    })
  }
  return old
})

/** Fails if a stored transaction cannot be replaced by other content with the same id. */
const checkSameId = Effect.fnUntraced(function*(
  context: SubmissionContext,
  { transaction: { group, id, state } }: Pooled
): Effect.fn.Return<void, SubmissionConflict | StoreFailure> {
  if (group !== undefined) {
    return yield* conflict(
      context,
      id,
      `an unused id: group ${group.id} has it, and is posted as a whole`
    )
  }
  if (state !== "pend" && state !== "invl") {
    return yield* conflict(
      context,
      id,
      `the id of a pending or invalid transaction: this one is ${
        state === "fing" ? "being forged" : "forged"
      }`
    )
  }
})

/** Returns whether a replacement is for the transaction with the posted id. */
const isNamed = (replaced: Replaced, { fromAccountIndex, id, nonce }: PostedTransaction): boolean =>
  typeof replaced === "string"
    ? replaced === id
    : replaced.fromAccountIndex === fromAccountIndex && replaced.nonce === nonce

/** Returns the faults of a transaction that has another sender or nonce than the one it replaces. */
function* differences(
  { transaction: old }: Pooled,
  { fromAccountIndex, nonce }: PostedTransaction,
  refuse: Refuse
) {
  if (fromAccountIndex !== old.fromAccountIndex) {
    yield refuse(
      "fromAccountIndex",
      fromAccountIndex,
      `${old.fromAccountIndex}, the sender of the replaced transaction`,
      "replacedSender"
    )
  }
  if (nonce !== old.nonce) {
    yield refuse("nonce", nonce, `${old.nonce}, the nonce of the replaced transaction`)
  }
}

/**
 * Returns the transaction of a sender with a nonce: a pending one if there is any, else an invalid
 * one, else any; the newest of them. Null if the pool has none that the owner of the account posted.
 */
const findByNonce = Effect.fnUntraced(function*(
  ports: PoolPorts,
  { fromAccountIndex, nonce }: Exclude<Replaced, string>,
  owner: AccountOwner | null
) {
  let other: Pooled | null = null
  for (const states of [["pend"], ["invl"], ["fing", "fged"]] as const) {
    const filters = { from: { accounts: [fromAccountIndex] }, states }
    const items = yield* listAll(ports, filters, "DESC")
    const found = items.map(({ pooled }) => pooled).filter(({ sender, transaction }) =>
      transaction.nonce === nonce && (owner === null || isSameOwner(sender, owner))
    )
    const replaceable = found.find(({ transaction }) => isReplaceable(transaction))
    if (replaceable !== undefined) return replaceable
    other ??= found[0] ?? null
  }
  return other
})
