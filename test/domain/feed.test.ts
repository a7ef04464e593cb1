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
const isRead = (...given: Parameters<typeof lineWith>) =>
  Exit.isSuccess(readFeedLine(lineWith(...given)))

describe("a line of a feed", () => {
  it("is read as it was written", () => {
    for (const line of Object.values(lines)) {
      assert.strictEqual(Exit.isSuccess(readFeedLine(line)), true, line)
    }
  })

  it("has big numbers in plain digits, 78 of them at most", () => {
    for (const text of ["0x10", " 5", "5 ", "05", "-5", "5n", "", "1".repeat(79)]) {
      assert.isFalse(isRead("block", "block/batches/0/stateRoot", text), text)
    }
    for (const text of ["0", "5", "9".repeat(78)]) {
      assert.isTrue(isRead("block", "block/batches/0/stateRoot", text), text)
    }
  })

  it("has numbers up to their maximum, and no greater ones", () => {
    const bounds = [["block/batches/0/exits/0/accountIndex", 2 ** 48 - 1], [
      "block/batches/0/l2/0/fee",
      255
    ], ["block/batches/0/batchNum", 2 ** 32 - 1]] as const
    for (const [path, greatest] of bounds) {
      assert.deepStrictEqual(
        [greatest, greatest + 1, -1, 0.5].map((value) => isRead("block", path, value)),
        [true, false, false, false],
        path
      )
    }
    const seconds = [
      "constants/withdrawalDelayer/maxWithdrawalDelay",
      "constants/withdrawalDelayer/maxEmergencyModeTime",
      "variables/rollup/withdrawalDelay",
      "variables/withdrawalDelayer/withdrawalDelay",
      "variables/withdrawalDelayer/emergencyModeStartingTime"
    ]
    for (const path of seconds) {
      assert.deepStrictEqual(
        [2 ** 53 - 1, 2 ** 53].map((value) => isRead("genesis", `genesis/${path}`, value)),
        [true, false],
        path
      )
    }
  })

  it("has keys and addresses of their length in lower-case digits", () => {
    const key = "a".repeat(64)
    const keys = [key, `${key}a`, key.slice(1), key.toUpperCase(), `0x${key}`]
    assert.deepStrictEqual(
      keys.map((text) => isRead("first", "block/l1UserTransactions/0/fromPublicKey", text)),
      [true, false, false, false, false]
    )
    const address = `0x${"a".repeat(40)}`
    const addresses = [
      address,
      `${address}a`,
      address.slice(0, -1),
      address.toUpperCase(),
      ` ${address}`
    ]
    assert.deepStrictEqual(
      addresses.map((text) => isRead("first", "block/l1UserTransactions/0/fromAddress", text)),
      [true, false, false, false, false]
    )
  })

  it("names a network by 1 to 16 lower-case letters and digits, a letter first", () => {
    const prefixes = [
      "z",
      "hez",
      "a2345678901234z9",
      "a2345678901234z90",
      "1z",
      "Zk",
      "zk!",
      "!zk",
      ""
    ]
    assert.deepStrictEqual(
      prefixes.map((prefix) => isRead("genesis", "genesis/network/prefix", prefix)),
      [true, true, true, false, false, false, false, false, false]
    )
  })

  it("has a genesis block whose slot has a number, and slots that all end before block 2^64", () => {
    const last = genesis.block.number + 10n * BigInt(slotNumMax + 1) - 1n
    assert.deepStrictEqual(
      [last, last + 1n].map((number) => isRead("genesis", "genesis/block/number", String(number))),
      [true, false]
    )
    const latest = (1n << 64n) - 10n * BigInt(slotNumMax + 1)
    assert.deepStrictEqual(
      [latest, latest + 1n].map((number) =>
        isRead("genesis", "genesis/constants/auction/genesisBlockNum", String(number))
      ),
      [true, false]
    )
  })

  it("is refused with all violations, unknown members included", () => {
    const record = JSON.parse(lines.block) as Json
    Object.assign(record["block"]!, { hash: "0x", parentHash: 7, amountt: 1 })
    const refused = readFeedLine(JSON.stringify(record))
    const message = Exit.isFailure(refused) ? String(refused.cause) : ""
    for (const member of ["hash", "parentHash", "amountt"]) assert.include(message, `["${member}"]`)
  })

  it("is refused with the expected value", () => {
    const expected = (...given: Parameters<typeof lineWith>) => {
      const refused = readFeedLine(lineWith(...given))
      return Exit.isFailure(refused) ? String(refused.cause) : ""
    }
    assert.include(
      expected("block", "block/batches/0/stateRoot", "x"),
      "Expected a decimal integer of at most 78 digits"
    )
    assert.include(
      expected("block", "block/number", String(1n << 64n)),
      `Expected an integer from 0 to ${(1n << 64n) - 1n}`
    )
    assert.include(
      expected("block", "block/hash", "x"),
      "Expected 0x and 64 lower-case hexadecimal digits"
    )
    assert.include(
      expected("first", "block/l1UserTransactions/0/fromPublicKey", "x"),
      "Expected 64 lower-case hexadecimal digits"
    )
    assert.include(
      expected("genesis", "genesis/constants/auction/genesisBlockNum", String((1n << 64n) - 1n)),
      "Expected a block after which 2^32 slots end before block 2^64"
    )
    assert.include(expected("block", "block", 5), "Expected an object")
    const unknownKind = readFeedLine("{}")
    assert.include(
      Exit.isFailure(unknownKind) ? String(unknownKind.cause) : "",
      "Expected a record of kind genesis, block, rollBack, prices or head"
    )
    assert.include(
      expected("genesis", "genesis/network/prefix", "X"),
      "Expected 1 to 16 lower-case letters and digits, a letter first"
    )
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
