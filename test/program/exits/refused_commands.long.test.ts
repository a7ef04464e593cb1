import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  closeSync,
  openSync,
  readdirSync,
  statSync,
  writeFileSync
} from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { dirname, join } from "node:path"
import { simulate, writeFeed } from "../../../app/simulator/mod.ts"
import { writeFeedLine } from "../../../core/mod.ts"
import { applyRecords, openStores, smallNetwork } from "../../journal/_directories.ts"
import { unprivilegedAccount } from "../../postgres/_account.ts"
import { freshDatabase } from "../../postgres/mod.ts"
import { env } from "../_env.ts"
import { inDirectory, program, start } from "../_program.ts"

/* Commands that cannot do their work end with the documented code and a sentence that says why. */

interface Places {
  /** A path at which nothing is. */
  readonly nowhere: string
  readonly text: string
  readonly feed: string
  readonly currencies: string
  readonly database: string
  readonly portInUse: number
}

const noDatabase = ["--database", "postgresql://user@127.0.0.1:1/rollup"]
const unreachable =
  /PostgreSQL at 127\.0\.0\.1:1, database "rollup" cannot be used: connect ECONNREFUSED .*; start the server, correct the URL, or wait longer/u
const serve = (...words: ReadonlyArray<string>) => ["serve", "--admin-port", "off", ...words]
const small = ["--memory", "--empty"]

type Refusal = readonly [code: number, words: ReadonlyArray<string>, message: RegExp]

const refusals = ({ database, nowhere, portInUse, ...files }: Places): ReadonlyArray<Refusal> => [
  [
    3,
    serve(...small, "--port", String(portInUse)),
    /^Port \d+ of 127\.0\.0\.1 cannot be listened on: .*; choose another one with --port$/mu
  ],
  [
    3,
    serve(...small, "--port", "0", "--host", "192.0.2.1"),
    /^Port 0 of 192\.0\.2\.1 cannot be listened on: .*; choose another address with --host$/mu
  ],
  [
    3,
    ["serve", ...small, "--port", "0", "--admin-host", "192.0.2.1"],
    /^Port 0 of 192\.0\.2\.1 cannot be listened on for the admin interface: .*; choose another address with --admin-host, or none with --admin-port off$/mu
  ],
  [4, serve("--port", "0", "--data", files.text), /is a file; choose another one/u],
  [4, ["export", "--data", nowhere], /holds no journal/u],
  [4, ["migrate", ...noDatabase], unreachable],
  [4, ["migrate", "--dry-run", "--database-wait", "0.3", ...noDatabase], unreachable],
  [4, ["ingest", files.feed, ...noDatabase], unreachable],
  [4, ["verify", ...noDatabase], unreachable],
  [
    4,
    serve("--port", "0", "--simulate", "--empty", "--database-wait", "0", ...noDatabase),
    unreachable
  ],
  [4, ["migrate", "--database", database.replace(/[^/]+$/u, "none_such")], /none_such/u],
  [5, ["ingest", files.text, "--database", database], /line 1/u],
  [
    5,
    serve(...small, "--port", "0", "--currencies", files.currencies),
    /Currencies "[^"]+": \/unitsPerUSD\/EUR has the invalid value -1: expected a number above 0/u
  ]
]

describe("a command that cannot do its work", () => {
  it("ends with the documented code and the reason", () =>
    inDirectory(async (nowhere) => {
      const other = createServer().listen(0, "127.0.0.1")
      await once(other, "listening")
      const { url: database } = await freshDatabase()
      const [text, feed, currencies] = ["txt", "ndjson", "json"].map((end) => `${nowhere}.${end}`)
      const places: Places = {
        nowhere,
        text: text!,
        feed: feed!,
        currencies: currencies!,
        database,
        portInUse: (other.address() as AddressInfo).port
      }
      writeFileSync(places.text, "no feed")
      writeFileSync(places.feed, [...writeFeed(simulate({ seed: 1 }), 0)].join(""))
      writeFileSync(places.currencies, `{"unitsPerUSD":{"EUR":-1}}`)
      await Promise.all(
        refusals(places).map(async ([code, words, message]) => {
          const { ended, output } = start(words)
          assert.deepStrictEqual(await ended, [code, null], `${words.join(" ")}: ${output()}`)
          assert.match(output(), message, words.join(" "))
        })
      )
      other.close()
    }))

  it("names what its user may not use of a data directory, and does not call it damage", () =>
    inDirectory(async (directory) => {
      const { genesis, records } = smallNetwork("permissions")
      await Effect.runPromise(Effect.scoped(
        Effect.flatMap(
          openStores(directory, genesis, { closingMs: 5000 }),
          (stores) => applyRecords(genesis, stores, records)
        )
      ))
      const [parent, genesisFile] = [dirname(directory), `${directory}.json`]
      writeFileSync(genesisFile, writeFeedLine({ kind: "genesis", genesis }))
      const account = unprivilegedAccount()
      chmodSync(parent, 0o755)
      if (account !== null) {
        const { gid, uid } = account
        const inside = readdirSync(directory, { recursive: true, encoding: "utf8" })
        for (const name of ["", ...inside]) chownSync(join(directory, name), uid, gid)
      }
      const serve = ["serve", "--port", "0", "--admin-port", "off", "--genesis", genesisFile]
      const database = join(directory, "journal.sqlite")
      const denied = (path: string) => `EACCES: permission denied, access '${path}'`
      const part = "part 1 of its checkpoint cannot be read (EACCES)"
      for (
        const [path, mode, words, problem] of [
          [database, 0o000, ["export"], denied(database)],
          [database, 0o400, serve, denied(database)],
          [directory, 0o500, ["verify"], denied(directory)],
          [join(directory, "checkpoint"), 0o000, ["verify"], part],
          [join(directory, "checkpoint"), 0o000, serve, part],
          [join(directory, "checkpoint/1"), 0o000, ["export", "--out", "/dev/null"], part]
        ] as const
      ) {
        const { mode: before } = statSync(path)
        chmodSync(path, mode)
        const { status, stderr } = spawnSync(
          process.execPath,
          [program, ...words, "--data", directory],
          { cwd: parent, encoding: "utf8", env, ...account === null ? {} : account }
        )
        chmodSync(path, before)
        assert.include(stderr, `Directory "${directory}" cannot be used: ${problem}`)
        assert.strictEqual(status, 4, words.join(" "))
      }
    }))

  it("says that nothing could be printed if the disk is full", () => {
    const full = openSync("/dev/full", "w")
    const stdio = ["ignore", full, "pipe"] as const
    for (const words of ["config print", "wallet", "wallet --export", "--help", "--version"]) {
      const { status, stderr } = spawnSync(process.execPath, [program, ...words.split(" ")], {
        encoding: "utf8",
        env,
        stdio: [...stdio]
      })
      assert.match(stderr, /^The standard output cannot be written: ENOSPC.*\n$/u, words)
      assert.strictEqual(status, 5, words)
    }
    closeSync(full)
  })
})
