import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { BlockFeed } from "../../core/domain/mod.ts"
import { readBlock } from "../../core/use_cases/block/check_block.ts"
import { chain } from "./_chain.ts"
import { genesis } from "./_network.ts"

/** Returns JSON pointers to every object in a tree. */
function objectPlaces(tree: unknown, pointer = ""): ReadonlyArray<string> {
  if (typeof tree !== "object" || tree === null) return []
  const inside = Object.entries(tree).flatMap(([key, value]) =>
    objectPlaces(value, `${pointer}/${key}`)
  )
  return Array.isArray(tree) ? inside : [pointer, ...inside]
}

/** Returns a copy with one more member in the object at a path. */
const withMember = (tree: unknown, [key, ...path]: ReadonlyArray<string>): unknown => {
  if (key === undefined) return { ...tree as object, amountt: 7 }
  if (Array.isArray(tree)) {
    return tree.map((inside, at) => String(at) === key ? withMember(inside, path) : inside)
  }
  return {
    ...tree as object,
    [key]: withMember((tree as { readonly [name: string]: unknown })[key], path)
  }
}

const { auction, rollup, withdrawalDelayer } = genesis.variables
const blocks: ReadonlyArray<BlockFeed> = chain.map((block) => ({
  ...block,
  auctionVariables: auction,
  rollupVariables: rollup,
  withdrawalDelayerVariables: withdrawalDelayer
}))

describe("a block that a host passes", () => {
  it("may have no member that the feed does not define, at any depth", () => {
    const places = new Set<string>()
    for (const block of blocks) {
      assert.deepStrictEqual(readBlock(block), Result.succeed(block))
      for (const pointer of objectPlaces(block)) {
        places.add(pointer.replaceAll(/\d+/gu, "n"))
        const read = readBlock(withMember(block, pointer.split("/").slice(1)) as BlockFeed)
        assert(Result.isFailure(read), `"${pointer}/amountt" was read`)
        assert.deepInclude({ ...read.failure }, {
          invariant: "shape",
          pointer: `${pointer}/amountt`
        })
        assert.include(read.failure.message, "no member of this name")
      }
    }
    assert.isAbove(places.size, 10)
  })

  it("may have no member with a symbol as its name, at any depth", () => {
    const named = { [Symbol("amount")]: 7 }
    const [block] = chain
    for (
      const candidate of [{ ...block!, ...named }, {
        ...block!,
        bids: [{ ...block!.bids![0]!, ...named }]
      }, { ...block!, tokens: [{ ...block!.tokens![0]!, ...named }] }]
    ) {
      const read = readBlock(candidate)
      assert.strictEqual(
        Result.isFailure(read) && read.failure.pointer.endsWith("/Symbol(amount)"),
        true
      )
    }
  })
})
