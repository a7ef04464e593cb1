import { Effect } from "effect"
import type { LedgerReader } from "../../../core/ports/mod.ts"
import { findItem, page, storedLists, readAll } from "../_reading.ts"
import { lastOpenSlot } from "../naive/mod.ts"
import type { Facts } from "../facts.ts"
import { type LawViolation, violated } from "../law.ts"

type Reader = LedgerReader["Service"]

/**
 * Reads everything that the facts mention: whole lists, single items, slots and the network state.
 */
export const readEverything = Effect.fnUntraced(
  function*(
    reader: Reader,
    facts: Facts
  ): Effect.fn.Return<{ readonly [question: string]: unknown }, LawViolation> {
    const answers: { [question: string]: unknown } = {}
    for (const list of storedLists) answers[list] = yield* readAll(reader, list)
    answers.slots = (yield* page(reader, "slots", { filters: {}, limit: 2049 })).items
    const counts: Array<unknown> = []
    for (const list of storedLists) {
      counts.push((yield* page(reader, list, { filters: {}, limit: 1 })).counts)
    }
    answers.counts = counts
    const ask = <N extends Parameters<Reader["find"]>[0]>(
      name: N,
      keys: ReadonlyArray<Parameters<Reader["find"]>[1]>
    ) => Effect.forEach(keys, (key) => findItem(reader, name, key))
    answers.queued = yield* ask("transaction", facts.queued.map(({ id }) => id))
    answers.forged = yield* ask("transaction", facts.transactions.slice(-50).map(({ id }) => id))
    answers.fullBatches = yield* ask(
      "fullBatch",
      facts.batches.slice(-5).map(({ batchNum }) => batchNum)
    )
    answers.exit = yield* ask(
      "exit",
      facts.exits.map(({ accountIndex, batchNum }) => ({ accountIndex, batchNum }))
    )
    answers.account = yield* ask("account", facts.accounts.map(({ index }) => index))
    answers.token = yield* ask("token", facts.tokens.map(({ id }) => id))
    const known = {
      accounts: facts.accounts.map(({ index }) => index),
      tokens: facts.tokens.map(({ id }) => id)
    }
    answers.accountsAndTokens = yield* Effect.catch(
      Effect.map(
        reader.accountsAndTokens({
          accounts: [...known.accounts, 0, known.accounts.length + 256],
          tokens: [...known.tokens, known.tokens.length]
        }),
        ({ accounts, tokens }) => [accounts, tokens]
      ),
      (failure) => violated(`The accounts and tokens failed: ${failure.message}`)
    )
    answers.coordinator = yield* ask(
      "coordinator",
      facts.coordinators.map(({ bidderAddr }) => bidderAddr)
    )
    answers.slot = yield* ask("slot", [
      ...facts.bids.map(({ slotNum }) => slotNum),
      lastOpenSlot(facts) + 1
    ])
    answers.state = yield* Effect.catch(
      Effect.map(reader.state, ({ state }) => state),
      (failure) => violated(`The state failed: ${failure.message}`)
    )
    return answers
  }
)

/** Returns the same answers without the itemIds. */
export function withoutItemIds<A>(value: A): A
export function withoutItemIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutItemIds)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inside]) =>
      key === "itemId" || key === "firstItem" || key === "lastItem"
        ? []
        : [[key, withoutItemIds(inside)]]
    )
  )
}

/**
 * Removes the itemIds of queued transactions: a rollback can reopen a forged one, which then gets a
 * new itemId.
 */
export const withoutQueuedItemIds = (
  { queued, ...others }: { readonly [question: string]: unknown }
) => ({ ...others, queued: withoutItemIds(queued) })
