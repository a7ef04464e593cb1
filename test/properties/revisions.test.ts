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
  type Operation,
  type OperationId,
  operationIds,
  operations,
  type Revision,
  v1
} from "../../core/contract/mod.ts"
import { generators, inputGenerators, readSubject } from "../laws/mod.ts"
import { commonFacts, factsOfLater, factsOfV1 } from "./_common_facts.ts"
import { networkOf, optionsOf, runs, seeds, subjectOf, titled } from "./_networks.ts"
import { ask, type Outcome, parseExact, reading } from "./_reading.ts"

/** Returns whether revision later refused the symbol in an account index. */
const hasOtherSymbol = (outcome: Outcome): boolean =>
  "message" in outcome && /the account with this number is/u.test(outcome.message)

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

/** Compares the outcome of a request in revision later with that in another one. */
type Compare = (
  id: OperationId,
  outcomes: readonly [later: Outcome, other: Outcome],
  description: string,
  query: { readonly limit?: number; readonly fromItem?: number } | undefined
) => void

/** Names a difference, which takes ten times as long as the comparison. */
const sameFacts = (found: unknown, expected: unknown, description: string) => {
  if (!isDeepStrictEqual(found, expected)) assert.deepStrictEqual(found, expected, description)
}

const agreesWithEarlier: Compare = (id, [first, second], description, query) => {
  if (id === "getBids" && "refused" in first && first.refused === "BadInput") return
  if (!("json" in first && "json" in second)) {
    assert.deepStrictEqual(
      "refused" in second ? second.refused : second,
      "refused" in first ? first.refused : first,
      description
    )
    return
  }
  const operation: Operation = operations[id]
  const [one, other] = [parseExact(first.json), parseExact(second.json)]
  const root = operation.kind === "state" || operation.kind === "config" ? operation.kind : "answer"
  sameFacts(commonFacts(other, root), commonFacts(one, root), description)
  if (id === "getSlot") slotsAgree(one as LaterSlot, other as EarlierSlot)
  if (operation.kind !== "list") return
  const page = one as LaterPage
  const items = Object.values(page)[0] as ReadonlyArray<unknown>
  const { firstItem, lastItem, totalItems } = (other as EarlierPage).pagination
  const following = items.length + page.pendingItems
  assert.isAtMost(items.length, query?.limit ?? limitDefault)
  if (query?.fromItem === undefined) assert.strictEqual(totalItems, following, description)
  else assert.isAtMost(following, totalItems, description)
  assert.deepStrictEqual(
    [firstItem === null, lastItem === null],
    [totalItems === 0, totalItems === 0],
    description
  )
  if (operation.list === "slots") {
    const { slots } = other as { readonly slots: ReadonlyArray<EarlierSlot> }
    for (const [i, slot] of slots.entries()) slotsAgree(items[i] as LaterSlot, slot)
  }
}

const agreesWithV1: Compare = (id, [first, second], description) => {
  if ("refused" in second) {
    // v1 refuses another symbol in the path of an account, later does not find it
    const isSymbol = id === "getAccount" && /expected the symbol/u.test(second.message)
    if (isSymbol) assert.isTrue(hasOtherSymbol(first), description)
    else assert.deepStrictEqual(first, second, description)
  } else if (hasOtherSymbol(first) || !("json" in second)) {
    // v1 ignores the symbol
  } else if ("refused" in first) {
    assert.strictEqual(first.refused, "NotRegistered", description)
    assert.match(second.json, /^\{"\w+":\[\],"pendingItems":0\}$/u, description)
  } else if ("json" in first) {
    sameFacts(
      factsOfV1(parseExact(second.json)),
      factsOfLater(parseExact(first.json)),
      description
    )
  }
}

/** One revision shows open slots and the other closed ones; the winner is the highest bidder. */
function slotsAgree(one: LaterSlot, { closedAuction, winner }: EarlierSlot) {
  assert(!(one.openAuction && closedAuction), `Slot ${one.slotNum} is open and closed`)
  if (winner === null) return
  assert.isTrue(closedAuction, `Slot ${one.slotNum} is won and not closed`)
  assert.strictEqual(winner.bidderAddr, one.bestBid?.bidderAddr, `Winner of slot ${one.slotNum}`)
}

const pairs: ReadonlyArray<readonly [Revision, Compare, ids: ReadonlyArray<OperationId>]> = [
  [earlier, agreesWithEarlier, operationIds],
  // v1 lists only the latest registration of each bidder
  [v1, agreesWithV1, operationIds.filter((id) => id !== "getCoordinators")]
]

for (const seed of seeds.slice(0, 2)) {
  describe(titled(seed, "test/properties/revisions.test.ts"), () => {
    const { genesis, records } = networkOf(optionsOf(seed), 300)
    const { network } = genesis
    const setUp = Effect.runSync(Effect.cached(Effect.scoped(Effect.gen(function*() {
      const { facts, reader } = yield* readSubject(subjectOf({ genesis, records }, seed))
      return { facts, faces: yield* reading({ genesis, reader }) }
    }))))

    for (const [revision, compare, ids] of pairs) {
      for (const id of ids) {
        it.effect(`${id} returns the same facts in revisions later and ${revision.name}`, () =>
          Effect.gen(function*() {
            const { faces, facts } = yield* setUp
            const operation: Operation = operations[id]
            const inputs = Arbitrary.all({
              path: pathTexts(facts, operation, network),
              query: operation.kind === "list"
                ? listQuery(facts, operation.list)
                : Arbitrary.Constant(undefined)
            })
            const result = yield* Arbitrary.checkEffect(
              inputs,
              ({ path, query }) =>
                Effect.gen(function*() {
                  const textIn = (of: Revision) =>
                    operation.kind === "list"
                      ? queryText(operation.list, of, network, query!)
                      : ""
                  const [text, other] = [textIn(later), textIn(revision)]
                  if (text === undefined || other === undefined) return true
                  const description = `${id} ${path.join(" ")} ?${text}`
                  const outcomes = [
                    yield* ask(faces.later, id, path, text),
                    // slots of a bidder: won in later, with its best bid in v1
                    yield* ask(
                      faces[revision.name as "v1"],
                      id,
                      path,
                      revision === v1 ? text : other
                    )
                  ] as const
                  assert(outcomes.every((each) => !("broken" in each)), description)
                  compare(id, outcomes, description, query)
                  return true
                }),
              { seed, runs: runs * 2 }
            )
            assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
          }))
      }
    }
  })
}
