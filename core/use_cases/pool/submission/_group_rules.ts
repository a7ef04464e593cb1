import { Struct } from "effect"
import { faultOfItem, type InputFault } from "../../../contract/mod.ts"
import {
  type GroupedTransaction,
  groupTransactionsMax,
  type PostedGroup,
  requestOf
} from "../../../domain/mod.ts"
import { groupId, type Keccak256 } from "../../../encoding/mod.ts"
import {
  postedFaults,
  type PostRules,
  type Refuse,
  requestProperties,
  withoutEmptyDestination,
  withoutEmptyParts
} from "./_posted_rules.ts"

/** Returns the position of the required transaction relative to the one with this offset. */
const stepOf = (requestOffset: number): number =>
  requestOffset <= 3 ? requestOffset : requestOffset - 8

/**
 * Replaces values that mean "none" by null. If no transaction has a request, each gets that of the
 * transaction that its offset names, which its signature covers.
 */
export const completeGroup = ({ id, transactions }: PostedGroup): PostedGroup => {
  const hasRequests = transactions.some(({ request }) => request !== null)
  return {
    id,
    transactions: transactions.map((transaction, position) => {
      const { requestOffset } = transaction
      const required = transactions[position + stepOf(requestOffset)]
      const request = hasRequests || required === undefined
        ? transaction.request
        : requestOf(required)
      return {
        ...withoutEmptyParts(transaction),
        request: request && withoutEmptyDestination(request),
        requestOffset
      }
    })
  }
}

/** Returns every fault of a group without the ledger (PROTOCOL.md "Atomic groups"). */
export function groupFaults(
  group: PostedGroup,
  refuse: Refuse,
  keccak256: Keccak256,
  rules?: PostRules
): ReadonlyArray<InputFault> {
  const { id, transactions } = group
  const faults: Array<InputFault> = [...structureFaults(group, refuse)]
  for (const [position, transaction] of transactions.entries()) {
    faults.push(
      ...[
        ...postedFaults(transaction, refuse, keccak256, rules),
        ...orderFaults(transactions, position, refuse),
        ...requestFaults(transactions, position, refuse)
      ].map(faultAt(position))
    )
  }
  const expected = groupId(transactions.map((each) => each.id), keccak256)
  if (id !== expected) {
    faults.push(
      refuse(
        "atomicGroupId",
        id,
        `${expected}, recomputed from the ids of the transactions`,
        "groupId"
      )
    )
  }
  return faults
}

/** Returns a function that names the transaction at a position of a group in its fault. */
export const faultAt = (position: number) => (fault: InputFault): InputFault =>
  faultOfItem("transactions", position, fault)

/** Returns the faults of the number of transactions and of how they require each other. */
function* structureFaults({ transactions }: PostedGroup, refuse: Refuse) {
  const { length } = transactions
  if (length < 2) {
    yield refuse("transactions", length, "two or more transactions", "singleTransaction")
  }
  if (length > groupTransactionsMax) {
    yield refuse("transactions", length, `at most ${groupTransactionsMax} transactions`)
  }
  // each requires exactly one: all are connected if and only if they form one cycle
  const visited = new Set<number>()
  let position = 0
  while (!visited.has(position)) {
    visited.add(position)
    const offset = transactions[position]?.requestOffset
    // another fault names it
    if (offset === undefined || !isOffset(offset)) return
    position += stepOf(offset)
    if (position < 0 || position >= length) return
  }
  if (position !== 0 || visited.size !== length) {
    yield refuse(
      "transactions",
      length,
      "transactions that require each other, directly or through others",
      "notAtomic"
    )
  }
}

const isOffset = (offset: number): boolean => Number.isInteger(offset) && offset >= 1 && offset <= 7

/** Returns the faults of a transaction that repeats an earlier one, or has a wrong nonce after it. */
function* orderFaults(
  transactions: ReadonlyArray<GroupedTransaction>,
  position: number,
  refuse: Refuse
) {
  const { fromAccountIndex, id, nonce } = transactions[position]!
  const before = transactions.slice(0, position)
  if (before.some((each) => each.id === id)) {
    yield refuse("id", id, "an id that no earlier transaction of the group has")
    return
  }
  const last = before.findLast((each) => each.fromAccountIndex === fromAccountIndex)
  if (last !== undefined && nonce !== last.nonce + 1n) {
    yield refuse(
      "nonce",
      nonce,
      `${last.nonce + 1n}, the nonce after that of the sender's previous transaction of the group`
    )
  }
}

/** Returns the faults of the offset, and of the request fields that differ from their transaction. */
function* requestFaults(
  transactions: ReadonlyArray<GroupedTransaction>,
  position: number,
  refuse: Refuse
) {
  const { request, requestOffset } = transactions[position]!
  if (!isOffset(requestOffset)) {
    yield refuse(
      "requestOffset",
      requestOffset,
      "1 to 3 for a transaction as many positions later, or 4 to 7 for 4 to 1 positions earlier",
      "requestOffset"
    )
    return
  }
  const at = position + stepOf(requestOffset)
  const required = transactions[at]
  if (required === undefined) {
    yield refuse(
      "requestOffset",
      requestOffset,
      `the offset of a transaction of the group: there is none at position ${at}`,
      "requestOutsideGroup"
    )
    return
  }
  for (const name of Struct.keys(requestProperties)) {
    const found = request?.[name] ?? null
    const expected = required[name]
    if (found === expected) continue
    const rule = `${expected}, as in transaction ${at}, which it requires`
    yield refuse(requestProperties[name], found, rule)
  }
}
