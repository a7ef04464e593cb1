import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  type MemoryPoolStore,
  memoryReader,
  openMemoryLedger,
  openMemoryPool
} from "../../adapters/memory/mod.ts"
import { dumpStores, noKeys } from "../journal/_store_dump.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"
import {
  changeOf,
  idOf,
  keyOf,
  noteOf,
  ownersOf,
  poolGroupOf,
  poolTransactionOf
} from "../laws/pool/_pool_rows.ts"
import { replayOf, rounds } from "../rounds.ts"
import { genesis } from "../use_cases/_network.ts"

const seed = process.env.SEED ?? String(Date.now() % 1_000_000)
const transactionsMax = 30
const limits = { pendingMax: 1000, pendingPerAccountMax: 1000 }
const reader = memoryReader(openMemoryLedger({ genesis }))

const keys = noKeys()
for (let number = 0; number < transactionsMax; number++) {
  keys.transactions.add(idOf(number))
  keys.addresses.add(`0x${String(number).padStart(40, "0")}`)
}

/** Returns everything that a pool holds. */
const contentOf = (pool: MemoryPoolStore): string =>
  Effect.runSync(dumpStores({ reader, store: pool }, keys))

const whole = { filters: {}, fromArrival: null, order: "ASC", limit: 1000 } as const
const textOfBigInt = (_: string, value: unknown) =>
  typeof value === "bigint" ? String(value) : value

/** A reader that caches an answer for the whole pool, and one for each transaction. */
class CachingReader {
  readonly #pool: MemoryPoolStore
  readonly #answers = new Map<string, { readonly version: number | null; readonly text: string }>()

  constructor(pool: MemoryPoolStore) {
    this.#pool = pool
  }

  /** Caches the answers of now under versions that were read earlier, or now. */
  cache(versions = this.versions()): void {
    const texts = this.#texts()
    for (const [name, version] of versions) {
      this.#answers.set(`${name} ${version}`, { version, text: texts.get(name)! })
    }
  }

  versions(): ReadonlyMap<string, number | null> {
    const { tip } = this.#pool
    return new Map([
      ["the pool", tip.version()],
      ...[...keys.transactions].map((id) => [id, tip.versionOf(id as `0x02${string}`)] as const)
    ])
  }

  /** Fails if an answer of the current version differs from the content. */
  check(): void {
    const texts = this.#texts()
    for (const [name, version] of this.versions()) {
      const known = this.#answers.get(`${name} ${version}`)
      if (known !== undefined) {
        assert.strictEqual(texts.get(name), known.text, `${name} at version ${version}`)
      }
    }
  }

  #texts(): ReadonlyMap<string, string> {
    const textOf = (id: string) =>
      JSON.stringify(
        Effect.runSync(Effect.all([this.#pool.transitions(id), this.#pool.skippedTransaction(id)]))
      )
    return new Map([
      ["the pool", JSON.stringify(Effect.runSync(this.#pool.list(whole)), textOfBigInt)],
      ...[...keys.transactions].map((id) => [id, textOf(id)] as const)
    ])
  }
}

const addressOf = (number: number) => `0x${String(number).padStart(40, "0")}` as const

/** Returns a random write. */
const writeOf = (pool: MemoryPoolStore, random: SeededRandom, atMs: number) => {
  const number = random.below(transactionsMax)
  const id = idOf(number)
  switch (random.below(7)) {
    case 6: {
      const numbers = [0, 1, 2].map((more) => (number + more) % transactionsMax)
      const group = poolGroupOf(numbers, random, atMs)
      return pool.addGroup(
        group.map((transaction) => ({ transaction, ...ownersOf(number) })),
        limits
      )
    }
    case 0:
    case 1:
      return pool.addTransaction(poolTransactionOf(number, random, atMs), ownersOf(number), limits)
    case 2:
      return pool.addAuthorization({
        address: addressOf(number),
        publicKey: keyOf(number),
        signature: `0x${"1".repeat(130)}`,
        timestampMs: atMs
      })
    case 3:
      return pool.skip(
        [noteOf(id, random, atMs), noteOf(idOf(number + 1), random, atMs)],
        [idOf(number + 2)]
      )
    case 4:
      return Effect.flatMap(
        pool.transaction(id),
        (transaction) =>
          pool.change([changeOf(id, random, transaction), changeOf(id, random, transaction)], atMs)
      )
    default:
      return Effect.gen(function*() {
        const [last = null] = yield* pool.settledBatchesBelow({ batchNum: 1e9, limit: 1 })
        const batchNum = Math.max(0, (last?.batchNum ?? 0) + random.of([-2, -1, 1, 1, 1]))
        const to = batchNum === 0 ? null : { batchNum, ethereumBlockHash: keyOf(random.below(9)) }
        const changes = [changeOf(id, random, yield* pool.transaction(id))]
        return yield* pool.settle({ from: last, to, changes }, atMs)
      })
  }
}

describe(`undone writes of a pool (replay: ${replayOf(seed, "test/memory/pool_undo.test.ts")})`, () => {
  it("leave no trace, whatever was written, and later writes have the same results", () => {
    const random = new SeededRandom(seed)
    for (let life = 0; life < rounds({ short: 4, long: 200 }); life++) {
      const pool = openMemoryPool()
      for (let step = 0; step < 40; step++) {
        const before = contentOf(pool)
        const writes = Array.from({ length: 1 + random.below(4) }, (_, index) => {
          const writeSeed = `${seed} ${life} ${step} ${index}`
          return () => Effect.runSync(writeOf(pool, new SeededRandom(writeSeed), step * 10 + index))
        })
        const undone = writes.map((write) => pool.undoable(write))
        const after = contentOf(pool)
        for (const [, undo] of undone.toReversed()) undo()
        assert.strictEqual(contentOf(pool), before)
        const results = writes.map((write) => write())
        assert.deepStrictEqual(results, undone.map(([result]) => result))
        assert.strictEqual(contentOf(pool), after)
      }
    }
  })

  it("never lead back to a version under which a reader has cached another answer", () => {
    const random = new SeededRandom(`${seed} versions`)
    for (let life = 0; life < rounds({ short: 4, long: 100 }); life++) {
      const pool = openMemoryPool()
      const reader = new CachingReader(pool)
      for (let step = 0; step < 30; step++) {
        const write = () => Effect.runSync(writeOf(pool, random, step * 10))
        // the reader takes the versions before it reads, and the write comes in between
        const versions = reader.versions()
        const [, undo] = pool.undoable(write)
        reader.cache(versions)
        reader.cache()
        if (random.chance(0.6)) undo()
        reader.check()
      }
    }
  })
})
