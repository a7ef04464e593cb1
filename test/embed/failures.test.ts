import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeError, openNode, type RollupNode } from "../../app/embed/mod.ts"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import type { NodeChange } from "../../core/mod.ts"
import { execute } from "../postgres/_statements.ts"
import { type Cluster, startCluster } from "../postgres/mod.ts"
import {
  applyHistory,
  applyNext,
  newDatabase,
  newSimulation,
  rejectionOf,
  until
} from "./_network.ts"

/* Failures of the store, as a host of promises sees them. */

const silent = { log: () => {} }

// each test has its own database, and most wait: they run at the same time
describe.concurrent("two nodes over one database", () => {
  it("write one at a time, and both report the changes of both", async () => {
    await using database = await newDatabase()
    const simulation = newSimulation()
    const { genesis } = simulation
    const { store } = database
    const writer = await openNode({ genesis, store })
    await applyNext(writer, simulation, 1)
    await using other = await openNode({ genesis, store })
    const changes: Array<NodeChange> = []
    other.onChange((change) => changes.push(change))
    const record = simulation.next()
    const refused = await rejectionOf(other.applyRecord(record))
    assert.strictEqual(refused._tag, "StoreFailure")
    assert.isTrue(refused.retry)
    assert.match(refused.message, /is written by process/u)
    await writer.applyRecord(record)
    await writer.close()
    await applyNext(other, simulation, 1)
    const { snapshotId } = await other.state()
    await until(() =>
      changes.some((each) =>
        each.kind === "block" &&
        each.ethereumBlockNum === snapshotId.ethereumBlockNum
      )
    )
    assert.deepStrictEqual(
      changes.flatMap((each) => each.kind === "block" ? [each.ethereumBlockNum] : []),
      [genesis.block.number + 2n, genesis.block.number + 3n]
    )
  })

  it("report the transactions that the other one accepts", async () => {
    await using database = await newDatabase()
    const simulation = newSimulation()
    const options = { genesis: simulation.genesis, store: database.store }
    await using one = await openNode(options)
    await applyHistory(one, simulation)
    await using other = await openNode(options)
    const changes: Array<NodeChange> = []
    other.onChange((change) => changes.push(change))
    const { transaction } = simulation.live.nextSubmissions().entries[0]!
    await one.submitTransaction(transaction)
    await until(() => changes.some((each) => each.kind === "transition"))
    assert.deepInclude(changes.find((each) => each.kind === "transition"), {
      id: transaction.id,
      from: null,
      to: "pend"
    })
  })

  it("refuse a write after another process took over, and say so once when they are back", async () => {
    await using database = await newDatabase()
    const simulation = newSimulation()
    await using node = await openNode({
      ...silent,
      genesis: simulation.genesis,
      store: { ...database.store, lease: { termMs: 60_000, heartbeatMs: 60_000 } }
    })
    await applyNext(node, simulation, 2)
    // as a process does that finds the lease expired
    await execute(
      database.url,
      "UPDATE writer SET epoch = epoch + 1, holder = 'another process', held_since = now(), expires_at = now() + interval '1 hour'"
    )
    const record = simulation.next()
    const lost = await rejectionOf(node.applyRecord(record))
    assert.deepStrictEqual([lost._tag, lost.retry, lost.writerChanged], [
      "StoreFailure",
      true,
      false
    ])
    assert.match((await rejectionOf(node.applyRecord(record))).message, /another process/u)
    await execute(
      database.url,
      "UPDATE writer SET holder = NULL, held_since = NULL, expires_at = NULL"
    )
    const changed = await rejectionOf(node.applyRecord(record))
    assert.deepStrictEqual([changed._tag, changed.retry, changed.writerChanged], [
      "StoreFailure",
      true,
      true
    ])
    await node.applyRecord(record)
  })
})

describe.concurrent("a node that is closed while another process keeps the lease", () => {
  it("rejects a write that waits as a StoreFailure: it may have been stored", async () => {
    await using database = await newDatabase()
    const simulation = newSimulation()
    const options = { genesis: simulation.genesis, store: database.store }
    await using writer = await openNode(options)
    await applyNext(writer, simulation, 1)
    const lease = { waits: true }
    const waiting = await openNode({ ...options, store: { ...database.store, lease }, ...silent })
    const write = rejectionOf(waiting.applyRecord(simulation.next()))
    await waiting.close()
    const { _tag, message, retry } = await write
    assert.deepStrictEqual([_tag, retry], ["StoreFailure", true])
    assert.match(message, /^The node was closed before the call ended/u)
  }, 20_000)
})

