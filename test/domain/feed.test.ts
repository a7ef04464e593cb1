import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { MerkleProofFeed, readFeedLine, slotNumMax, writeFeedLine } from "../../core/domain/mod.ts"
import { block101, block104 } from "../use_cases/_chain.ts"
import { genesis } from "../use_cases/_network.ts"

type Json = { [name: string]: Json } & Array<Json>
const lines = {
  genesis: writeFeedLine({ kind: "genesis", genesis }),
  block: writeFeedLine({ kind: "block", block: block104 }),
  first: writeFeedLine({ kind: "block", block: block101 })
}

/** Returns a line with another value at a path. */
function lineWith(line: keyof typeof lines, path: string, value: unknown): string {
  const record = JSON.parse(lines[line]) as Json
  const keys = path.split("/")
  const last = keys.pop()!
  keys.reduce((inside, key) => inside[key]!, record)[last] = value as Json
  return JSON.stringify(record)
}
/** Returns why a line is refused; an empty text if it is read. */
const refusalOf = (...given: Parameters<typeof lineWith>) => {
  const read = readFeedLine(lineWith(...given))
  return Exit.isFailure(read) ? String(read.cause) : ""
}

const [key, address] = ["a".repeat(64), `0x${"a".repeat(40)}`]
const seconds = [
  "constants/withdrawalDelayer/maxWithdrawalDelay",
  "constants/withdrawalDelayer/maxEmergencyModeTime",
  "variables/rollup/withdrawalDelay",
  "variables/withdrawalDelayer/withdrawalDelay",
  "variables/withdrawalDelayer/emergencyModeStartingTime"
]
const afterSlots = 10n * BigInt(slotNumMax + 1)
const lastBlock = genesis.block.number + afterSlots - 1n
const lastAuction = (1n << 64n) - afterSlots

/** Values of a place that are read, and values that are not. */
type Verdicts = readonly [
  line: keyof typeof lines,
  path: string,
  read: ReadonlyArray<unknown>,
  refused: ReadonlyArray<unknown>
]
const verdicts: ReadonlyArray<Verdicts> = [
  // big numbers have plain digits, 78 of them at most
  [
    "block",
    "block/batches/0/stateRoot",
    ["0", "5", "9".repeat(78)],
    ["0x10", " 5", "5 ", "05", "-5", "5n", "", "1".repeat(79)]
  ],
  ["block", "block/batches/0/exits/0/accountIndex", [2 ** 48 - 1], [2 ** 48, -1, 0.5]],
  ["block", "block/batches/0/l2/0/fee", [255], [256, -1, 0.5]],
  ["block", "block/batches/0/batchNum", [2 ** 32 - 1], [2 ** 32, -1, 0.5]],
  ...seconds.map((path): Verdicts => ["genesis", `genesis/${path}`, [2 ** 53 - 1], [2 ** 53]]),
  [
    "first",
    "block/l1UserTransactions/0/fromPublicKey",
    [key],
    [`${key}a`, key.slice(1), key.toUpperCase(), `0x${key}`]
  ],
  [
    "first",
    "block/l1UserTransactions/0/fromAddress",
    [address],
    [`${address}a`, address.slice(0, -1), address.toUpperCase(), ` ${address}`]
  ],
  // 1 to 16 lower-case letters and digits, a letter first
  [
    "genesis",
    "genesis/network/prefix",
    ["z", "hez", "a2345678901234z9"],
    ["a2345678901234z90", "1z", "Zk", "zk!", "!zk", ""]
  ],
  // the slot of the genesis block has a number, and all slots end before block 2^64
  ["genesis", "genesis/block/number", [`${lastBlock}`], [`${lastBlock + 1n}`]],
  [
    "genesis",
    "genesis/constants/auction/genesisBlockNum",
    [`${lastAuction}`],
    [`${lastAuction + 1n}`]
  ]
]

/** Places with a wrong value, and what the refusal expects. */
const expectations: ReadonlyArray<readonly [...Parameters<typeof lineWith>, expected: string]> = [
  ["block", "block/batches/0/stateRoot", "x", "a decimal integer of at most 78 digits"],
  ["block", "block/number", `${1n << 64n}`, `an integer from 0 to ${(1n << 64n) - 1n}`],
  ["block", "block/hash", "x", "0x and 64 lower-case hexadecimal digits"],
  ["first", "block/l1UserTransactions/0/fromPublicKey", "x", "64 lower-case hexadecimal digits"],
  [
    "genesis",
    "genesis/constants/auction/genesisBlockNum",
    `${(1n << 64n) - 1n}`,
    "a block after which 2^32 slots end before block 2^64"
  ],
  ["block", "block", 5, "an object"],
  ["block", "kind", "x", "a record of kind genesis, block, rollBack, prices or head"],
  [
    "genesis",
    "genesis/network/prefix",
    "X",
    "1 to 16 lower-case letters and digits, a letter first"
  ]
]

describe("a line of a feed", () => {
  it("is read as it was written", () => {
    for (const line of Object.values(lines)) {
      assert.isTrue(Exit.isSuccess(readFeedLine(line)), line)
    }
  })

  for (const [line, path, read, refused] of verdicts) {
    it(`has values within the bounds at ${path}`, () => {
      for (const value of read) assert.strictEqual(refusalOf(line, path, value), "")
      for (const value of refused) {
        assert.notStrictEqual(refusalOf(line, path, value), "", `${value}`)
      }
    })
  }

  it("is refused with the expected value", () => {
    for (const [line, path, value, expected] of expectations) {
      assert.include(refusalOf(line, path, value), `Expected ${expected}`)
    }
  })

  it("is refused with all violations, unknown members included", () => {
    const record = JSON.parse(lines.block) as Json
    Object.assign(record["block"]!, { hash: "0x", parentHash: 7, amountt: 1 })
    const refused = readFeedLine(JSON.stringify(record))
    const message = Exit.isFailure(refused) ? String(refused.cause) : ""
    for (const member of ["hash", "parentHash", "amountt"]) assert.include(message, `["${member}"]`)
  })

  it("contains no number that it could not write in 78 digits", () => {
    const { merkleProof } = block104.batches![0]!.exits![0]!
    const isProof = Schema.is(Schema.toType(MerkleProofFeed))
    assert.deepStrictEqual(
      [10n ** 78n - 1n, 10n ** 78n].map((value) => isProof({ ...merkleProof, value })),
      [true, false]
    )
  })
})
