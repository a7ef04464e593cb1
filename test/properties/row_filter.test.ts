/*
 * The declared filters select the rows that the naive model selects. To replay one network:
 *
 *     SEED=123 npm test -- test/properties/row_filter.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  declaration,
  type ListDeclaration,
  type ListItems,
  type ListName,
  listNames,
  lists,
  type ListRows,
  poolList,
  rowFilter
} from "../../core/contract/mod.ts"
import type { Account } from "../../core/domain/mod.ts"
import { type Facts, generators, replay } from "../laws/mod.ts"
import { everyItem, matchesFilters, unknownReferences, valuesOf } from "../laws/naive/mod.ts"
import { sample } from "../laws/_check.ts"
import { networkOf, optionsOf, runs, seeds, titled } from "./_networks.ts"

const rowOf: {
  readonly [N in ListName]: (item: ListItems[N], facts: Facts) => ListRows[N]
} = {
  accounts: ({ account }) => account,
  exits: ({ exit }) => exit,
  transactions: ({ transaction }) => transaction,
  batches: (batch) => batch,
  slots: (slot) => slot,
  bids: (bid) => bid,
  tokens: (token) => token,
  coordinators: (coordinator, facts) => ({
    coordinator,
    isLatest: valuesOf(facts, "coordinators", "onlyLatest", coordinator)[0] === true
  })
}

for (const seed of seeds) {
  describe(titled(seed, "test/properties/row_filter.test.ts"), () => {
    const { genesis, records } = networkOf(optionsOf(seed), 300)
    const facts = replay(genesis, records, keccak256)
    const selects = <N extends ListName>(list: N) =>
      Effect.gen(function*() {
        const items = everyItem(facts, list).map(({ item }) => item)
        assert.isNotEmpty(items)
        const queries = yield* sample(
          Arbitrary.map(generators.listQuery(facts, list), ({ filters }) => filters),
          5 * runs,
          seed
        )
        let selected = 0
        for (const filters of queries) {
          // a reader does not answer it
          if (unknownReferences(facts, list, filters).length > 0) continue
          const matches = rowFilter<ListDeclaration>(declaration(list), filters)
          const wanted = list === "transactions" ? { includePending: false, ...filters } : filters
          for (const item of items) {
            const expected = matchesFilters(facts, list, wanted, item)
            if (expected) selected++
            assert.strictEqual(
              matches(rowOf[list](item, facts) as never),
              expected,
              `${list} by ${JSON.stringify(filters)}`
            )
          }
        }
        assert.isAbove(selected, 0)
      })
    for (const list of listNames) {
      it.effect(`the filters of ${list} select the rows that the naive model selects`, () =>
        selects(list))
    }
  })
}

describe("the declared filters", () => {
  it("compare values of the type that their scalar has, and rows of their list", () => {
    const declared = { scalar: "tokenId", match: "equal", parameter: "tokenId", doc: "" } as const
    const filters: ListDeclaration<Account>["filters"] = {
      tokenId: { ...declared, compared: [({ tokenId }) => tokenId] },
      // @ts-expect-error a nonce is a bigint, and the value of the filter is a number
      nonce: { ...declared, compared: [({ nonce }) => nonce] },
      // @ts-expect-error an account has no such property
      slotNum: { ...declared, compared: [({ slotNum }) => slotNum] },
      // @ts-expect-error a filter says what it compares
      nothing: declared
    }
    assert.containsAllKeys(filters, ["tokenId"])
  })

  it("imply flags of their list", () => {
    for (const { filters } of [...listNames.map(declaration), poolList as ListDeclaration]) {
      for (const { implies } of Object.values(filters)) {
        if (implies !== undefined) assert.strictEqual(filters[implies]?.match, "flag")
      }
    }
  })

  it("of two values share each of them with the filter of one side", () => {
    for (const { filters } of [lists.transactions, poolList]) {
      assert.strictEqual(filters.accountIndex.compared[0], filters.fromAccountIndex.compared[0])
      assert.strictEqual(filters.accountIndex.compared[1], filters.toAccountIndex.compared[0])
      assert.strictEqual(filters.address.compared[0], filters.fromAddress.compared[0])
      assert.strictEqual(filters.address.compared[1], filters.toAddress.compared[0])
      assert.strictEqual(filters.publicKey.compared[0], filters.fromPublicKey.compared[0])
      assert.strictEqual(filters.publicKey.compared[1], filters.toPublicKey.compared[0])
    }
  })
})
