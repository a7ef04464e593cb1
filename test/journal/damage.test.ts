import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { exportFeed } from "../../adapters/journal/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { writeFeedLine } from "../../core/domain/mod.ts"
import { replayOf, rounds } from "../rounds.ts"
import {
  applyRecords,
  contentIn,
  filesIn,
  openStores,
  smallNetwork,
  temporaryDirectory
} from "./_directories.ts"
import { seededRandom } from "./_script.ts"
import { dumpStores, noKeys } from "./_store_dump.ts"

/* A damaged directory is refused without a change to it, or it is opened with all its content. */

const seed = process.env.SEED ?? String(Date.now() % 1_000_000)
const flips = rounds({ short: 12, long: 400 })

const { genesis, records } = smallNetwork("damage", 60)
const names = ["journal.sqlite", "journal.sqlite-wal", "acknowledged", "holder.json"] as const

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

/** Changes of what the journal has written, which no start accepts. */
const refusedChanges: ReadonlyArray<string> = [
  `UPDATE record SET text = replace(text, '"kind":"block"', '"kind":"blocK"') WHERE seq = 7`,
  "UPDATE record SET kind = 'pool' WHERE seq = 7",
  "UPDATE record SET time_ms = time_ms + 1",
  "UPDATE record SET version = version + 1",
  "DELETE FROM record WHERE seq = 7",
  "DELETE FROM record WHERE seq = (SELECT max(seq) FROM record)",
  `INSERT INTO record SELECT max(seq) + 1, 'ledger', '{"kind":"rollBack","toBlock":"18000000"}', NULL, NULL, 1 FROM record`,
  "DELETE FROM head",
  `UPDATE network SET genesis = replace(genesis, '"chainId"', '"chain"')`
]

/** Changes of the records, and other files. */
const changes: ReadonlyArray<Damage> = [
  ...[
    ...refusedChanges,
    "DELETE FROM record",
    "DROP TABLE head",
    "DROP TABLE record",
    "DROP TABLE network",
    "DELETE FROM network",
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
              (stores) => applyRecords(genesis, stores, records.slice(0, 9))
            )
          )
          const content = yield* Effect.scoped(Effect.gen(function*() {
            yield* Effect.scoped(
              Effect.flatMap(
                openStores(directory, genesis),
                (stores) => applyRecords(genesis, stores, records.slice(0, -9))
              )
            )
            const stores = yield* openStores(directory, genesis)
            yield* applyRecords(genesis, stores, records.slice(-9))
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
            const before = filesIn(copy)
            yield* Effect.exit(Effect.scoped(Effect.map(exportFeed(copy), (feed) => [...feed])))
            assert.deepStrictEqual(
              filesIn(copy),
              before,
              `${name}: an export changes the directory`
            )
            const answer = yield* Effect.result(
              contentIn(copy, genesis)
            )
            if (answer._tag === "Success") {
              assert.notInclude(refusedChanges, name)
              assert.strictEqual(answer.success, content, name)
            } else {
              refused++
              if (refusedChanges.includes(name)) {
                assert.include(["damaged", "otherNetwork"], answer.failure.reason, name)
              }
              assert.include(answer.failure.message, `"${copy}`, name)
              assert.deepStrictEqual(filesIn(copy), before, `${name}: ${answer.failure.message}`)
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
      yield* applyRecords(genesis, stores, records)
      cpSync(directory, crashed, { recursive: true })
      const before = filesIn(crashed)
      const other = simulate({ seed: "other" }).genesis
      const { reason } = yield* Effect.flip(Effect.scoped(openStores(crashed, other)))
      assert.strictEqual(reason, "otherNetwork")
      assert.deepStrictEqual(filesIn(crashed), before)
      // a directory in use keeps its files too
      const inUse = filesIn(directory)
      assert.strictEqual(
        (yield* Effect.flip(Effect.scoped(openStores(directory, genesis)))).reason,
        "inUse"
      )
      assert.deepStrictEqual(filesIn(directory), inUse)
      const feed = yield* Effect.scoped(Effect.map(exportFeed(crashed), (lines) => [...lines]))
      assert.deepStrictEqual(feed.slice(1), records.map(writeFeedLine))
      assert.deepStrictEqual(filesIn(crashed), before)
    })))
})
