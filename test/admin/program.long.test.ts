import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { packageFiles } from "../../app/packaging/package_files.ts"
import { env } from "../program/_env.ts"
import {
  command,
  inDirectory,
  json,
  type Running,
  serve,
  type State,
  until
} from "../program/_program.ts"
import { blockFeed, blocks, genesis, lineHeaders, linesOf, type Ready, token } from "./_admin.ts"
import { readExposition, sampleOf } from "./_exposition.ts"

/* Starts the program with its admin listener. */

const adminOf = ({ output }: Running): string =>
  /Health and metrics at (http:\/\/127\.0\.0\.1:\d+)/u.exec(output())![1]!
const lastBlock = async ({ url }: Running): Promise<number> =>
  (await json<State>(`${url}/state`)).network.lastSynchedBlock
/** Returns the lines of the log, which are JSON if it is no terminal. */
const logOf = ({ output }: Running): ReadonlyArray<{ readonly [member: string]: unknown }> =>
  output().trim().split("\n").map((line) => JSON.parse(line) as never)

describe("the program with its admin listener", () => {
  it("is fed over HTTP by a program in another language, and logs each request", () =>
    inDirectory(async (network) => {
      writeFileSync(network, linesOf({ kind: "genesis", genesis }))
      const server = await serve("--memory", "--feed", network, "--admin-token", token)
      const admin = adminOf(server)
      assert.include(server.output(), "feed and pool with the token")
      assert.strictEqual((await fetch(`${admin}/readyz`)).status, 200)
      const body = linesOf(...blockFeed(0, 10))
      const fed = await fetch(`${admin}/feed`, { method: "POST", headers: lineHeaders, body })
      assert.strictEqual(fed.status, 200)
      const number = Number(blocks[9]!.number)
      const state = await fetch(`${server.url}/state`, { headers: { "x-request-id": "mine-1" } })
      assert.strictEqual((await state.json() as State).network.lastSynchedBlock, number)
      const families = readExposition(await (await fetch(`${admin}/metrics`)).text())
      assert.strictEqual(sampleOf(families, "rollup_ledger_block"), number)
      const answered = { operation: "getState", status: "200" }
      assert.strictEqual(sampleOf(families, "rollup_http_requests_total", answered), 1)
      await until(() => server.output().includes('"id":"mine-1"'), server.output)
      assert.deepInclude(logOf(server).find(({ id }) => id === "mine-1"), {
        operation: "getState",
        status: 200,
        method: "GET",
        url: "/state"
      })
      for (const line of logOf(server)) {
        assert.deepStrictEqual(Object.keys(line).slice(0, 3), ["timestamp", "level", "message"])
        assert.notProperty(line, "fiberId")
      }
      assert.notInclude(server.output(), token)
    }))

  it("is not ready after it has refused a record of its feed, names line and rule, and still serves", () =>
    inDirectory(async (network) => {
      // block 5 does not follow block 1
      const feed = linesOf(...blockFeed(0, 2), ...blockFeed(5, 7))
      writeFileSync(network, `${linesOf({ kind: "genesis", genesis })}\n${feed}`)
      const server = await serve("--memory", "--feed", network)
      await until(() => server.output().includes("Stopped following the feed"), server.output)
      const response = await fetch(`${adminOf(server)}/readyz`)
      const { checks, state } = await response.json() as Ready
      assert.deepStrictEqual([response.status, state, checks.source!.state], [
        503,
        "failing",
        "failing"
      ])
      assert.match(
        checks.source!.detail,
        /data", line 5: Block \d+: .*expected .*\(invariant block-number\)/u
      )
      assert.strictEqual(await lastBlock(server), Number(blocks[1]!.number))
    }))

  it(
    "serves an own network: from a genesis file and blocks over HTTP, after a restart too",
    () =>
      inDirectory(async (directory) => {
        const files = packageFiles()
        mkdirSync(directory)
        for (const name of ["genesis.json", "feed.ndjson"]) {
          writeFileSync(join(directory, name), files[`examples/${name}`]!)
        }
        const words = [
          "--genesis",
          join(directory, "genesis.json"),
          "--data",
          join(directory, "data")
        ]
        // the command of the manual
        const manual = join(import.meta.dirname, "../../adapters/admin/README.md")
        const [curl] = /^ +curl .*@dist\/examples\/feed\.ndjson.*$/mu
          .exec(readFileSync(manual, "utf8"))!
        const first = await serve(...words, "--admin-token", token)
        const before = await lastBlock(first)
        const sent = curl.replace("http://127.0.0.1:9464", adminOf(first))
          .replace("@dist/examples", `@${directory}`)
        const lines = files["examples/feed.ndjson"]!.trim().split("\n").length
        for (const to of [1, lines]) {
          const { stdout } = await promisify(execFile)("sh", ["-c", sent], {
            env: { ...env, TOKEN: token }
          })
          assert.deepInclude(JSON.parse(stdout), { held: to, heldLines: [{ from: 1, to }] })
          assert.strictEqual(await lastBlock(first), before + 10)
        }
        await first.kill()

        const again = await serve(...words)
        assert.strictEqual(await lastBlock(again), before + 10)
        assert.include(again.output(), "set --admin-token, and post blocks to /feed")
      }),
    120_000
  )

  it("reports which port is in use, and what to do", async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const { port } = taken.address() as AddressInfo
    const words = ["serve", "--memory", "--empty", "--port", "0", "--admin-port", String(port)]
    const { output, status } = command(...words)
    taken.close()
    assert.strictEqual(status, 3)
    assert.match(
      output,
      new RegExp(
        `Port ${port} of 127\\.0\\.0\\.1 cannot be listened on for the admin interface: .*; choose another port with --admin-port, or none with --admin-port off`,
        "u"
      )
    )
  })
})
