import { Arbitrary, Effect } from "effect"
import {
  type ItemKeys,
  type ItemName,
  type ListName,
  listNames,
  type ListQuery
} from "../../../core/contract/mod.ts"
import type { LedgerReader } from "../../../core/ports/mod.ts"
import { forAll } from "../_check.ts"
import { findItem, page } from "../_reading.ts"
import { averagesTolerance } from "./agreement.ts"
import type { Facts } from "../facts.ts"
import { listQuery, scalarValues } from "../generators.ts"
import { difference, holds, type Law, type LawViolation, same, show, violated } from "../law.ts"
import { unknownReferences, naiveItem, naiveNetworkState, naivePage } from "../naive/mod.ts"

/** A ledger that is only read, and its expected content. */
export interface ReadSubject {
  readonly reader: LedgerReader["Service"]
  readonly facts: Facts
  readonly seed: string | number
  readonly runs: number
}

/** Compares the answer to one query with the answer of the naive model. */
const agreesOn = <N extends ListName>(
  { facts, reader }: Pick<ReadSubject, "facts" | "reader">,
  list: N,
  query: ListQuery<N>
) =>
  Effect.gen(function*(): Effect.fn.Return<void, LawViolation> {
    const description = () => `${list} with ${show(query)}`
    const missing = unknownReferences(facts, list, query.filters)
    if (missing.length === 0) {
      const { counts, items } = yield* page(reader, list, query)
      return yield* same({ counts, items }, naivePage(facts, list, query), description)
    }
    const failure = yield* Effect.catch(
      Effect.flip(reader.list(list, query)),
      () => violated(`${description()} is answered, expected "not registered" for ${show(missing)}`)
    )
    yield* holds(
      failure._tag === "NotRegistered" &&
        missing.some(([filter, value]) =>
          failure.things[0].filter === filter && failure.things[0].value === value
        ),
      () =>
        `${description()} fails with ${failure.message}, expected "not registered" for ${
          show(missing)
        }`
    )
  })

const listLaw = <N extends ListName>(list: N): Law<ReadSubject> => ({
  name:
    `a page of ${list} and its counts equal those of the naive model, which filters and sorts the whole list`,
  run: (subject) =>
    forAll(listQuery(subject.facts, list), subject, (query) => agreesOn(subject, list, query))
})

const key = (facts: Facts): { readonly [N in ItemName]: Arbitrary.Arbitrary<ItemKeys[N]> } => {
  const { accountIndex, batchNum, ethereumAddress, slotNum, tokenId, transactionId } = scalarValues(
    facts
  )
  return {
    account: accountIndex,
    exit: Arbitrary.all({ batchNum, accountIndex }),
    transaction: transactionId,
    batch: batchNum,
    fullBatch: batchNum,
    slot: slotNum,
    token: tokenId,
    coordinator: ethereumAddress
  }
}

/** Returns the keys of all items. */
const keys = (facts: Facts): { readonly [N in ItemName]: ReadonlyArray<ItemKeys[N]> } => {
  const batchNums = facts.batches.map(({ batchNum }) => batchNum)
  return {
    account: facts.accounts.map(({ index }) => index),
    exit: facts.exits.map(({ accountIndex, batchNum }) => ({ accountIndex, batchNum })),
    transaction: [...facts.transactions, ...facts.queued].map(({ id }) => id),
    batch: batchNums,
    fullBatch: batchNums,
    slot: [...new Set(facts.bids.map(({ slotNum }) => slotNum))],
    token: facts.tokens.map(({ id }) => id),
    coordinator: [...new Set(facts.coordinators.map(({ bidderAddr }) => bidderAddr))]
  }
}
const itemNames = [
  "account",
  "exit",
  "transaction",
  "batch",
  "fullBatch",
  "slot",
  "token",
  "coordinator"
] as const satisfies ReadonlyArray<ItemName>

const findOne = <N extends ItemName>(
  { facts, reader }: Pick<ReadSubject, "facts" | "reader">,
  name: N,
  key: ItemKeys[N]
) =>
  Effect.flatMap(
    findItem(reader, name, key),
    (item) => same(item, naiveItem(facts, name, key), () => `${name} ${show(key)}`)
  )

/** Finds every item by its key. */
const findsAll = (
  subject: Pick<ReadSubject, "facts" | "reader">
): Effect.Effect<void, LawViolation> =>
  Effect.forEach(
    itemNames,
    (name) =>
      Effect.forEach(keys(subject.facts)[name], (key) => findOne(subject, name, key), {
        discard: true
      }),
    { discard: true }
  )

/** Compares the network state; sums may have been added in another order. */
const stateAgrees = ({ facts, reader }: Pick<ReadSubject, "facts" | "reader">) =>
  Effect.gen(function*(): Effect.fn.Return<void, LawViolation> {
    const { state } = yield* Effect.catch(
      reader.state,
      (failure) => violated(`The state failed: ${failure.message}`)
    )
    const at = difference(state, naiveNetworkState(facts), { tolerance: averagesTolerance })
    yield* holds(at === undefined, () => `The state: ${at}`)
  })

const findLaw = (name: typeof itemNames[number]): Law<ReadSubject> => ({
  name: `${name} is found by its own key and by no other`,
  run: (subject) =>
    forAll(
      key(subject.facts)[name] as Arbitrary.Arbitrary<ItemKeys[ItemName]>,
      subject,
      (key) => findOne(subject, name, key)
    )
})

/**
 * The laws that a store answers every read as the naive model does. Run them on the result of
 * `readSubject`.
 *
 * @example
 * ```ts
 * import { answerLaws } from "rollup-node-api/testing"
 *
 * console.log(answerLaws.at(-1)?.name)
 * // => the network state is the one that the whole ledger implies
 * ```
 */
export const answerLaws: ReadonlyArray<Law<ReadSubject>> = [
  ...listNames.map(listLaw),
  ...itemNames.map(findLaw),
  { name: "every item is found by its key", run: findsAll },
  { name: "the network state is the one that the whole ledger implies", run: stateAgrees }
]
