/*
 * All revisions return the same facts. To replay one network:
 *
 *     SEED=123 npm test -- test/properties/revisions.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import {
  earlier,
  later,
  limitDefault,
  operationIds,
  type Operation,
  operations,
  v1
} from "../../core/contract/mod.ts"
import { generators, inputGenerators, readSubject } from "../laws/mod.ts"
import { commonFacts, factsOfLater, factsOfV1 } from "./_common_facts.ts"
import { networkOf, optionsOf, runs, seeds, subjectOf, titled } from "./_networks.ts"
import { ask, parseExact, reading } from "./_reading.ts"

/** Returns whether revision later refused the symbol in an account index. */
const hasOtherSymbol = (answer: object): boolean =>
  "message" in answer && /the account with this number is/u.test(String(answer.message))

interface LaterPage {
  readonly pendingItems: number
  readonly [list: string]: unknown
}
interface EarlierPage {
  readonly pagination: {
    readonly totalItems: number
    readonly firstItem: number | null
    readonly lastItem: number | null
  }
}
interface LaterSlot {
  readonly slotNum: number
  readonly openAuction: boolean
  readonly bestBid: { readonly bidderAddr: string } | null
}
interface EarlierSlot {
  readonly closedAuction: boolean
  readonly winner: { readonly bidderAddr: string } | null
}

const { listQuery } = generators
const { pathTexts, queryText } = inputGenerators

