import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { LedgerReader } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { chain, ledgerBefore } from "./_chain.ts"
import { genesis, memoryLedger } from "./_network.ts"

/** Returns every object and list in a tree. */
function nodesOf(tree: unknown, found = new Set<object>()): ReadonlySet<object> {
  if (typeof tree === "object" && tree !== null && !found.has(tree)) {
    found.add(tree)
    for (const inside of Object.values(tree)) nodesOf(inside, found)
  }
  return found
}

/** Overwrites every value that can be reached. */
function spoil(tree: unknown): void {
  for (const node of nodesOf(tree)) {
    for (const [key, value] of Object.entries(node)) {
      if (typeof value !== "object") {
        Reflect.set(
          node,
          key,
          typeof value === "bigint" ? 666n : typeof value === "number" ? 666 : "spoilt"
        )
      }
    }
    if (Array.isArray(node)) node.length = 0
  }
}

const everything = Effect.gen(function*() {
  const reader = yield* LedgerReader
  const lists = [
    "accounts",
    "batches",
    "bids",
    "coordinators",
    "exits",
    "slots",
    "tokens",
    "transactions"
  ] as const
  const pages = yield* Effect.forEach(
    lists,
    (name) => reader.list(name, { limit: 2049, filters: {} })
  )
  return structuredClone([yield* reader.state, pages])
})

const { auction, rollup, withdrawalDelayer } = genesis.variables
/** With every set of variables, whose lists are stored unchanged. */
const blocks = chain.map((block) =>
  block.number === 102n
    ? {
      ...block,
      auctionVariables: auction,
      rollupVariables: rollup,
      withdrawalDelayerVariables: withdrawalDelayer
    }
    : block
)

describe("a value that a host passes", () => {
  for (const block of blocks) {
    it(`the changes of block ${block.number} share nothing with it`, () => {
      const mine = structuredClone(block)
      const inputNodes = nodesOf(mine)
      for (const node of nodesOf(ledgerBefore(block.number).apply(mine))) {
        assert.isFalse(inputNodes.has(node), Object.keys(node).join())
      }
    })
  }

  it.effect("may be changed afterwards: genesis, blocks and prices", () => {
    const opened = structuredClone(genesis)
    return Effect.gen(function*() {
      const ledger = yield* Ledger
      for (const block of structuredClone(blocks)) {
        yield* ledger.applyBlock(block)
        const before = yield* everything
        spoil(block)
        assert.deepStrictEqual(yield* everything, before)
      }
      const prices = [{ tokenId: 1, priceUSD: 5, timeMs: 7 }]
      yield* ledger.setPrices(prices)
      const before = yield* everything
      spoil(prices)
      spoil(opened)
      assert.deepStrictEqual(yield* everything, before)
      yield* ledger.applyRecord({ kind: "genesis", genesis })
    }).pipe(Effect.provide(memoryLedger(opened)))
  })
})
