import { assert, describe, it } from "@effect/vitest"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { packageFiles } from "../../app/packaging/package_files.ts"
import { env } from "../program/_env.ts"
import { program } from "../program/_program.ts"
import { blocks, genesis, linesOf, token } from "./_admin.ts"
import { readExposition, sampleOf } from "./_exposition.ts"

/* Starts the program with its admin listener. */

const start = (...words: ReadonlyArray<string>) => startHere("--memory", ...words)
const startHere = (...words: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [program, "serve", "--port", "0", ...words], { env })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => output += text)
  const ended = once(child, "exit") as Promise<[number | null]>
  /** Waits for a line of output. */
  const waitForOutput = async (what: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = what.exec(output)
      if (found !== null) return found
      if (child.exitCode !== null) throw new Error(output)
      await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), ended])
    }
  }
  return { child, ended, waitForOutput, output: () => output }
}

describe("the program with its admin listener", () => {
  it("is fed over HTTP by a program in another language, logs each request, and exits with 0", async () => {
    const directory = mkdtempSync(join(tmpdir(), "admin-"))
    const network = join(directory, "network.ndjson")
    writeFileSync(network, linesOf({ kind: "genesis", genesis }))
    const { child, ended, output, waitForOutput } = start("--feed", network, "--admin-token", token)
    try {
      const [, admin] = await waitForOutput(
        /Health and metrics at (http:\/\/127\.0\.0\.1:\d+), feed and pool with the token/u
      )
      const [, url] = await waitForOutput(/Listening on (http:\/\/127\.0\.0\.1:\d+)/u)
      const ready = async () => (await fetch(`${admin}/readyz`)).status
      assert.strictEqual(await ready(), 200)
      const fed = await fetch(`${admin}/feed`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" },
        body: linesOf(...blocks.slice(0, 10).map((block) => ({ kind: "block" as const, block })))
      })
      assert.strictEqual(fed.status, 200)
      const state = await fetch(`${url}/state`, { headers: { "x-request-id": "mine-1" } })
      assert.strictEqual(
        ((await state.json()) as { readonly network: { readonly lastSynchedBlock: number } })
          .network.lastSynchedBlock,
        Number(blocks[9]!.number)
      )
      const families = readExposition(await (await fetch(`${admin}/metrics`)).text())
      assert.strictEqual(sampleOf(families, "rollup_ledger_block"), Number(blocks[9]!.number))
      assert.strictEqual(
        sampleOf(families, "rollup_http_requests_total", { operation: "getState", status: "200" }),
        1
      )
      await waitForOutput(/"id":"mine-1"/u)
      const lines = output().trimEnd().split("\n").map((line) =>
        JSON.parse(line) as { readonly [name: string]: unknown }
      )
      assert.isTrue(
        lines.every(({ level, message, timestamp }) =>
          typeof level === "string" && message !== undefined && typeof timestamp === "string"
        )
      )
      assert.deepInclude(lines.find(({ id }) => id === "mine-1"), {
        operation: "getState",
        status: 200,
        method: "GET",
        url: "/state"
      })
      assert.notInclude(output(), token)

      child.kill("SIGTERM")
      assert.deepStrictEqual((await ended)[0], 0)
    } finally {
      child.kill("SIGKILL")
      rmSync(directory, { recursive: true })
    }
  })

  it("is not ready after it has refused a record of its feed, names line and rule, and still serves", async () => {
    const directory = mkdtempSync(join(tmpdir(), "admin-"))
    const network = join(directory, "network.ndjson")
    const lines = (indexes: ReadonlyArray<number>) =>
      linesOf(...indexes.map((i) => ({ kind: "block" as const, block: blocks[i]! })))
    // block 5 does not follow block 1
    writeFileSync(
      network,
      `${linesOf({ kind: "genesis", genesis })}\n${lines([0, 1, 5, 6])}`
    )
    const { child, output, waitForOutput } = start("--feed", network)
    try {
      const [, admin] = await waitForOutput(/Health and metrics at (http:[\d.:/]+)/u)
      const [, url] = await waitForOutput(/Listening on (http:[\d.:/]+)/u)
      await waitForOutput(/Stopped following the feed/u)
      const response = await fetch(`${admin}/readyz`)
      const { checks, state } = (await response.json()) as {
        readonly state: string
        readonly checks: { readonly source: { readonly state: string; readonly detail: string } }
      }
      assert.deepStrictEqual([response.status, state, checks.source.state], [
        503,
        "failing",
        "failing"
      ])
      assert.match(
        checks.source.detail,
        /network\.ndjson", line 5: Block \d+: .*expected .*\(invariant block-number\)/u
      )
      const served = await fetch(`${url}/state`)
      assert.strictEqual(served.status, 200, output())
      assert.strictEqual(
        ((await served.json()) as { readonly network: { readonly lastSynchedBlock: number } })
          .network.lastSynchedBlock,
        Number(blocks[1]!.number)
      )
    } finally {
      child.kill("SIGKILL")
      rmSync(directory, { recursive: true })
    }
  })

  it(
    "serves an own network: from a genesis file and blocks over HTTP, after a restart too",
    async () => {
      const directory = mkdtempSync(join(tmpdir(), "own-network-"))
      const files = packageFiles()
      const genesisFile = join(directory, "genesis.json")
      writeFileSync(genesisFile, files["examples/genesis.json"]!)
      const words = ["--genesis", genesisFile, "--data", join(directory, "data")]
      const body = files["examples/feed.ndjson"]!
      writeFileSync(join(directory, "feed.ndjson"), body)
      // the command of the manual
      const manual = readFileSync(
        join(import.meta.dirname, "../../adapters/admin/README.md"),
        "utf8"
      )
      const [command] = /^ +curl .*@dist\/examples\/feed\.ndjson.*$/mu.exec(manual)!
      const lastBlock = async (url: string) =>
        ((await (await fetch(`${url}/state`)).json()) as {
          readonly network: { readonly lastSynchedBlock: number }
        }).network.lastSynchedBlock
      try {
        const first = startHere(...words, "--admin-token", token)
        const [, admin] = await first.waitForOutput(/Health and metrics at (http:[^\s",]+)/u)
        const [, url] = await first.waitForOutput(/Listening on (http:\/\/127\.0\.0\.1:\d+)/u)
        const before = await lastBlock(url!)
        const sent = command.replace("http://127.0.0.1:9464", admin!)
          .replace("@dist/examples", `@${directory}`)
        const send = async () => {
          const { stdout } = await promisify(execFile)("sh", ["-c", sent], {
            env: { ...process.env, TOKEN: token }
          })
          return JSON.parse(stdout) as { readonly held: number; readonly heldLines: object }
        }
        const lines = body.trim().split("\n").length
        assert.deepInclude(await send(), { held: 1, heldLines: [{ from: 1, to: 1 }] })
        assert.strictEqual(await lastBlock(url!), before + 10)
        assert.deepInclude(await send(), { held: lines, heldLines: [{ from: 1, to: lines }] })
        assert.strictEqual(await lastBlock(url!), before + 10)
        first.child.kill("SIGTERM")
        await first.ended
        const entries = first.output().trim().split("\n").map((line) => JSON.parse(line) as object)
        assert.isAbove(entries.length, 5)
        for (const entry of entries) {
          assert.deepStrictEqual(Object.keys(entry).slice(0, 3), ["timestamp", "level", "message"])
          assert.notProperty(entry, "fiberId")
        }

        const again = startHere(...words)
        const [, served] = await again.waitForOutput(/Listening on (http:\/\/127\.0\.0\.1:\d+)/u)
        assert.strictEqual(await lastBlock(served!), before + 10)
        assert.include(again.output(), "set --admin-token, and post blocks to /feed")
        again.child.kill("SIGTERM")
        assert.deepStrictEqual((await again.ended)[0], 0)
      } finally {
        rmSync(directory, { recursive: true })
      }
    },
    120_000
  )

  it("never writes a simulated network into a database that was not asked for it", async () => {
    const child = spawn(process.execPath, [program, "serve", "--port", "0"], {
      // nothing listens there: the program must not even connect
      env: { ...env, DATABASE_URL: "postgresql://user:secret@127.0.0.1:1/rollup" }
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => output += text)
    assert.deepStrictEqual(await once(child, "close"), [2, null])
    assert.match(output, /^DATABASE_URL: A database is set, and no network to store in it: choose/u)
    for (const choice of ["--simulate", "--feed FILE", "--genesis FILE"]) {
      assert.include(output, choice)
    }
    assert.notInclude(output, "secret")
  }, 60_000)

  it("reports which port is in use, and what to do", async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const { port } = taken.address() as AddressInfo
    const { ended, output } = start("--empty", "--admin-port", String(port))
    const [code] = await ended
    taken.close()
    assert.strictEqual(code, 3)
    assert.match(
      output(),
      new RegExp(
        `Port ${port} of 127\\.0\\.0\\.1 cannot be listened on for the admin interface: .*; choose another port with --admin-port, or none with --admin-port off`,
        "u"
      )
    )
  })
})
