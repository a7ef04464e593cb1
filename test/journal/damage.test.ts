import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { exportFeed } from "../../adapters/journal/mod.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { type FeedRecord, writeFeedLine } from "../../core/domain/mod.ts"
import { replayOf, rounds } from "../rounds.ts"
import { ledgerOver, type OpenedStores, openStores, temporaryDirectory } from "./_directories.ts"
import { seededRandom } from "./_script.ts"
import { dumpStores, noKeys } from "./_store_dump.ts"

/* A damaged directory is refused without a change to it, or it is opened with all its content. */

const seed = process.env.SEED ?? String(Date.now() % 1_000_000)
const flips = rounds({ short: 24, long: 400 })

const simulation = simulate({
  seed: "damage",
  users: 12,
  tokens: 3,
  transactionsPerBlock: 4,
  rollBackPeriodBlocks: 9,
  placeholderRoots: true
})
const { genesis } = simulation
const records: ReadonlyArray<FeedRecord> = [...initialHistory(simulation, 120)]
const names = ["journal.sqlite", "journal.sqlite-wal", "acknowledged", "holder.json"] as const

const write = (stores: OpenedStores, some: ReadonlyArray<FeedRecord>) =>
  Effect.flatMap(
    ledgerOver(genesis, stores),
    (ledger) => Effect.forEach(some, (record) => ledger.applyRecord(record), { discard: true })
  )

/** Returns the names, sizes, times and digests of the files of a directory. */
const contentOf = (directory: string): string =>
  readdirSync(directory).sort().map((name) => {
    const status = statSync(join(directory, name))
    if (!status.isFile()) return `${name} is a directory`
    const { mtimeMs, size } = status
    const digest = createHash("sha256").update(readFileSync(join(directory, name))).digest("hex")
    return `${name} ${size} ${mtimeMs} ${digest}`
  }).join("\n")

type Damage = readonly [name: string, change: (directory: string) => void]

/** Every damage of one file; `other` is a directory of the same network with fewer records. */
const damagesOf = (name: string, other: string): ReadonlyArray<Damage> => {
  const random = seededRandom(`${seed} ${name}`)
  const share = (directory: string, part: number) =>
    Math.floor(statSync(join(directory, name)).size * part)
  return [
    ...Array.from({ length: flips }, (_, flip): Damage => [
      `flipped bits ${flip} of ${name}`,
      (directory) => {
        const bytes = readFileSync(join(directory, name))
        bytes[Math.floor(random() * bytes.length)]! ^= 1 + Math.floor(random() * 255)
        writeFileSync(join(directory, name), bytes)
      }
    ]),
    ...[0, 0.01, 0.5, 0.99].map((part): Damage => [
      `${name} truncated to ${part}`,
      (directory) => truncateSync(join(directory, name), share(directory, part))
    ]),
    [`${name} deleted`, (directory) => rmSync(join(directory, name))],
    [`${name} longer`, (directory) => appendFileSync(join(directory, name), "garbage")],
    [
      `${name} overwritten`,
      (directory) =>
        writeFileSync(join(directory, name), Buffer.alloc(share(directory, 1), "garbage"))
    ],
    [`${name} of another directory`, (directory) => {
      if (existsSync(join(other, name))) copyFileSync(join(other, name), join(directory, name))
    }]
  ]
}

/** Changes of the records, and other files. */
const changes: ReadonlyArray<Damage> = [
  ...[
    "UPDATE record SET text = replace(text, 'kind', 'kinD') WHERE seq = 7",
    "UPDATE record SET kind = 'pool' WHERE seq = 7",
    "DELETE FROM record WHERE seq = 7",
    "DELETE FROM record WHERE seq = (SELECT max(seq) FROM record)",
    "DELETE FROM record",
    "DELETE FROM head",
    "DROP TABLE head",
    "DROP TABLE record",
    "DROP TABLE network",
    "DELETE FROM network",
    "UPDATE network SET genesis = replace(genesis, 'chainId', 'chain')",
    "PRAGMA user_version = 3",
    "DROP TABLE checkpoint",
    "PRAGMA application_id = 7"
  ].map((statement): Damage => [statement, (directory) => {
    const database = new DatabaseSync(join(directory, "journal.sqlite"))
    // the change stays in the write-ahead log, as after a crash
    const reader = new DatabaseSync(join(directory, "journal.sqlite"), { readOnly: true })
    reader.exec("BEGIN")
    reader.prepare("PRAGMA application_id").get()
    database.exec(statement)
    database.close()
    reader.close()
    rmSync(join(directory, "journal.sqlite-shm"), { force: true })
  }]),
  ["a directory in place of the last number", (directory) => {
    rmSync(join(directory, "acknowledged"))
    mkdirSync(join(directory, "acknowledged"))
  }],
  [
    "a rollback journal",
    (directory) => writeFileSync(join(directory, "journal.sqlite-journal"), Buffer.alloc(1024, 7))
  ]
]

