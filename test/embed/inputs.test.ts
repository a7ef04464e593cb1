import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { earlier, later } from "../../core/mod.ts"
import { NodeError, openNode, toJson } from "../../app/embed/mod.ts"
import { checkNodeVersion } from "../../app/embed/node_error.ts"
import { applyHistory, newSimulation, rejectionOf, untyped } from "./_network.ts"

/* Arguments that a host without types passes, and the forms of the values that it gets. */

const pathsOf = async (call: Promise<unknown>): Promise<ReadonlyArray<string>> => {
  const error = await rejectionOf(call)
  for (const { message, path } of error.violations) {
    assert.include(error.message, message)
    assert.include(message, path)
  }
  return error.violations.map(({ path }) => path)
}

describe("the options of a node", () => {
  const { genesis } = newSimulation()

  it("are refused with the path of everything that the genesis lacks", async () => {
    assert.deepStrictEqual(
      await pathsOf(openNode(untyped({ genesis: { ...genesis, network: { prefix: "ZK" } } }))),
      [
        "/genesis/network/prefix",
        "/genesis/network/name",
        "/genesis/network/chainId",
        "/genesis/network/rollupAddress"
      ]
    )
    assert.deepStrictEqual(await pathsOf(openNode(untyped({ genesis: {} }))), [
      "/genesis/network",
      "/genesis/block",
      "/genesis/constants",
      "/genesis/variables"
    ])
    const late = { ...genesis, block: { ...genesis.block, number: 2n ** 64n - 1n } }
    assert.deepStrictEqual(await pathsOf(openNode({ genesis: late })), ["/genesis/block/number"])
    for (const input of [undefined, null, 5, []]) {
      assert.strictEqual((await rejectionOf(openNode(untyped(input))))._tag, "BadInput")
    }
  })

  it("name the nearest option, and exactly one store", async () => {
    const { message } = await rejectionOf(openNode(untyped({ genesis, stor: {} })))
    assert.strictEqual(message, "Unknown name /stor: did you mean store?")
    for (const store of [{}, { memry: true }, 5, { memory: false }, { directory: "" }]) {
      const [path] = await pathsOf(openNode(untyped({ genesis, store })))
      assert.match(path!, /^\/store/u)
    }
    const both = { genesis, store: { memory: true, directory: "x" } }
    assert.deepStrictEqual(await pathsOf(openNode(untyped(both))), ["/store/directory"])
    const url = await rejectionOf(openNode({ genesis, store: { database: "mysql://secret@host" } }))
    assert.deepStrictEqual([url._tag, url.reason, url.retry], ["DatabaseError", "url", false])
  })

  it("include those of the stores that show progress, and bound the wait for a database", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rollup-embed-"))
    const onProgress = () => {}
    await (await openNode({ genesis, store: { directory, onProgress } })).close()
    rmSync(directory, { recursive: true })
    const database = "postgresql://user@127.0.0.1:1/none"
    const unreachable = await rejectionOf(openNode({ genesis, store: { database, waitMs: 0 } }))
    const { _tag, reason, retry } = unreachable
    assert.deepStrictEqual([_tag, reason, retry], ["DatabaseError", "unreachable", true])
  })

  it("are refused if a limit, a mount or another option is none, also those of a server", async () => {
    const mount = { path: "/a", revision: later }
    const invalid: ReadonlyArray<readonly [options: object, path: string]> = [
      [{ store: { database: "x", lease: { heartbeatMs: 0 } } }, "/store/lease/heartbeatMs"],
      [{ limits: 5 }, "/limits"],
      [{ limits: { bodyBytesMax: "x" } }, "/limits/bodyBytesMax"],
      [{ limits: { bodyByteMax: 1 } }, "/limits/bodyByteMax"],
      [{ mounts: 5 }, "/mounts"],
      [{ mounts: [] }, "/mounts"],
      [{ mounts: [{}] }, "/mounts/0/path"],
      [{ mounts: [{ ...mount, path: "a" }] }, "/mounts/0/path"],
      [{ mounts: [{ path: "/a", revision: "later" }] }, "/mounts/0/revision"],
      [{ mounts: [mount, { path: "/a", revision: earlier }] }, "/mounts"],
      [{ mounts: [mount, { path: "/b", revision: later }] }, "/mounts"],
      [{ compression: "br" }, "/compression"],
      [{ compression: { codings: ["br"] } }, "/compression"],
      [{ compression: { codings: [null] } }, "/compression"],
      [{ compression: { codings: [], bytesMin: "1" } }, "/compression"],
      [{ minFeeUSD: 5, maxFeeUSD: 1 }, "/minFeeUSD"],
      [{ telemetry: 5 }, "/telemetry"],
      [{ monitor: 5 }, "/monitor"],
      [{ log: 5 }, "/log"],
      [{ signal: {} }, "/signal"]
    ]
    for (const [options, path] of invalid) {
      const error = await rejectionOf(openNode(untyped({ genesis, ...options })))
      assert.strictEqual(error._tag, "BadInput", `${path}: ${error.message}`)
      assert.strictEqual(error.violations[0]!.path, path)
    }
    // the value in a message ends at the revision, whose schemas are large
    const twice = await rejectionOf(openNode(untyped({ genesis, mounts: [mount, mount] })))
    assert.strictEqual(
      twice.violations[0]!.value,
      '[{"path":"/a","revision":…},{"path":"/a","revision":…}]'
    )
    await using node = await openNode({
      genesis,
      limits: { bodyBytesMax: 5 },
      mounts: [mount, { path: "/", revision: earlier }],
      compression: false
    })
    const invalidLimits = [
      [5, ""],
      [{ connectionMax: 1 }, "/connectionMax"],
      [{ trustedProxies: ["10.0.0.0/8", "proxy"] }, "/trustedProxies/1"]
    ] as const
    for (const [limits, path] of invalidLimits) {
      assert.deepStrictEqual(await pathsOf(node.listen(untyped({ port: 0, limits }))), [
        `/limits${path}`
      ])
    }
    const aborted = await rejectionOf(openNode({ genesis, signal: AbortSignal.abort() }))
    assert.strictEqual(aborted._tag, "Aborted")
  })
})

