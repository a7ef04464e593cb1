import { assert, describe, it } from "@effect/vitest"
import { openNode } from "../../app/embed/mod.ts"
import type { NodeChange } from "../../core/mod.ts"
import {
  applyHistory,
  applyNext,
  newSimulation,
  newStores,
  rejectionOf,
  until
} from "./_network.ts"

/* A whole node behind promises, over each store. */

for (const [kind, newStore] of Object.entries(newStores)) {
  describe(`a node over ${kind}`, () => {
    it("reads, takes transactions, forges and serves", async () => {
      await using empty = await newStore()
      const { store } = empty
      const simulation = newSimulation()
      await using node = await openNode({ genesis: simulation.genesis, store })
      await applyHistory(node, simulation)
      const { transaction } = simulation.live.nextSubmissions().entries[0]!
      assert.deepStrictEqual(await node.submitTransaction(transaction), {
        id: transaction.id,
        stored: true
      })
      assert.isFalse((await node.submitTransaction({ ...transaction })).stored)

      const selection = await node.pool.select({ maxTransactions: 10 })
      assert.deepStrictEqual(selection.transactions.map((each) => each.transaction.id), [
        transaction.id
      ])
      const { batchNum } = selection
      assert.deepStrictEqual(await node.pool.startForging([transaction.id], batchNum), [
        transaction.id
      ])
      assert.strictEqual((await node.pool.transaction(transaction.id))?.state, "fing")

      const { counts, items } = await node.list("transactions", { limit: 2 })
      assert.lengthOf(items, 2)
      assert.isAtLeast(counts.totalItems, 60)
      const { url } = await node.listen({ port: 0 })
      const served = await (await fetch(`${url}/transactions-history?limit=2`)).json()
      assert.strictEqual(served.transactions[0].id, items[0]!.transaction.id)
      const answered = await node.fetch(new Request("http://node/transactions-history?limit=2"))
      assert.deepStrictEqual(await answered.json(), served)
      await node.close()
      assert.isTrue(await fetch(url).then(() => false, () => true))
    })

    it("recommends the fee of its options while none is paid, and takes transactions with a lower one", async () => {
      await using empty = await newStore()
      const { store } = empty
      const simulation = newSimulation()
      const recommendedFeeUSD = 1e9
      await using node = await openNode({
        genesis: simulation.genesis,
        store,
        recommendedFeeUSD
      })
      assert.deepStrictEqual((await node.state()).state.recommendedFee, {
        existingAccount: recommendedFeeUSD,
        createAccount: 2.5 * recommendedFeeUSD,
        createAccountInternal: 2 * recommendedFeeUSD
      })
      await applyHistory(node, simulation)
      const { transaction } = simulation.live.nextSubmissions().entries[0]!
      assert.isTrue((await node.submitTransaction(transaction)).stored)
    })

    it("reports every change once and in order", async () => {
      await using empty = await newStore()
      const { store } = empty
      const simulation = newSimulation()
      await using node = await openNode({ genesis: simulation.genesis, store })
      const early: Array<NodeChange> = []
      const stop = node.onChange((change) => early.push(change))
      await applyHistory(node, simulation)
      const { snapshotId } = await node.state()
      await until(() =>
        early.some((each) => "snapshotId" in each && each.snapshotId.version === snapshotId.version)
      )
      stop()
      const changes: Array<NodeChange> = []
      node.onChange((change) => changes.push(change))

      const first = simulation.genesis.block.number + 1n
      const blocks = early.flatMap((each) => each.kind === "block" ? [each.ethereumBlockNum] : [])
      assert.deepStrictEqual(blocks, blocks.map((_, i) => first + BigInt(i)))
      assert.strictEqual(blocks.at(-1), snapshotId.ethereumBlockNum)
      const batches = early.flatMap((each) => each.kind === "batch" ? [each.batchNum] : [])
      assert.deepStrictEqual(batches, batches.map((_, i) => i + 1))
      assert.strictEqual(batches.at(-1), snapshotId.batchNum)

      const { transaction: { id }, transaction } = simulation.live.nextSubmissions().entries[0]!
      await node.submitTransaction(transaction)
      const batchNum = snapshotId.batchNum! + 1
      await node.pool.startForging([id], batchNum)
      await node.pool.invalidate([{ id, reason: "The proof failed" }], batchNum)
      const { state } = await node.state()
      const number = snapshotId.ethereumBlockNum + 5n
      const head = { number, hash: `0x${"5".repeat(64)}`, timestampMs: 4e12, chainHead: number }
      assert.strictEqual((await node.applyRecord({ kind: "head", head })).kind, "head")
      assert.strictEqual((await node.state()).state.lastSynchedBlock, number)
      await node.rollBack(snapshotId.ethereumBlockNum)
      assert.deepStrictEqual((await node.state()).state, state)
      await node.rollBack(snapshotId.ethereumBlockNum - 3n)
      const token = { tokenId: 0, priceUSD: 7, timeMs: Date.now() }
      await node.setPrices([token])
      await until(() => changes.some((each) => each.kind === "prices"))
      await until(() => changes.filter((each) => each.kind === "transition").length >= 3)

      const transitions = changes.flatMap((each) =>
        each.kind === "transition" ? [[each.id, each.from, each.to, each.batchNum]] : []
      )
      assert.deepStrictEqual(transitions.slice(0, 3), [
        [id, null, "pend", null],
        [id, "pend", "fing", batchNum],
        [id, "fing", "invl", batchNum]
      ])
      const stored = await node.pool.transitions(id)
      assert.deepStrictEqual(
        changes.flatMap(({ kind, ...transition }) => kind === "transition" ? [transition] : []),
        [...stored] as never
      )
      const ledger = changes.filter((each) => each.kind !== "transition")
      assert.deepStrictEqual(
        ledger.map((each) => each.kind === "head" ? each.ethereumBlockNum : each.kind),
        [number, snapshotId.ethereumBlockNum, "rollBack", "prices"]
      )
      const rolledBack = ledger[2]
      if (rolledBack?.kind !== "rollBack") throw new Error("Expected a rollback")
      assert.strictEqual(rolledBack.toBlock, snapshotId.ethereumBlockNum - 3n)
      assert.strictEqual(rolledBack.lastBatchNum, (await node.state()).snapshotId.batchNum)
    })

    it("reports only stored blocks of a feed that leaves out empty ones, and the last block after a rollback", async () => {
      await using empty = await newStore()
      const { store } = empty
      const { genesis } = newSimulation()
      await using node = await openNode({ genesis, store })
      const changes: Array<NodeChange> = []
      node.onChange((change) => changes.push(change))
      const hashOf = (number: bigint) => `0x${number.toString(16).padStart(64, "0")}`
      const { number: first, timestampMs } = genesis.block
      const at = (blocks: bigint) => first + blocks
      const afterGap = (blocks: bigint, previous: { number: bigint; hash: string }) => ({
        number: at(blocks),
        hash: hashOf(at(blocks)),
        parentHash: hashOf(at(blocks) - 1n),
        previous: { number: previous.number, hash: previous.hash },
        timestampMs
      })
      const one = afterGap(1_000_000n, genesis.block)
      const two = afterGap(1_000_005n, one)
      await node.applyBlock(one)
      await node.applyBlock(two)
      const report = await node.rollBack(at(1_000_003n))
      const { hash, number } = one
      assert.deepStrictEqual(
        [report.toBlock, report.blocks, report.lastBlock],
        [at(1_000_003n), 1, { number, hash, timestampMs }]
      )
      assert.strictEqual((await node.state()).state.lastSynchedBlock, number)
      // repeated, it is above the last block
      assert.strictEqual((await node.rollBack(at(1_000_003n))).blocks, 0)
      await node.applyBlock(two)
      await until(() => changes.filter(({ kind }) => kind === "block").length === 3)
      assert.deepStrictEqual(
        changes.flatMap((change) =>
          change.kind === "block"
            ? [`block ${change.ethereumBlockNum}`]
            : change.kind === "rollBack"
            ? [`rollBack ${change.toBlock}`]
            : []
        ),
        [
          `block ${one.number}`,
          `block ${two.number}`,
          `rollBack ${one.number}`,
          `block ${two.number}`
        ]
      )
    })

    if (kind !== "memory") {
      it("continues after it is closed", async () => {
        await using empty = await newStore()
        const { store } = empty
        const simulation = newSimulation()
        const { genesis } = simulation
        const first = await openNode({ genesis, store })
        await applyHistory(first, simulation)
        const { transaction } = simulation.live.nextSubmissions().entries[0]!
        await first.submitTransaction(transaction)
        const before = await first.state()
        await first.close()
        {
          await using second = await openNode({ genesis, store })
          assert.deepStrictEqual(await second.state(), before)
          assert.strictEqual((await second.pool.transaction(transaction.id))?.state, "pend")
          await applyNext(second, simulation, 3)
        }
        const other = { ...genesis, network: { ...genesis.network, chainId: 7 } }
        const error = await rejectionOf(openNode({ genesis: other, store }))
        assert.strictEqual(error.reason, "otherNetwork")
        assert.isFalse(error.retry)
      })
    }
  })
}