for (const seed of seeds.slice(0, 2)) {
  describe(titled(seed, "test/properties/revisions.test.ts"), () => {
    const { genesis, records } = networkOf(optionsOf(seed), 300)
    const { network } = genesis
    const setUp = Effect.runSync(Effect.cached(Effect.scoped(Effect.gen(function*() {
      const { facts, reader } = yield* readSubject(subjectOf({ genesis, records }, seed))
      return { facts, faces: yield* reading({ genesis, reader }) }
    }))))

    for (const id of operationIds) {
      it.effect(`${id} returns the same facts in both revisions`, () =>
        Effect.gen(function*() {
          const { faces, facts } = yield* setUp
          const operation: Operation = operations[id]
          const inputs = Arbitrary.all({
            path: pathTexts(facts, operation, network),
            query: operation.kind === "list"
              ? Arbitrary.map(
                listQuery(facts, operation.list),
                (query) => ({
                  query,
                  laterText: queryText(operation.list, later, network, query),
                  earlierText: queryText(operation.list, earlier, network, query)
                })
              )
              : Arbitrary.Constant({ query: undefined, laterText: "", earlierText: "" })
          })
          const result = yield* Arbitrary.checkEffect(
            inputs,
            ({ path, query: { earlierText, laterText, query } }) =>
              Effect.gen(function*() {
                if (laterText === undefined || earlierText === undefined) return true
                const [first, second] = [
                  yield* ask(faces.later, id, path, laterText),
                  yield* ask(faces.earlier, id, path, earlierText)
                ]
                const description = `${id} ${path.join(" ")} ?${laterText}`
                assert(!("broken" in first) && !("broken" in second), description)
                if (
                  id === "getBids" && "refused" in first && first.refused === "BadInput"
                ) return true
                if ("refused" in first || "refused" in second) {
                  assert.deepStrictEqual(
                    "refused" in second ? second.refused : second,
                    "refused" in first ? first.refused : first,
                    description
                  )
                  return true
                }
                const [one, other] = [parseExact(first.json), parseExact(second.json)]
                const root = operation.kind === "state" || operation.kind === "config"
                  ? operation.kind
                  : "answer"
                const [otherFacts, oneFacts] = [commonFacts(other, root), commonFacts(one, root)]
                // names the difference, which takes ten times as long as the comparison
                if (!isDeepStrictEqual(otherFacts, oneFacts)) {
                  assert.deepStrictEqual(otherFacts, oneFacts, description)
                }
                if (operation.kind === "list") {
                  const [page, wrapper] = [one as LaterPage, Object.keys(one as object)[0]!]
                  const items = page[wrapper] as ReadonlyArray<unknown>
                  const { pagination } = other as EarlierPage
                  assert.isAtMost(items.length, query?.limit ?? limitDefault)
                  if (query?.fromItem === undefined) {
                    assert.strictEqual(
                      pagination.totalItems,
                      items.length + page.pendingItems,
                      description
                    )
                  } else {assert.isAtMost(
                      items.length + page.pendingItems,
                      pagination.totalItems,
                      description
                    )}
                  assert.strictEqual(
                    pagination.firstItem === null,
                    pagination.totalItems === 0,
                    description
                  )
                  assert.strictEqual(
                    pagination.lastItem === null,
                    pagination.totalItems === 0,
                    description
                  )
                  if (operation.list === "slots") {
                    const slots = items as ReadonlyArray<LaterSlot>
                    for (
                      const [i, slot] of (other as { readonly slots: ReadonlyArray<EarlierSlot> })
                        .slots.entries()
                    ) {
                      slotsAgree(slots[i]!, slot)
                    }
                  }
                }
                if (id === "getSlot") slotsAgree(one as LaterSlot, other as EarlierSlot)
                return true
              }),
            { seed, runs: runs * 2 }
          )
          assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
        }))
    }

    // v1 lists only the latest registration of each bidder
    for (const id of operationIds.filter((id) => id !== "getCoordinators")) {
      it.effect(`${id} returns the same facts in revisions later and v1`, () =>
        Effect.gen(function*() {
          const { faces, facts } = yield* setUp
          const operation: Operation = operations[id]
          const inputs = Arbitrary.all({
            path: pathTexts(facts, operation, network),
            text: operation.kind === "list"
              ? Arbitrary.map(
                listQuery(facts, operation.list),
                (query) =>
                  // slots of a bidder: won in later, with its best bid in v1
                  queryText(operation.list, v1, network, query) === undefined
                    ? undefined
                    : queryText(operation.list, later, network, query)
              )
              : Arbitrary.Constant("")
          })
          const result = yield* Arbitrary.checkEffect(
            inputs,
            ({ path, text }) =>
              Effect.gen(function*() {
                if (text === undefined) return true
                const description = `${id} ${path.join(" ")} ?${text}`
                const [first, second] = [
                  yield* ask(faces.later, id, path, text),
                  yield* ask(faces.v1, id, path, text)
                ]
                assert(!("broken" in first) && !("broken" in second), description)
                if ("refused" in second) {
                  // v1 refuses another symbol in the path of an account, later does not find it
                  const isSymbol = id === "getAccount" &&
                    /expected the symbol/u.test(second.message)
                  if (isSymbol) assert.isTrue(hasOtherSymbol(first), description)
                  else assert.deepStrictEqual(first, second, description)
                } else if (hasOtherSymbol(first)) {
                  // v1 ignores the symbol
                } else if ("refused" in first) {
                  assert.strictEqual(first.refused, "NotRegistered", description)
                  assert.match(second.json, /^\{"\w+":\[\],"pendingItems":0\}$/u, description)
                } else {
                  assert.deepStrictEqual(
                    factsOfV1(parseExact(second.json)),
                    factsOfLater(parseExact(first.json)),
                    description
                  )
                }
                return true
              }),
            { seed, runs: runs * 2 }
          )
          assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
        }))
    }
  })
}

/** One revision shows open slots and the other closed ones; the winner is the highest bidder. */
function slotsAgree(one: LaterSlot, other: EarlierSlot) {
  assert(!(one.openAuction && other.closedAuction), `Slot ${one.slotNum} is open and closed`)
  if (other.winner !== null) {
    assert.isTrue(other.closedAuction, `Slot ${one.slotNum} is won and not closed`)
    assert.strictEqual(
      other.winner.bidderAddr,
      one.bestBid?.bidderAddr,
      `The winner of slot ${one.slotNum}`
    )
  }
}
