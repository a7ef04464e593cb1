import { afterAll, assert, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { freshDatabase } from "../postgres/mod.ts"
import type { Observation } from "./_instrumentation.ts"
import { killAll, program, serveWith, untilLogged } from "./_program.ts"

/*
 * Instrumentation that patches `http.Server.prototype.emit`, such as OpenTelemetry's, and
 * `diagnostics_channel` see every request: exactly one server span each.
 */

const directory = mkdtempSync(join(tmpdir(), "instrumentation-"))
afterAll(() => {
  killAll()
  rmSync(directory, { recursive: true, force: true })
})

/** Starts an instrumented server. */
const serve = async (name: string, ...words: ReadonlyArray<string>) => {
  const file = join(directory, name)
  writeFileSync(file, "")
  const preload = join(import.meta.dirname, "_instrumentation.ts")
  const flags = ["--admin-port", "off", "--pace", "0", "--transactions", "20"]
  const server = await serveWith([...flags, ...words], {
    command: [process.execPath, "--import", preload, program],
    environment: { SPANS_FILE: file }
  })
  return {
    ...server,
    observations: () =>
      readFileSync(file, "utf8").trimEnd().split("\n").map((line) =>
        JSON.parse(line) as Observation
      ),
    stop: async () => {
      server.signal("SIGTERM")
      assert.deepStrictEqual(await server.ended, [0, null], server.output())
    }
  }
}

interface Sent {
  readonly method?: string
  readonly url: string
  readonly headers?: ReadonlyArray<string>
  readonly body?: string
}

/** Sends requests over one connection, all at once, and returns the statuses of their answers. */
const send = async (port: number, ...requests: ReadonlyArray<Sent>) => {
  const socket = connect(port, "127.0.0.1")
  requests.forEach(({ body = "", headers = ["Host: x"], method = "GET", url }, i) => {
    const isLast = i === requests.length - 1
    const lines = [
      `${method} ${url} HTTP/1.1`,
      ...headers,
      `Content-Length: ${body.length}`,
      ...isLast ? ["Connection: close"] : []
    ]
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`)
  })
  const answers = await text(socket)
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /gu)].map((match) => Number(match[1])).filter((
    status
  ) => status !== 100)
}

const lineOf = ({ method, status, url }: Pick<Observation, "method" | "url" | "status">) =>
  `${method} ${url.split("?")[0]}${status === undefined ? "" : ` ${status}`}`

describe("instrumentation of the program", () => {
  it("sees exactly one request for each answer: cached, refused, of both revisions", async () => {
    const limits = ["--rate-per-second-max=0.001", "--rate-burst-max=50", "--url-bytes-max=1000"]
    const { observations, port, stop } = await serve(
      "one",
      "--memory",
      "--trusted-proxies=127.0.0.1",
      ...limits
    )
    const answered = [
      { url: "/tokens", status: 200 },
      { url: "/tokens", status: 200 },
      { url: "/tokens", headers: ["Host: x", "If-None-Match: *"], status: 304 },
      { url: "/earlier/tokens", status: 200 },
      { url: "/earlier/tokens", status: 200 },
      { url: "/tokens?limit=0", status: 400 },
      { url: "/nothing", status: 404 },
      { url: "/tokens", method: "DELETE", status: 405 },
      { url: "/tokens", method: "HEAD", status: 200 },
      { url: "/tokens", method: "OPTIONS", status: 204 },
      { url: `/${"x".repeat(1100)}`, status: 414 },
      { url: "/tokens", headers: ["Accept: */*"], status: 400 },
      {
        url: "/transactions-pool",
        method: "POST",
        headers: ["Host: x", "Content-Type: application/json"],
        body: "{}",
        status: 400
      },
      {
        url: "/transactions-pool",
        method: "POST",
        headers: ["Host: x", "Content-Type: application/json", "Expect: 100-continue"],
        body: "{}",
        status: 400
      },
      { url: "/tokens", headers: ["Host: x", "Expect: another"], status: 200 },
      {
        url: "/tokens",
        headers: ["Host: x", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c"],
        status: 200
      }
    ]
    for (const { status, ...request } of answered) {
      assert.deepStrictEqual(await send(port, request), [status], JSON.stringify(request))
    }
    const pipelined = Array.from({ length: 5 }, (_, i) => ({ url: `/slots/${i}`, status: 200 }))
    assert.deepStrictEqual(await send(port, ...pipelined), pipelined.map(({ status }) => status))
    const limited = Array.from({ length: 55 }, (_, i) => ({
      url: "/state",
      headers: ["Host: x", "X-Forwarded-For: 192.0.2.1"],
      status: i < 50 ? 200 : 429
    }))
    for (const { status, ...request } of limited) {
      assert.deepStrictEqual(await send(port, request), [status])
    }
    // Node emits no `request` for it
    assert.deepStrictEqual(await send(port, { url: "x:1", method: "CONNECT" }), [405])
    await stop()

    const sent = [...answered, ...pipelined, ...limited].map((one) => ({ method: "GET", ...one }))
    const of = (kind: Observation["kind"]) =>
      observations().filter((one) => one.kind === kind).map(lineOf).sort()
    assert.deepStrictEqual(of("span"), sent.map(lineOf).sort())
    assert.deepStrictEqual(
      of("channel"),
      sent.map(({ method, url }) => lineOf({ method, url })).sort()
    )
  }, 60_000)

  it("sees the requests of every worker, each in one process", async () => {
    const { url } = await freshDatabase()
    const server = await serve("workers", "--database", url, "--simulate", "--workers", "2")
    await untilLogged(server, /Worker 2 of 2 [^\n]* is serving/u)
    const { observations, port, stop } = server
    const urls = Array.from({ length: 12 }, (_, i) => `/slots/${i}`)
    for (const path of urls) assert.deepStrictEqual(await send(port, { url: path }), [200])
    await stop()
    for (const kind of ["span", "channel"] as const) {
      const seen = observations().filter((one) => one.kind === kind)
      assert.deepStrictEqual(seen.map(({ url }) => url).sort(), urls.toSorted(), kind)
      assert.strictEqual(new Set(seen.map(({ pid }) => pid)).size, 2, kind)
    }
  }, 120_000)
})
