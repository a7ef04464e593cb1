import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { NodeError, openNode, readRecord } from "../../app/embed/mod.ts"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import { rejectionOf, untyped } from "./_network.ts"

/* Lines of a feed, as a host without Effect reads them, and the errors that it does not catch. */

const [genesisLine = "", ...lines] = writeFeed(simulate({ seed: 1, placeholderRoots: true }), 20)
const genesisJson = JSON.parse(genesisLine)
const { genesis } = simulate({ seed: 1 })

const thrownBy = (call: () => unknown): NodeError => {
  try {
    call()
  } catch (error) {
    assert.instanceOf(error, NodeError)
    return error
  }
  return assert.fail("It returned")
}

describe("readRecord", () => {
  it("returns each record of a feed, and throws all violations of another line", () => {
    assert.deepStrictEqual(readRecord(genesisLine), { kind: "genesis", genesis })
    const simulation = simulate({ seed: 1, placeholderRoots: true })
    for (const line of lines) assert.deepStrictEqual(readRecord(line), simulation.next())
    for (
      const [line, ...paths] of [
        ["", ""],
        ["{", ""],
        ["7", ""],
        ["null", ""],
        ['{"kind":"pries"}', ""],
        ['{"kind":"rollBack","toBlock":1}', "/toBlock"],
        [
          '{"kind":"block","block":{"number":"x"}}',
          "/block/number",
          "/block/hash",
          "/block/parentHash",
          "/block/timestampMs"
        ],
        [
          '{"kind":"prices","prices":[{"tokenId":-1,"priceUSD":"2","timeMs":1,"x":1}]}',
          "/prices/0/x",
          "/prices/0/tokenId",
          "/prices/0/priceUSD"
        ]
      ]
    ) {
      const { _tag, message, violations } = thrownBy(() => readRecord(line!))
      assert.strictEqual(_tag, "BadInput")
      assert.deepStrictEqual(violations.map(({ path }) => path), paths, message)
    }
    assert.include(thrownBy(() => readRecord(`\ufeff${lines[0]}`)).message, "no byte order mark")
  })

  it("is what applyRecord names if it gets the line, or the JSON of the line", async () => {
    await using node = await openNode({ genesis })
    for (const input of [lines[0], JSON.parse(lines[0]!), { kind: "rollBack", toBlock: "1" }]) {
      const error = await rejectionOf(node.applyRecord(untyped(input)))
      assert.strictEqual(error._tag, "BadInput")
      assert.match(error.message, /: read the line with readRecord\(line\)$/u)
    }
    await node.applyRecord(readRecord(lines[0]!))
  })
})

describe("the genesis of a node", () => {
  it("is the one of a simulation, a genesis record, or the JSON of one", async () => {
    const numbers: Array<bigint> = []
    for (const each of [genesis, { kind: "genesis", genesis }, genesisJson]) {
      await using node = await openNode({ genesis: each })
      numbers.push((await node.state()).snapshotId.ethereumBlockNum)
    }
    const { number } = genesis.block
    assert.deepStrictEqual(numbers, [number, number, number])
    const wrong = { ...genesisJson, genesis: { ...genesisJson.genesis, block: { number: "q" } } }
    const error = await rejectionOf(openNode({ genesis: wrong }))
    assert.deepStrictEqual(error.violations.map(({ path }) => path), [
      "/genesis/block/number",
      "/genesis/block/hash",
      "/genesis/block/timestampMs"
    ])
  })
})

describe("an error that the host does not catch", () => {
  const door = join(import.meta.dirname, "../../app/embed/mod.ts")
  const simulator = join(import.meta.dirname, "../../app/simulator/mod.ts")
  const run = (script: string) =>
    new Promise<string>((resolve) => {
      const source = `import { openNode, readRecord } from ${JSON.stringify(door)}
        import { simulate } from ${JSON.stringify(simulator)}
        const { genesis, next } = simulate({ seed: 1, placeholderRoots: true })
        ${script}`
      const words = ["--input-type=module", "--conditions=rollup-node-source", "-e", source]
      execFile(process.execPath, words, (_, __, stderr) => resolve(stderr))
    })

  it.each([
    ["an option", "await openNode({ genesis: { block: {} } })", "/genesis/network is missing"],
    ["a line", 'readRecord(`{"kind":"block","block":{}}`)', "/block/number is missing"],
    [
      "a block",
      "const node = await openNode({ genesis }); await node.applyBlock({ ...next().block, hash: 7, batches: Array(99).fill({}) })",
      "/hash has the invalid value 7"
    ],
    [
      "a query",
      "const node = await openNode({ genesis }); await node.list(`tokens`, { limit: 0 })",
      "limit has the invalid value 0"
    ]
  ])("prints its message and violations in at most 30 lines: %s", async (_, script, expected) => {
    const printed = await run(script)
    assert.include(printed, expected)
    assert.isAtMost(printed.trim().split("\n").length, 30, printed)
    assert.notMatch(printed, /\bast\b|SchemaIssue|annotations/u)
  })
})