describe(`a damaged directory (replay: ${replayOf(seed, "test/journal/damage.test.ts")})`, () => {
  for (const isCrashed of [false, true]) {
    it.live(
      `is refused and not a byte of it changes, or it is opened with all its content, after ${
        isCrashed ? "a crash" : "a shutdown"
      }`,
      () =>
        Effect.scoped(Effect.gen(function*() {
          const [directory, other, template] = [
            yield* temporaryDirectory,
            yield* temporaryDirectory,
            yield* temporaryDirectory
          ]
          yield* Effect.scoped(
            Effect.flatMap(
              openStores(other, genesis),
              (stores) => write(stores, records.slice(0, 9))
            )
          )
          const content = yield* Effect.scoped(Effect.gen(function*() {
            yield* Effect.scoped(
              Effect.flatMap(
                openStores(directory, genesis),
                (stores) => write(stores, records.slice(0, -9))
              )
            )
            const stores = yield* openStores(directory, genesis)
            yield* write(stores, records.slice(-9))
            if (isCrashed) cpSync(directory, template, { recursive: true })
            return yield* dumpStores(stores, noKeys())
          }))
          if (!isCrashed) cpSync(directory, template, { recursive: true })
          const damages = [
            ...names.filter((name) => existsSync(join(template, name))).flatMap((name) =>
              damagesOf(name, other)
            ),
            ...changes
          ]
          let refused = 0
          for (const [name, damage] of damages) {
            const copy = yield* temporaryDirectory
            cpSync(template, copy, { recursive: true })
            damage(copy)
            const before = contentOf(copy)
            yield* Effect.exit(Effect.scoped(Effect.map(exportFeed(copy), (feed) => [...feed])))
            assert.strictEqual(contentOf(copy), before, `${name}: an export changes the directory`)
            const answer = yield* Effect.result(
              Effect.scoped(
                Effect.flatMap(openStores(copy, genesis), (opened) => dumpStores(opened, noKeys()))
              )
            )
            if (answer._tag === "Success") assert.strictEqual(answer.success, content, name)
            else {
              refused++
              assert.include(answer.failure.message, `"${copy}`, name)
              assert.strictEqual(contentOf(copy), before, `${name}: ${answer.failure.message}`)
            }
            rmSync(copy, { recursive: true })
          }
          assert.isAbove(refused, 20)
        })),
      rounds({ short: 60_000, long: 600_000 })
    )
  }

  it.live("is refused without a change if it belongs to another network", () =>
    Effect.scoped(Effect.gen(function*() {
      const [directory, crashed] = [yield* temporaryDirectory, yield* temporaryDirectory]
      const stores = yield* openStores(directory, genesis)
      yield* write(stores, records)
      cpSync(directory, crashed, { recursive: true })
      const before = contentOf(crashed)
      const other = simulate({ seed: "other" }).genesis
      const { reason } = yield* Effect.flip(Effect.scoped(openStores(crashed, other)))
      assert.strictEqual(reason, "otherNetwork")
      assert.strictEqual(contentOf(crashed), before)
      // a directory in use keeps its files too
      const inUse = contentOf(directory)
      assert.strictEqual(
        (yield* Effect.flip(Effect.scoped(openStores(directory, genesis)))).reason,
        "inUse"
      )
      assert.strictEqual(contentOf(directory), inUse)
      const feed = yield* Effect.scoped(Effect.map(exportFeed(crashed), (lines) => [...lines]))
      assert.deepStrictEqual(feed.slice(1), records.map(writeFeedLine))
      assert.strictEqual(contentOf(crashed), before)
    })))
})
