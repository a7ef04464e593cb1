import { assert, describe, it } from "@effect/vitest"
import { signTransaction } from "../../adapters/crypto/mod.ts"
import { openNode, type RollupNode } from "../../app/embed/mod.ts"
import { groupOf } from "../pool/_groups.ts"
import { ann, blocks, bob, network, signed } from "../submission/_wallets.ts"
import { genesis } from "../use_cases/_network.ts"
import { rejectionOf, untyped } from "./_network.ts"

/** A swap: Ann sends ether to Bob only if Bob sends ether to Ann. */
const { id, transactions: [first, second] } = groupOf([
  signed(ann),
  signed(bob, { fromAccountIndex: 257, toAccountIndex: 256 })
])
const signedAgain = (by: typeof ann, transaction: NonNullable<typeof first>) => ({
  ...transaction,
  signature: signTransaction(by.privateKey, transaction, network.chainId)
})
const swap = { id, transactions: [signedAgain(ann, first!), signedAgain(bob, second!)] }

const withNode = async (use: (node: RollupNode) => Promise<void>): Promise<void> => {
  await using node = await openNode({ genesis })
  for (const block of blocks) await node.applyBlock(block)
  await use(node)
}

describe("an embedded node", () => {
  it("takes a group, and selects all of its transactions", () =>
    withNode(async (node) => {
      const ids = swap.transactions.map((each) => each.id)
      const added: Array<string> = []
      node.onChange((change) => {
        if (change.kind === "transition") added.push(change.id)
      })
      assert.deepStrictEqual(await node.submitGroup(swap), { ids, stored: true })
      assert.deepStrictEqual(await node.submitGroup(swap), { ids, stored: false })
      const { transactions } = await node.pool.select({ maxTransactions: 10 })
      assert.deepStrictEqual(transactions.map(({ transaction }) => transaction.id), ids)
      assert.deepStrictEqual(added, ids)
    }))

  it("names every violation of a group by its path", () =>
    withNode(async (node) => {
      const [one, two] = swap.transactions
      const wrong = { ...swap, transactions: [{ ...one!, request: null }, { ...two!, fee: 21 }] }
      const error = await rejectionOf(node.submitGroup(wrong))
      assert.strictEqual(error._tag, "SubmissionRefused")
      const paths = error.violations.map(({ path }) => path)
      assert.includeMembers(paths, ["/transactions/0/request/tokenId", "/transactions/1/id"])
      const invalid = untyped({ id: "0x", transactions: [{ id: 1 }] })
      assert.includeMembers(
        (await rejectionOf(node.submitGroup(invalid))).violations.map(({ path }) => path),
        [
          "/id",
          "/transactions/0/id",
          "/transactions/0/requestOffset"
        ]
      )
    }))

  it("takes a transaction with its last batch", () =>
    withNode(async (node) => {
      const posted = { ...signed(ann, { maxNumBatch: 9 }) }
      await node.submitTransaction(posted)
      assert.strictEqual((await node.pool.transaction(posted.id))?.maxNumBatch, 9)
    }))
})
