/*
 * An audit of a data directory and of a feed finds nothing in stored records, and names every
 * damage and its place.
 */
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll, vi } from "vitest"
import { Effect, Layer, Result } from "effect"
import { cpSync, linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { deserialize, serialize } from "node:v8"
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib"
import { exitTree } from "../../adapters/crypto/mod.ts"
import { auditJournal, journaledStores, JournalStores } from "../../adapters/journal/mod.ts"
import { nodeOver } from "../../app/node/layers.ts"
import { driveOnce, initialHistory, simulate } from "../../app/simulator/mod.ts"
import { treeHashes } from "../../app/commands/verify/verify.ts"
import { lastVerification, saveVerification } from "../../app/commands/verification.ts"
import { verifyFeed } from "../../app/commands/verify/verify_feed.ts"
import { type FeedRecord, writeFeedLine } from "../../core/domain/mod.ts"
import { LedgerWriter, PoolStore } from "../../core/ports/mod.ts"
import { type AuditOptions, type AuditReport, Findings, Ledger } from "../../core/use_cases/mod.ts"
import { authorizationOf } from "../laws/pool/_pool_rows.ts"
import { withHeads } from "../properties/_heads.ts"
import { withGaps } from "../laws/mod.ts"
import { honest } from "./_stores.ts"

const simulation = simulate({ seed: "1", rollBackPeriodBlocks: 6 })
const { genesis } = simulation
const withAllHeads: ReadonlyArray<FeedRecord> = [...withHeads(initialHistory(simulation, 400))]
// the simulation continues after the last block, so that no head may follow it
const records = withAllHeads.slice(
  0,
  withAllHeads.findLastIndex(({ kind }) => kind !== "head") + 1
)
const gapped = withGaps(genesis, records.filter(({ kind }) => kind !== "head"), "1")
const exits = records.flatMap((record) => record.kind === "block" ? record.block.batches ?? [] : [])
  .flatMap((batch) => batch.exits)

const options: AuditOptions = {
  onProgress: () => Effect.void,
  buildExitTrees: (batches) => Effect.sync(() => batches.map(exitTree)),
  tree: null
}

/** A directory needs no connections. */
const settings = {} as Parameters<typeof saveVerification>[2]

const directories = mkdtempSync(join(tmpdir(), "audit-"))
const sound = join(directories, "sound")
const storesOf = (directory: string) => journaledStores({ directory, genesis, closingMs: 0 })

/** Writes records to a directory, and then what a program writes. */
const write = (
  directory: string,
  written: ReadonlyArray<FeedRecord>,
  after: Effect.Effect<unknown, unknown, Layer.Success<ReturnType<typeof nodeOver>>> = Effect.void
) =>
  Effect.scoped(Effect.provide(
    Effect.andThen(
      Effect.flatMap(Ledger, (ledger) => Effect.forEach(written, ledger.applyRecord)),
      after
    ),
    Layer.fresh(nodeOver(storesOf(directory), { genesis, verifier: honest }))
  ))

beforeAll(
  () =>
    Effect.runPromise(write(sound, records, Effect.repeat(driveOnce(simulation), { times: 2 }))),
  60_000
)
afterAll(() => rmSync(directories, { recursive: true, force: true }))

const audited = (
  directory: string,
  { tree = false }: { readonly tree?: boolean } = {}
): Effect.Effect<AuditReport, unknown> =>
  Effect.gen(function*() {
    const findings = new Findings()
    yield* auditJournal(directory, { ...options, tree: tree ? treeHashes : null }, findings)
    return findings.report()
  })

/** Returns the report about a damaged copy of a directory. */
const reportOf = (
  directory: string,
  damage: (database: DatabaseSync, copy: string) => void
): Effect.Effect<ReadonlyArray<string>, unknown> =>
  Effect.suspend(() => {
    const copy = mkdtempSync(join(directories, "copy-"))
    cpSync(directory, copy, { recursive: true })
    const database = new DatabaseSync(join(copy, "journal.sqlite"))
    damage(database, copy)
    database.close()
    return Effect.map(audited(copy), ({ violations }) =>
      violations.map(({ check, expected, found, place }) =>
        `${check}: ${place}: found ${found}, expected ${expected}`
      ))
  })

/** Recomputes the checksums, as an attacker could. */
const withNewChecksums = (database: DatabaseSync): void => {
  let checksum = crc32(String(database.prepare("SELECT genesis FROM network").get()!.genesis))
  for (
    const { seq, text, kind } of database.prepare(
      "SELECT seq, concat_ws(' ', kind, version, time_ms) AS kind, text FROM record ORDER BY seq"
    ).all()
  ) {
    checksum = crc32(String(text), crc32(String(kind), checksum))
    database.prepare("UPDATE record SET checksum = ? WHERE seq = ?").run(checksum, seq!)
  }
  database.prepare("UPDATE head SET checksum = ?").run(checksum)
}

describe("an audit of a data directory", () => {
  it.effect(
    "finds nothing in stored records, and computes the state root of the last batch",
    () =>
      Effect.gen(function*() {
        const { checks, violations } = yield* audited(sound, { tree: true })
        assert.deepStrictEqual(violations, [])
        for (
          const check of [
            "journal",
            "feed",
            "pool",
            "pool-ledger",
            "changes",
            "rollbacks",
            "state-root",
            ...exits.length > 0 ? ["exit-proofs"] : []
          ]
        ) {
          assert.isAbove(checks.find((each) => each.check === check)?.checked ?? 0, 0, check)
        }
      }),
    60_000
  )

  it.effect(
    "finds nothing in records that leave out empty blocks, with and without a checkpoint",
    () =>
      Effect.gen(function*() {
        const directory = join(directories, "gaps")
        yield* write(directory, gapped)
        assert.deepStrictEqual((yield* audited(directory, { tree: true })).violations, [])
        yield* Effect.scoped(Effect.provide(
          Effect.flatMap(JournalStores, ({ checkpoint }) => checkpoint),
          Layer.fresh(storesOf(directory))
        ))
        assert.deepStrictEqual((yield* audited(directory, { tree: true })).violations, [])
      }),
    60_000
  )

  it.effect("reports that there is nothing to verify in a directory without a journal", () =>
    Effect.gen(function*() {
      assert.match(
        String(yield* Effect.flip(audited(join(directories, "nothing")))),
        /holds no journal/u
      )
    }))

  const damages: ReadonlyArray<
    readonly [damage: string, (database: DatabaseSync) => void, expectedReport: RegExp]
  > = [
    [
      "a changed record",
      (database) => database.exec("UPDATE record SET text = text || ' ' WHERE seq = 3"),
      /^journal: .*record 3 is not what was written/u
    ],
    [
      "a missing record",
      (database) => database.exec("DELETE FROM record WHERE seq = 4"),
      /^journal: .*record 4 is missing/u
    ],
    [
      "missing records at the end",
      (database) => database.exec("DELETE FROM record WHERE seq = (SELECT max(seq) FROM record)"),
      /^journal: .*it ends with record \d+, expected record \d+/u
    ],
    [
      "a missing head",
      (database) => database.exec("DELETE FROM head"),
      /^journal: .*its head is missing/u
    ],
    [
      "a block that does not follow, with recomputed checksums",
      (database) => {
        database.prepare(
          'UPDATE record SET text = replace(text, \'"nonce":"\', \'"nonce":"9\') WHERE seq = (SELECT max(seq) FROM record WHERE text LIKE \'%"nonce":"%\' AND kind = \'ledger\')'
        ).run()
        withNewChecksums(database)
      },
      /^feed: record \d+, block \d+\/batches\/\d+\/l2\/\d+\/nonce: found 9\d* \(nonce\), expected \d+, the nonce of account/u
    ]
  ]
  for (const [damage, make, expectedReport] of damages) {
    it.effect(`names ${damage}`, () =>
      Effect.gen(function*() {
        const found = yield* reportOf(sound, make)
        assert.isTrue(found.some((line) => expectedReport.test(line)), found.join("\n"))
      }), 60_000)
  }
})

describe("an audit of a data directory with a checkpoint", () => {
  const checkpointed = join(directories, "checkpointed")
  beforeAll(() => {
    cpSync(sound, checkpointed, { recursive: true })
    return Effect.runPromise(Effect.scoped(Effect.provide(
      Effect.gen(function*() {
        yield* (yield* JournalStores).checkpoint
        yield* (yield* LedgerWriter).setPrices(
          [{ tokenId: 0, priceUSD: 1234, timeMs: 1 }],
          () => Result.void
        )
      }),
      Layer.fresh(storesOf(checkpointed))
    )))
  })

  it.effect(
    "checks every block from the first, the checkpoint, and the records behind it",
    () =>
      Effect.gen(function*() {
        const { checks, violations } = yield* audited(checkpointed, { tree: true })
        assert.deepStrictEqual(violations, [])
        const countOf = (name: string) => checks.find(({ check }) => check === name)?.checked ?? 0
        // heads are no records of the journal
        assert.isAbove(
          countOf("feed"),
          records.filter(({ kind }) => kind !== "head").length
        )
        assert.isAbove(countOf("checkpoint"), 10)
        assert.isAbove(countOf("pool-ledger"), 0)
        assert.isAbove(countOf("state-root"), 0)
      }),
    60_000
  )

  it.effect(
    "reports its progress evenly, although half of the records are of the pool",
    () =>
      Effect.gen(function*() {
        const directory = join(directories, "posted")
        const fed = records.filter(({ kind }) => kind !== "head")
        const post = ({ addAuthorization }: PoolStore["Service"]) =>
          Effect.forEach(fed, (_, i) => addAuthorization(authorizationOf(i)))
        yield* write(directory, fed, Effect.flatMap(PoolStore, post))
        yield* Effect.scoped(Effect.provide(
          Effect.flatMap(JournalStores, ({ checkpoint }) => checkpoint),
          Layer.fresh(storesOf(directory))
        ))
        const reports: Array<readonly [units: number, share: number]> = []
        const onProgress: AuditOptions["onProgress"] = ({ share, units }) =>
          Effect.sync(() => void reports.push([units, share!]))
        const options = { onProgress, buildExitTrees: null, tree: null }
        // so that every record is reported
        let nowMs = 0
        const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs += 100)
        yield* auditJournal(directory, options, new Findings())
        clock.mockRestore()
        assert.isAbove(reports.length, fed.length / 2)
        for (const [units, share] of reports) assert.closeTo(share, units / fed.length, 0.1)
      }),
    60_000
  )

  const changes: ReadonlyArray<
    readonly [
      list: string,
      change: (rows: Array<Record<string, bigint | number>>) => void,
      place: string
    ]
  > = [
    ["accounts", (rows) => rows[2]!.balance!++, "/accounts/2/balance"],
    ["accountUpdates", (rows) => rows[7]!.balance!++, "/accountUpdates/7/balance"],
    ["accountUpdates", (rows) => rows[70]!.previous!--, "/accountUpdates/70/previous"],
    ["rollBacks", (rows) => rows[0]!.blocks!++, "/rollBacks/0/blocks"],
    ["rollBacks", (rows) => rows.pop(), "/rollBacks/"]
  ]
  for (const [list, change, place] of changes) {
    it.effect(
      `names a change of ${place} in the checkpoint, with recomputed checksums`,
      () =>
        Effect.gen(function*() {
          const found = yield* reportOf(checkpointed, (database, copy) => {
            const manifest = JSON.parse(
              String(database.prepare("SELECT manifest FROM checkpoint").get()!.manifest)
            )
            const part = manifest.ledger.lists[list].parts[0]
            const file = join(copy, "checkpoint", String(part[0]))
            const rows = deserialize(inflateRawSync(readFileSync(file)))
            change(rows)
            const changed = deflateRawSync(serialize(rows))
            part[1] = crc32(changed)
            writeFileSync(file, changed)
            const text = JSON.stringify(manifest)
            database.prepare("UPDATE checkpoint SET manifest = ?, checksum = ?").run(
              text,
              crc32(text)
            )
          })
          assert.strictEqual(found.length, 1)
          assert.isTrue(found[0]!.startsWith(`checkpoint: ${place}`), found[0])
        }),
      60_000
    )
  }
})