describe("the methods of a node", () => {
  it("list without filters and find by key, and name the nearest list", async () => {
    const simulation = newSimulation()
    await using node = await openNode({ genesis: simulation.genesis })
    await applyHistory(node, simulation)
    assert.lengthOf((await node.list("transactions", { limit: 2 })).items, 2)
    assert.strictEqual((await node.find("slot", 4294967295)).item?.slotNum, 4294967295)
    const { message } = await rejectionOf(node.list(untyped("transaktions")))
    assert.match(message, /did you mean transactions\?$/u)
    const query = { limit: 0, filters: { typ: 1 } }
    const invalid = await rejectionOf(node.list("transactions", untyped(query)))
    assert.deepStrictEqual(invalid.violations.map(({ path }) => path), ["/filters/typ", "/limit"])
    const error = await rejectionOf(node.list("accounts", { filters: { tokenIds: [98, 99] } }))
    assert.strictEqual(error._tag, "NotRegistered")
    assert.deepStrictEqual(error.violations.map(({ path, value }) => [path, value]), [
      ["/filters/tokenIds", "98"],
      ["/filters/tokenIds", "99"]
    ])
  })

  it("name everything that a posted transaction lacks or violates", async () => {
    const simulation = newSimulation()
    await using node = await openNode({ genesis: simulation.genesis })
    await applyHistory(node, simulation)
    assert.deepStrictEqual(await pathsOf(node.submitTransaction(untyped({}))), [
      "/id",
      "/type",
      "/tokenId",
      "/fromAccountIndex",
      "/amount",
      "/fee",
      "/nonce",
      "/signature"
    ])
    const { transaction } = simulation.live.nextSubmissions().entries[0]!
    assert.deepStrictEqual(
      await pathsOf(node.submitTransaction(untyped({ ...transaction, amount: 5, ammount: 1n }))),
      ["/ammount", "/amount"]
    )
    const refused = await rejectionOf(
      node.submitTransaction({ ...transaction, request: { amount: 3n } })
    )
    assert.strictEqual(refused._tag, "SubmissionRefused")
    assert.deepStrictEqual(refused.violations.map(({ path }) => path), [
      "/request/fromAccountIndex",
      "/request/tokenId",
      "/request/fee",
      "/request/nonce"
    ])
    assert.deepStrictEqual(await pathsOf(node.submitAuthorization(untyped({}))), [
      "/address",
      "/publicKey",
      "/signature"
    ])
    const zero = { address: `0x${"0".repeat(40)}`, publicKey: "0".repeat(64) }
    const nobody = await rejectionOf(
      node.submitAuthorization({ ...zero, signature: `0x${"0".repeat(130)}` })
    )
    assert.deepStrictEqual(nobody.violations.map(({ path }) => path), ["/address", "/publicKey"])
    // absent and null mean the same
    const { request: _, ...withoutRequest } = transaction
    assert.isTrue((await node.submitTransaction(withoutRequest)).stored)
    assert.isFalse((await node.submitTransaction(transaction)).stored)
  })

  it("refuse invalid arguments with a NodeError, each of them", async () => {
    const { genesis } = newSimulation()
    await using node = await openNode({ genesis })
    const { pool } = node
    assert.deepStrictEqual(await pool.reconcile(), [])
    const methods: ReadonlyArray<(value: never) => Promise<unknown>> = [
      node.applyBlock,
      node.applyRecord,
      node.setPrices,
      node.rollBack,
      (value) => node.list(value),
      (value) => node.list("tokens", value),
      (value) => node.find("token", value),
      (value) => node.find(value, value),
      node.submitTransaction,
      node.submitAuthorization,
      node.listen,
      pool.select,
      pool.purge,
      (value) => pool.startForging(value, 1),
      (value) => pool.doneForging([], value),
      (value) => pool.invalidate(value, 1),
      (value) => pool.invalidateOldNonces(value, 1),
      pool.rollBack,
      (value) => pool.remove(value, "x"),
      pool.transaction,
      pool.transitions,
      pool.skippedTransaction
    ]
    for (const [i, method] of methods.entries()) {
      for (
        const value of [null, "x", -1, { kind: "block" }, { kind: "prices", prices: [{}, {}] }]
      ) {
        const error = await rejectionOf(method(untyped(value)))
        assert.include(["BadInput", "BlockViolation"], error._tag, `${i} ${inspect(value)}`)
        assert.isNotEmpty(error.violations)
        assert.isFalse(error.retry)
      }
    }
    const block = await rejectionOf(node.applyBlock(untyped({ number: 5 })))
    assert.deepStrictEqual(block.violations.map(({ path }) => path), [
      "/number",
      "/hash",
      "/parentHash",
      "/timestampMs"
    ])
    assert.include(
      (await rejectionOf(node.applyBlock(untyped(null)))).message,
      'value "null": expected an object; send the record'
    )
    assert.strictEqual((await node.state()).snapshotId.version, 0)
  })

  it("refuse requests and listeners that are none, and objects that throw", async () => {
    await using node = await openNode({ genesis: newSimulation().genesis })
    const { signal } = new AbortController()
    for (const value of [undefined, null, "http://node/tokens", {}, { method: "GET", url: "/" }]) {
      assert.strictEqual((await rejectionOf(node.fetch(untyped(value))))._tag, "BadInput")
      assert.strictEqual((await rejectionOf(node.handle(untyped(value), signal)))._tag, "BadInput")
      assert.throws(() => node.onChange(untyped(value)), NodeError, /^Argument listener/u)
    }
    const copied = { method: "GET", url: "http://node/tokens", headers: {} }
    assert.strictEqual((await rejectionOf(node.fetch(untyped(copied))))._tag, "Unexpected")
    const throwing = {
      get filters() {
        throw new Error("no filters")
      }
    }
    const error = await rejectionOf(node.list("tokens", untyped(throwing)))
    assert.strictEqual(error._tag, "Unexpected")
    await node.close()
    assert.throws(() => node.onChange(() => {}), NodeError, /^The node is closed/u)
  })

  it("say that Node is too old, with the versions that engines in package.json names", () => {
    const { engines } = JSON.parse(
      readFileSync(new URL("../../package.json", import.meta.url), "utf8")
    ) as { readonly engines: { readonly node: string } }
    assert.strictEqual(engines.node, "^22.19.0 || ^24.0.0 || ^26.0.0")
    for (const version of [undefined, "22.19.0", "24.1.0", "26.0.0", "22.20.1"]) {
      checkNodeVersion(version)
    }
    for (const version of ["20.20.2", "22.18.9", "21.30.0"]) {
      assert.throws(
        () => checkNodeVersion(version),
        NodeError,
        `Node ${version} is too old: rollup-node-api needs Node 22.19, 24, 26 or a later release of these majors`
      )
    }
  })

  it("reject with Aborted and NodeClosed", async () => {
    const { genesis } = newSimulation()
    const node = await openNode({ genesis })
    const request = new Request("http://node/tokens")
    const client = new AbortController()
    const endless = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new ReadableStream(),
      signal: client.signal,
      duplex: "half"
    }
    const posting = node.fetch(new Request("http://node/transactions-pool", endless))
    client.abort()
    assert.strictEqual((await rejectionOf(posting))._tag, "Aborted")
    const busy = await node.listen({ port: 0 })
    const inUse = await rejectionOf(node.listen({ port: busy.port }))
    assert.deepStrictEqual([inUse._tag, inUse.retry], ["ServeError", true])
    await busy.close()
    assert.isTrue(await fetch(busy.url).then(() => false, () => true))
    const last = node.setPrices([])
    await Promise.all([node.close(), node.close()])
    assert.strictEqual((await last).version, 1)
    const late = [
      node.state(),
      node.fetch(request),
      node.listen({ port: 0 }),
      node.pool.reconcile()
    ]
    for (const call of late) {
      assert.strictEqual((await rejectionOf(call))._tag, "NodeClosed")
    }
  })

  it("leave no server behind that was starting when the node was closed", async () => {
    const node = await openNode({ genesis: newSimulation().genesis })
    const starting = node.listen({ port: 0 })
    await node.close()
    assert.isTrue(await fetch((await starting).url).then(() => false, () => true))
  })
})

describe("the values that a node returns", () => {
  it("are plain objects that JSON.stringify accepts", async () => {
    const simulation = newSimulation()
    await using node = await openNode({ genesis: simulation.genesis })
    await applyHistory(node, simulation)
    const page = await node.list("accounts", { limit: 1 })
    const { account, token } = page.items[0]!
    for (const value of [page, page.items, page.items[0], account, token, await node.state()]) {
      assert.deepStrictEqual(JSON.parse(JSON.stringify(value)), toJson(value))
    }
    assert.strictEqual(JSON.parse(JSON.stringify(account)).balance, String(account.balance))
    const copy = structuredClone(account)
    assert.deepStrictEqual(copy, account)
    assert.strictEqual(inspect(account), inspect(copy))
    assert.deepStrictEqual(Object.keys(account), Object.keys(copy))
    const missing = await rejectionOf(node.find("token", untyped("x")))
    assert.deepStrictEqual(JSON.parse(JSON.stringify(missing)).violations, missing.violations)
  })
})
