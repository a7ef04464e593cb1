/*
 * Every feed is written and read without loss, and every record is applied or refused without a
 * defect. To replay one network:
 *
 *     SEED=123 npm test -- test/properties/feed.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Cause, Effect, Exit } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { type FeedRecord, readFeedLine, writeFeedLine } from "../../core/domain/mod.ts"
import { agreesWith, applyAll, generators, inputGenerators, replay } from "../laws/mod.ts"
import { memoryLedger, networkOf, optionsOf, runs, seeds, titled } from "./_networks.ts"

const { choice, integer, oneOf } = generators
const { mutated, arbitraryText } = inputGenerators

type Json = null | boolean | number | string | ReadonlyArray<Json> | {
  readonly [key: string]: Json
}

/** Values of a wrong kind: bounds, zeros, other types. */
const strange: ReadonlyArray<Json> = [
  0,
  1,
  2,
  255,
  256,
  257,
  4294967295,
  2 ** 48 - 1,
  "0",
  "1",
  "256",
  String((1n << 40n) - 1n),
  String(1n << 40n),
  String(1n << 64n),
  String(1n << 128n),
  String(1n << 192n),
  "9".repeat(78),
  null,
  true,
  false,
  [],
  {},
  "",
  `0x${"0".repeat(40)}`,
  `0x${"f".repeat(40)}`,
  "0".repeat(64),
  "f".repeat(64),
  `0x${"0".repeat(64)}`
]

/** Changes one leaf or one list of a tree; `at` is its number. */
function change(tree: Json, at: number, how: (old: Json) => Json): Json {
  let left = at % Math.max(1, places(tree))
  const walk = (node: Json): Json => {
    if (left-- === 0) return how(node)
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node === "object" && node !== null) {
      return Object.fromEntries(Object.entries(node).map(([key, inside]) => [key, walk(inside)]))
    }
    return node
  }
  return walk(tree)
}

const places = (tree: Json): number =>
  1 +
  (typeof tree === "object" && tree !== null
    ? Object.values(tree).reduce((sum: number, inside: Json) => sum + places(inside), 0)
    : 0)

const wound = Arbitrary.map(
  Arbitrary.all([integer(0, 9999), integer(0, 5), oneOf(strange)]),
  ([at, kind, value]) => (tree: Json): Json =>
    change(tree, at, (old) => {
      if (Array.isArray(old)) {
        return [old.slice(0, -1), old.slice(1), [...old, ...old.slice(-1)], old.toReversed(), [
          ...old.slice(1),
          ...old.slice(0, 1)
        ], []][kind] as Json
      }
      if (kind === 0 && typeof old === "number") return old + 1
      if (kind === 1 && typeof old === "string" && /^[1-9]\d*$/u.test(old)) {
        return String(BigInt(old) - 1n)
      }
      return value
    })
)

for (const seed of seeds) {
  describe(titled(seed, "test/properties/feed.test.ts"), () => {
    const { genesis, records } = networkOf(optionsOf(seed), 250)
    const whole: ReadonlyArray<FeedRecord> = [{ kind: "genesis", genesis }, ...records]

    it("a record that is written as a line reads back as it was", () => {
      for (const record of whole) {
        const line = writeFeedLine(record)
        assert.notInclude(line, "\n")
        assert.deepStrictEqual(
          Exit.getSuccess(readFeedLine(line)),
          Exit.getSuccess(Exit.succeed(record))
        )
      }
    })

    it.effect("a mutated line is refused or read, without a defect", () =>
      Effect.gen(function*() {
        const lines = mutated(Arbitrary.map(oneOf(whole), writeFeedLine))
        const result = yield* Arbitrary.checkEffect(choice([lines, arbitraryText]), (line) => {
          const exit = readFeedLine(line)
          assert(Exit.isSuccess(exit) || Cause.findErrorOption(exit.cause)._tag === "Some", line)
          return true
        }, { seed, runs })
        assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
      }))

    it.effect("a block with any values is refused and changes nothing, or applied as the domain defines", () =>
      Effect.scoped(Effect.gen(function*() {
        const { ledger, reader } = yield* memoryLedger(genesis)
        const chosen = yield* Effect.orDie(
          Arbitrary.sampleEffect(integer(0, records.length - 1), { count: 12, seed })
        )
        let applied = 0
        let refused = 0
        for (const [at, record] of records.entries()) {
          if (record.kind === "block" && chosen.includes(at)) {
            const plain = JSON.parse(writeFeedLine(record)) as Json
            const mutations = yield* Effect.orDie(
              Arbitrary.sampleEffect(Arbitrary.array(wound, { minLength: 1, maxLength: 2 }), {
                count: runs * 3,
                seed: `${seed}/${at}`
              })
            )
            for (const wounded of mutations) {
              const line = JSON.stringify(wounded.reduce((tree, hurt) => hurt(tree), plain))
              const read = readFeedLine(line)
              if (Exit.isFailure(read) || read.value.kind !== "block") continue
              const snapshotId = yield* reader.snapshotId
              const exit = yield* Effect.exit(Effect.suspend(() => ledger.applyRecord(read.value)))
              if (Exit.isSuccess(exit)) {
                applied++
                if (applied % 3 === 0) {
                  const facts = replay(genesis, [...records.slice(0, at), read.value], keccak256)
                  yield* agreesWith(reader, facts, () => line)
                }
                yield* Effect.exit(ledger.rollBack(record.block.number - 1n))
                assert.strictEqual(
                  (yield* reader.snapshotId).ethereumBlockNum,
                  snapshotId.ethereumBlockNum
                )
              } else {
                refused++
                const failure = Cause.findErrorOption(exit.cause)
                assert(
                  failure._tag === "Some" && failure.value._tag === "BlockViolation",
                  `${Cause.pretty(exit.cause)}\n${line}`
                )
                assert.deepStrictEqual(yield* reader.snapshotId, snapshotId)
              }
            }
          }
          yield* applyAll(ledger, [record])
        }
        assert.isAbove(applied, 0)
        assert.isAbove(refused, 0)
      })))
  })
}
