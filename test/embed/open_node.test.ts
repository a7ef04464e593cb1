import { assert, describe, it } from "@effect/vitest"
import { openNode, type RollupNode } from "../../app/embed/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { rejection } from "../_rejection.ts"

/* The promise interface, called as a host without Effect and without types does. */

const opened = async (): Promise<RollupNode> => {
  const simulation = simulate({ seed: 1, users: 20, placeholderRoots: true })
  const node = await openNode({ genesis: simulation.genesis })
  for (let i = 0; i < 30; i++) await node.applyRecord(simulation.next())
  return node
}

/** Any value that a JavaScript host may pass. */
const untyped = (value: unknown) => value as never

describe("the promise interface", () => {
  it("refuses a query that no URL could state, and names every rule it breaks", async () => {
    const node = await opened()
    const error = await rejection(
      node.list(
        "tokens",
        untyped({ filters: { bogus: 5, ids: [0, -1] }, limit: 0, order: "asc", form: 3 })
      )
    )
    assert.strictEqual(error._tag, "BadInput")
    for (const part of ["bogus", "ids", "limit", "order", "form"]) {
      assert.include(error.message, part)
    }
    assert.include(
      (await rejection(
        node.list("accounts", {
          filters: { address: `0x${"0".repeat(40)}`, publicKey: "0".repeat(64) }
        })
      )).message,
      "exclude each other"
    )
    assert.strictEqual(
      (await rejection(node.list("transactions", { filters: {}, limit: 2050 })))._tag,
      "BadInput"
    )
    for (const query of [null, 5, "x", { filters: { tokenId: Object.create(null) } }]) {
      assert.strictEqual(
        (await rejection(node.list("transactions", untyped(query))))._tag,
        "BadInput"
      )
    }
    for (
      const call of [
        node.list(untyped("nothing")),
        node.list(untyped(null)),
        node.find(untyped("toString"), untyped(1))
      ]
    ) assert.strictEqual((await rejection(call))._tag, "BadInput")
    assert.strictEqual(
      (await node.list("tokens", untyped({}))).items.length,
      (await node.list("tokens")).items.length
    )
    await node.close()
  })

  it("refuses a key of another kind", async () => {
    const node = await opened()
    for (const key of [-5, 2 ** 40, 1.5, "3"]) {
      assert.strictEqual(
        (await rejection(node.find("slot", untyped(key))))._tag,
        "BadInput",
        String(key)
      )
    }
    assert.strictEqual((await rejection(node.find("exit", untyped(3))))._tag, "BadInput")
    assert.strictEqual((await node.find("slot", 4294967295)).item?.slotNum, 4294967295)
    await node.close()
  })

  it("refuses an invalid record and leaves the ledger unchanged", async () => {
    const node = await opened()
    const before = (await node.state()).snapshotId
    for (
      const call of [
        node.applyBlock(untyped({})),
        node.applyRecord(untyped({ kind: "zzz" })),
        node.rollBack(untyped("18000000"))
      ]
    ) {
      assert.strictEqual((await rejection(call))._tag, "BlockViolation")
    }
    assert.deepStrictEqual((await node.state()).snapshotId, before)
    await node.close()
  })

  it("gives a coordinator access to the pool", async () => {
    const node = await opened()
    assert.deepStrictEqual((await node.pool.select({ maxTransactions: 10 })).transactions, [])
    assert.deepStrictEqual(await node.pool.reconcile(), [])
    await node.close()
  })

  it("refuses every call after it is closed", async () => {
    const node = await opened()
    await node.close()
    for (
      const call of [
        node.state(),
        node.fetch(new Request("http://node/tokens")),
        node.pool.reconcile()
      ]
    ) {
      assert.match((await rejection(call)).message, /^The node is closed/u)
    }
  })
})
