/* Rules of the contract that hold in every revision, read from its declarations. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  type AnyListName,
  checkListQuery,
  declaration,
  jsonSchemaOf,
  type ListName,
  listNames,
  offeredFilters,
  queryReader,
  readOperationsOf,
  type Revision,
  revisionList,
  scalars,
  wireContext
} from "../../core/contract/mod.ts"
import type { JsonSchema } from "../fuzz/_document.ts"

const network = { prefix: "zk", name: "", chainId: 1, rollupAddress: `0x${"9".repeat(40)}` }
const context = wireContext(network, keccak256)

/** Returns the lists that a revision has. */
const listsOf = (revision: Revision): ReadonlyArray<AnyListName> => [
  ...listNames,
  ...readOperationsOf(revision).some(([id]) => id === "getPoolTxs") ? ["pool" as const] : []
]

/** Returns a valid pair of a query for each filter of a list in a revision. */
const pairsOf = (revision: Revision, list: AnyListName): ReadonlyMap<string, string> =>
  new Map(
    offeredFilters(revision, list).map(({ filter, parameter, scalar }) => {
      const { enum: values, examples = [] } = jsonSchemaOf(scalars[scalar], context) as JsonSchema
      const value = String(examples[0] ?? values?.[0] ?? (scalar === "boolean" ? "true" : "a"))
      return [filter, `${context.name(parameter)}=${encodeURIComponent(value)}`]
    })
  )

const nameIn = (pair: string): string => pair.split("=")[0]!

for (const revision of revisionList) {
  describe(`revision ${revision.name}`, () => {
    for (const list of listsOf(revision)) {
      const { atLeastOne = [], exclusions, ordered = [] } = declaration(list)
      const pairs = pairsOf(revision, list)
      const read = queryReader(list, revision, context, revisionList)
      /** Returns the rules that a query breaks. */
      const broken = (...parts: ReadonlyArray<string>) => {
        const result = read(parts.join("&"))
        return Result.isFailure(result) ? result.failure.map(({ rule }) => rule) : []
      }
      const required = revision.unrestricted.includes(list)
        ? []
        : atLeastOne.map((names) => names.filter((name) => pairs.has(name)))
      /** A pair for each at-least-one rule that these filters do not satisfy. */
      const others = (...filters: ReadonlyArray<string>) =>
        required.filter((names) => !names.some((name) => filters.includes(name))).flatMap((
          [name]
        ) => name === undefined ? [] : [pairs.get(name)!])

      /** Returns the value in memory of a filter. */
      const valueOf = (filter: string, pair: string) => {
        const { filters } = Result.getOrThrow(read([pair, ...others(filter)].join("&")))
        return { [filter]: (filters as { readonly [name: string]: unknown })[filter] }
      }

      it(`${list} refuses exactly the pairs of filters that exclude each other`, () => {
        for (const [one, onePair] of pairs) {
          assert.deepStrictEqual(broken(onePair, ...others(one)), [], onePair)
          for (const [other, otherPair] of pairs) {
            if (one === other) continue
            const isExcluded = exclusions.some((names) =>
              names.includes(one) && names.includes(other)
            )
            const names = [nameIn(onePair), nameIn(otherPair)]
            // a value that cannot be decoded counts too
            for (const second of [otherPair, `${names[1]}=%ff`]) {
              const found = broken(onePair, second, ...others(one, other)).filter((rule) =>
                rule.startsWith("not together with ")
              )
              assert.strictEqual(found.length, isExcluded ? 1 : 0, names.join(" and "))
              assert.isTrue(
                found.every((rule) => names.includes(rule.slice("not together with ".length))),
                found.join()
              )
            }
            if (list === "pool" || list === "currencies") continue
            const filters = { ...valueOf(one, onePair), ...valueOf(other, otherPair) }
            const typed = checkListQuery(list, { filters })
            assert.strictEqual(Result.isFailure(typed), isExcluded, Object.keys(filters).join())
          }
        }
      })

      it(`${list} refuses a first bound above the second, and needs its required filters`, () => {
        for (const names of ordered) {
          const [least, greatest] = names.map((name) => pairs.get(name))
          if (least === undefined || greatest === undefined) continue
          const bounds = (a: number, b: number) =>
            broken(`${nameIn(least)}=${a}`, `${nameIn(greatest)}=${b}`, ...others(...names))
          assert.deepStrictEqual(bounds(8, 7), [`at most ${nameIn(greatest)}`])
          assert.deepStrictEqual([bounds(7, 7), bounds(0, 7)], [[], []])
          for (const [low, high, isRefused] of [[8, 7, true], [7, 7, false]] as const) {
            const filters = { [names[0]]: low, [names[1]]: high }
            const typed = checkListQuery(list as ListName, { filters })
            assert.strictEqual(Result.isFailure(typed), isRefused)
          }
        }
        for (const names of required) {
          const parameters = names.map((name) => nameIn(pairs.get(name)!))
          assert.deepStrictEqual(broken("limit=1"), [`at least one of ${parameters.join(", ")}`])
          for (const name of names) assert.deepStrictEqual(broken(pairs.get(name)!), [], name)
        }
        if (required.length === 0) assert.deepStrictEqual(broken(), [])
      })
    }
  })
}