describe("an audit of a feed", () => {
  const auditOf = (lines: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const path = join(directories, "feed.ndjson")
      writeFileSync(path, lines.join("\n"))
      const findings = new Findings()
      yield* verifyFeed(path, options, findings)
      return findings.report()
    })
  const lines = [{ kind: "genesis" as const, genesis }, ...records].map(writeFeedLine)

  it.effect(
    "finds nothing in a valid feed, and names the invalid record",
    () =>
      Effect.gen(function*() {
        assert.deepStrictEqual((yield* auditOf(lines)).violations, [])
        const withoutEmpty = [{ kind: "genesis" as const, genesis }, ...gapped].map(writeFeedLine)
        assert.deepStrictEqual((yield* auditOf(withoutEmpty)).violations, [])
        const wrong = lines.findIndex((line) => /"exits":\[\{/u.test(line))
        const proof = yield* auditOf(
          lines.with(wrong, lines[wrong]!.replace(/"siblings":\[("\d+")?/u, '"siblings":["12345"'))
        )
        assert.match(
          proof.violations.map(({ check, place }) => `${check}: ${place}`).join(),
          /^exit-proofs: exit \d+ \(batch \d+, account \d+\), siblings/u
        )
        const unread = yield* auditOf(lines.with(3, "{}"))
        assert.match(
          unread.violations.map(({ check, found }) => `${check}: ${found}`).join(),
          /^feed: Feed ".*", line 4: /u
        )
        const second = lines.flatMap((line, at) => line.includes('"kind":"block"') ? [at] : [])[1]!
        const unlinked = yield* auditOf(lines.toSpliced(second, 1))
        assert.match(
          unlinked.violations.map(({ check, place }) => `${check}: ${place}`).join(),
          /^feed: record \d+, block \d+\/number/u
        )
      }),
    60_000
  )
})

describe("the result of an audit", () => {
  it.live("is replaced as a whole: what is left of an interrupted writer is not read", () =>
    Effect.gen(function*() {
      const directory = mkdtempSync(join(directories, "result-"))
      const location = { kind: "directory", directory } as const
      const [first, second] = [1, 2].map((durationMs) => ({
        ...new Findings().report(),
        finishedAt: "",
        durationMs
      }))
      const last = Effect.map(lastVerification(location, settings), (text) => JSON.parse(text!))
      yield* saveVerification(location, first!, settings)
      const file = join(directory, "verification.json")
      linkSync(file, join(directory, "copy"))
      writeFileSync(`${file}.new`, "{")
      assert.deepStrictEqual(yield* last, first)
      yield* saveVerification(location, second!, settings)
      assert.deepStrictEqual(yield* last, second)
      assert.deepStrictEqual(JSON.parse(readFileSync(join(directory, "copy"), "utf8")), first)
    }))
})