describe("a database that stops", () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ durable: false })
  })
  afterAll(() => cluster.remove())

  it("rejects calls with a retryable error until it is back", async () => {
    const simulation = newSimulation()
    await using node = await openNode({
      ...silent,
      genesis: simulation.genesis,
      store: { database: cluster.url, connectTimeoutMs: 200, queueWaitMs: 200 }
    })
    await applyNext(node, simulation, 2)
    const changes: Array<NodeChange> = []
    node.onChange((change) => changes.push(change))
    await cluster.stop()
    for (
      const call of [
        node.state(),
        node.list("accounts"),
        node.pool.transaction(`0x02${"0".repeat(64)}`)
      ]
    ) {
      const error = await rejectionOf(call)
      assert.deepStrictEqual([error._tag, error.retry], ["StoreFailure", true])
    }
    const opening = openNode({
      ...silent,
      genesis: simulation.genesis,
      store: { database: cluster.url },
      signal: AbortSignal.timeout(300)
    })
    assert.strictEqual((await rejectionOf(opening))._tag, "Aborted")
    await cluster.restart()
    const record = simulation.next()
    await untilResolved(() => node.applyRecord(record))
    const { snapshotId } = await node.state()
    await until(() =>
      changes.some((each) => "snapshotId" in each && each.snapshotId.version === snapshotId.version)
    )
  })
})

/** Repeats a call while it is rejected with a retryable error. */
const untilResolved = async (call: () => ReturnType<RollupNode["applyRecord"]>): Promise<void> => {
  for (;;) {
    try {
      await call()
      return
    } catch (error) {
      if (!(error instanceof NodeError) || !error.retry) throw error
    }
  }
}

describe("a listener of changes", () => {
  it("that throws, rejects or is slow harms neither the node nor other listeners", async () => {
    const simulation = newSimulation()
    const logged: Array<unknown> = []
    await using node = await openNode({
      genesis: simulation.genesis,
      log: ({ cause }) => logged.push(cause)
    })
    const seen: Array<NodeChange> = []
    const failure = new Error("The host failed")
    node.onChange(() => {
      throw failure
    })
    node.onChange(() => Promise.reject(failure))
    let isReady = () => {}
    const slow: Array<NodeChange> = []
    node.onChange(async (change) => {
      slow.push(change)
      await new Promise<void>((resolve) => isReady = resolve)
    })
    node.onChange((change) => seen.push(change))
    await applyNext(node, simulation, 5)
    await until(() => logged.length >= 2 * seen.length && seen.length >= 5)
    assert.deepStrictEqual(logged, Array.from({ length: 2 * seen.length }, () => failure))
    assert.lengthOf(slow, 1)
    const all = [...seen]
    while (slow.length < all.length) {
      isReady()
      await new Promise(setImmediate)
    }
    assert.deepStrictEqual(slow, all)
  })

  it("that is slow gets what was stored before the node was closed, unless it ends", async () => {
    const simulation = newSimulation()
    const node = await openNode({ genesis: simulation.genesis })
    const seen: Array<NodeChange> = []
    node.onChange((change) => seen.push(change))
    let go = () => {}
    const blocked = new Promise<void>((resolve) => go = resolve)
    const listening = () => {
      const slow: Array<NodeChange> = []
      const stop = node.onChange((change) => {
        slow.push(change)
        return blocked
      })
      return { slow, stop }
    }
    const [goesOn, ends] = [listening(), listening()]
    await applyNext(node, simulation, 5)
    await node.close()
    ends.stop()
    go()
    await until(() => goesOn.slow.length === seen.length)
    assert.deepStrictEqual(goesOn.slow, seen)
    assert.lengthOf(ends.slow, 1)
  })

  it("that falls far behind learns that it missed changes", async () => {
    const { genesis } = newSimulation()
    await using node = await openNode({ genesis })
    const seen: Array<NodeChange> = []
    let go = () => {}
    const blocked = new Promise<void>((resolve) => go = resolve)
    node.onChange((change) => {
      seen.push(change)
      return blocked
    })
    for (let i = 0; i < 100_003; i++) await node.setPrices([])
    go()
    await until(() => seen.length >= 2)
    await node.setPrices([])
    await until(() => seen.at(-1)?.kind === "prices" && seen.length > 2)
    assert.isTrue(seen.some(({ kind }) => kind === "missed"))
    assert.isBelow(seen.length, 10)
  })
})

describe("a process that has no free file descriptor for a while", () => {
  const run = (script: string, ...args: ReadonlyArray<string>) =>
    execFileSync(
      "sh",
      ["-c", `ulimit -n 256; exec "$@"`, "sh", process.execPath, join(import.meta.dirname, script)]
        .concat(args),
      { encoding: "utf8" }
    ).trim()

  it("verifies signatures and state roots and shows the documentation afterwards", () => {
    assert.deepStrictEqual(run("_without_descriptors.ts").split("\n"), [
      "Unexpected Unexpected 500",
      "done done 200"
    ])
  })

  it("stores no exits before it can verify their proofs", () => {
    const folder = mkdtempSync(join(tmpdir(), "rollup-embed-"))
    const feed = join(folder, "feed.ndjson")
    const simulation = simulate({ seed: 1, users: 20, exitShare: 0.4, placeholderRoots: true })
    writeFileSync(feed, [...writeFeed(simulation, 200)].join(""))
    const [withoutFiles, again, changed] = run("_exits_without_descriptors.ts", feed).split("\n")
    assert.match(withoutFiles!, /^Unexpected error/u)
    assert.strictEqual(again, "applied")
    assert.match(changed!, /exit proof/u)
    rmSync(folder, { recursive: true })
  })
})
