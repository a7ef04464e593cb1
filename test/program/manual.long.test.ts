import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { get, type IncomingMessage } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { simulate, writeFeed } from "../../app/simulator/mod.ts"
import { openCollector } from "../admin/_collector.ts"
import { read } from "../packaging/_project.ts"
import { env } from "./_env.ts"
import { json, killAll, pause, program, serveWith, start, until } from "./_program.ts"

/* What the manual for operators promises of flags and defaults, in an empty working directory. */

interface Currencies {
  readonly currencies: ReadonlyArray<{ readonly currency: string; readonly price: number }>
}

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "manual-"))
})
afterEach(() => {
  killAll()
  rmSync(directory, { recursive: true, force: true })
})

/** Starts a server, and waits until it listens. */
const serve = async (...words: ReadonlyArray<string>) => {
  const server = await serveWith(words, { cwd: directory })
  const stop = async () => {
    server.signal("SIGTERM")
    assert.deepStrictEqual(await server.ended, [0, null], server.output())
  }
  return { ...server, stop }
}

/** Runs a command to its end. */
const run = (...words: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [program, ...words], { cwd: directory, env, encoding: "utf8" })

describe("the data of a server", () => {
  it("are in .rollup-node of the working directory by default, which no other command can use meanwhile", async () => {
    const { stop } = await serve("--empty")
    assert.deepStrictEqual(readdirSync(directory), [".rollup-node"])
    const others = [["export", "--out", "feed.ndjson"], ["verify"], ["serve", "--port", "0"]]
    await Promise.all(others.map(async (words) => {
      const { ended, output } = start(words, { cwd: directory })
      assert.deepStrictEqual(await ended, [3, null], output())
      assert.match(output(), /is in use by process \d+ on /u)
    }))
    await stop()
    assert.strictEqual(run("verify").status, 0)
    const other = run("serve", "--port", "0", "--empty", "--seed", "2")
    assert.strictEqual(other.status, 4, other.stderr)
    assert.match(other.stderr, /holds the network/u)
  })

  it("are nowhere on disk with --memory", async () => {
    const { stop } = await serve("--memory", "--transactions", "20", "--pace", "0")
    await stop()
    assert.deepStrictEqual(readdirSync(directory), [])
  })
})

describe("the flags of a server", () => {
  it("disable the admin listener and the request log, add Server-Timing, export traces, and offer zstd", async () => {
    const collector = await openCollector()
    const flags = ["--no-request-log", "--server-timing", "--admin-port", "off"]
    const { admin, output, stop, url } = await serve(
      "--memory",
      "--empty",
      ...flags,
      "--otlp-url",
      collector.url
    )
    const [response] = await once(
      get(`${url}/openapi.json`, { headers: { "accept-encoding": "gzip, zstd" } }),
      "response"
    ) as [IncomingMessage]
    response.resume()
    assert.strictEqual(response.headers["content-encoding"], "zstd")
    assert.match(String(response.headers["server-timing"]), /^app;dur=/u)
    await stop()
    assert.isUndefined(admin)
    assert.notInclude(output(), "/openapi.json")
    await collector.close()
    const paths = new Set(collector.collected.map(({ path }) => path))
    assert.deepStrictEqual([...paths].sort(), ["/v1/metrics", "/v1/traces"])
  })

  it("serve the prices of currencies in the file of the manual", async () => {
    const [ofManual] = /^\{\n {2}"lastUpdate"[\s\S]+?^\}$/mu.exec(read("app/README.md"))!
    const file = join(directory, "currencies.json")
    writeFileSync(file, ofManual)
    const { stop, url } = await serve("--memory", "--empty", "--currencies", file)
    const pricesOf = async () =>
      (await json<Currencies>(`${url}/v1/currencies`)).currencies.map(({ currency, price }) =>
        `${currency} ${price}`
      )
    assert.deepStrictEqual(await pricesOf(), [
      "CNY 6.446304",
      "EUR 0.837775",
      "GBP 0.716945",
      "JPY 110.253954"
    ])
    writeFileSync(file, `{"unitsPerUSD":{"EUR":0.84}}`)
    while ((await pricesOf()).join() !== "EUR 0.84") await pause(50)
    await stop()
  })

  it("compute state roots and refuse a wrong one, or trust those of the feed", async () => {
    const feed = join(directory, "network.ndjson")
    writeFileSync(feed, [...writeFeed(simulate({ seed: 1, placeholderRoots: true }), 30)].join(""))
    const words = ["--memory", "--feed", feed]
    const sourceOf = async (admin: string) =>
      ((await (await fetch(`${admin}/readyz`)).json()) as {
        readonly checks: { readonly source: { readonly state: string; readonly detail: string } }
      }).checks.source
    const trusting = await serve(...words)
    await until(
      async () => (await sourceOf(trusting.admin!)).detail.includes("ended"),
      trusting.output
    )
    assert.strictEqual((await sourceOf(trusting.admin!)).state, "ok")
    await trusting.stop()

    const checking = await serve(...words, "--check-state-roots")
    await until(
      async () => (await sourceOf(checking.admin!)).detail !== "Following the feed",
      checking.output
    )
    assert.strictEqual((await sourceOf(checking.admin!)).state, "failing")
    assert.match((await sourceOf(checking.admin!)).detail, /stateRoot.*\(invariant state-root\)/su)
    await checking.stop()
  })
})

describe("a command that waits for its input", () => {
  it("ends after a signal", async () => {
    const { child, ended, hasEnded, signal } = start(["verify", "--feed", "-"], { hasInput: true })
    child.stdin!.write(`${[...writeFeed(simulate({ seed: 1 }), 0)][0]}`)
    await pause(2000)
    assert.isFalse(hasEnded())
    signal("SIGTERM")
    assert.deepStrictEqual(await ended, [143, null])
  })
})

describe("the documents that the program prints", () => {
  it("are the JSON Schema of the feed and the OpenAPI document of the admin listener", () => {
    const { $schema } = JSON.parse(run("schema", "feed").stdout) as { readonly $schema: string }
    assert.include($schema, "2020-12")
    const { paths } = JSON.parse(run("schema", "admin").stdout) as { readonly paths: object }
    assert.includeMembers(Object.keys(paths), ["/feed", "/pool", "/readyz"])
  })
})
