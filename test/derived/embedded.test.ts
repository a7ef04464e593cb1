import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { openNode, type RollupNode } from "../../app/embed/mod.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { revisionList } from "../../core/mod.ts"
import { partlyStrippedBlock, strippedBlock, strippedRecord } from "./_stripped.ts"
import { newStores } from "../embed/_network.ts"
import { rounds } from "../rounds.ts"

/*
 * A node derives what a feed leaves out: its answers are those of a node with the whole feed, to the
 * byte.
 */

const seeds = rounds({ short: ["1"], long: ["1", "20", "300"] })

const networkOf = (seed: string) => {
  const simulation = simulate({ seed, users: 16, exitShare: 0.1, placeholderRoots: true })
  return { genesis: simulation.genesis, records: [...initialHistory(simulation, 150)] }
}

const mounts = revisionList.map((revision) => ({ path: `/${revision.name}`, revision }))
const lists = ["accounts", "exits", "transactions-history", "batches", "coordinators", "tokens"]

/** Returns the digest of the answers about everything in a ledger, and their number of exits. */
const digestOf = async (node: RollupNode) => {
  const digest = createHash("sha256")
  const read = async (path: string) => {
    const answer = await node.fetch(new Request(`http://node${path}`))
    const body = await answer.text()
    digest.update(`${path} ${answer.status} ${body}\n`)
    return { body, status: answer.status }
  }
  for (const { path } of mounts) {
    for (const list of lists) {
      assert.strictEqual((await read(`${path}/${list}?limit=2049`)).status, 200, path + list)
    }
    await read(`${path}/state`)
  }
  const { items } = await node.list("batches", { limit: 2049 })
  for (const { batchNum } of items) {
    for (const { path } of mounts) await read(`${path}/full-batches/${batchNum}`)
  }
  return { digest: digest.digest("hex"), exits: (await node.list("exits")).counts.totalItems }
}

describe("a node with a feed without derived values", () => {
  for (const seed of seeds) {
    it(`answers as one with the whole feed over each store (seed ${seed})`, async () => {
      const { genesis, records } = networkOf(seed)
      await using whole = await openNode({ genesis, mounts })
      for (const record of records) await whole.applyRecord(record)
      const expected = await digestOf(whole)
      assert.isAbove(expected.exits, 5)

      for (const [kind, newStore] of Object.entries(newStores)) {
        const { remove, store } = await newStore()
        const threads = kind === "directory" ? { verifierThreads: 1 } : {}
        const strip = kind === "database" ? partlyStrippedBlock : strippedBlock
        {
          await using node = await openNode({ genesis, mounts, store, ...threads })
          for (const record of records) await node.applyRecord(strippedRecord(record, strip))
          assert.deepStrictEqual(await digestOf(node), expected, kind)
        }
        if (kind !== "memory") {
          await using node = await openNode({ genesis, mounts, store })
          assert.deepStrictEqual(await digestOf(node), expected, `${kind}, opened again`)
        }
        await remove()
      }
    }, 120_000)
  }
})
