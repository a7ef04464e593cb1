import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Logger, Redacted } from "effect"
import { connect } from "node:net"
import {
  type Admin,
  type AdminLimits,
  defaultAdminLimits,
  openAdmin
} from "../../adapters/admin/mod.ts"
import { settings } from "../../app/config/mod.ts"
import { Ledger } from "../../core/mod.ts"
import { openMonitor } from "../../adapters/metrics/mod.ts"
import { ask, blocks, linesOf, post, token, watched } from "./_admin.ts"
import { readExposition, sampleOf } from "./_exposition.ts"

const hits = (admin: Admin, limit: keyof AdminLimits): Effect.Effect<number | undefined> =>
  Effect.map(
    ask(admin, "/metrics"),
    ({ text }) => sampleOf(readExposition(text), "rollup_limit_hits_total", { limit })
  )

/** Sends bytes over a new connection and returns everything until it closes. */
const talk = (admin: Admin, bytes: string): Effect.Effect<string> =>
  Effect.promise(() =>
    new Promise<string>((resolve) => {
      const socket = connect(
        Number(new URL(admin.url).port),
        "127.0.0.1",
        () => socket.write(bytes)
      )
      let output = ""
      socket.on("data", (data) => output += data).on("error", () => {}).on(
        "close",
        () => resolve(output)
      )
    })
  )

const head =
  `POST /feed HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/x-ndjson\r\n`

describe("limits of the admin listener", () => {
  it.live("a record may have as many bytes as the limit, and one more is refused and counted", () =>
    Effect.scoped(Effect.gen(function*() {
      const line = linesOf({ kind: "block", block: blocks[0]! }).trim()
      const { admin } = yield* watched({ limits: { feedLineBytesMax: Buffer.byteLength(line) } })
      assert.strictEqual((yield* post(admin, "/feed", line)).status, 200)
      assert.strictEqual(yield* hits(admin, "feedLineBytesMax"), 0)
      assert.strictEqual((yield* post(admin, "/feed", ` ${line}`)).status, 413)
      assert.strictEqual(yield* hits(admin, "feedLineBytesMax"), 1)
      assert.strictEqual(yield* hits(admin, "poolBodyBytesMax"), 0)
    })))

  it.live("commands may have as many bytes as the limit, and one more is refused and counted", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched({ limits: { poolBodyBytesMax: 20 } })
      const line = '{"kind":"reconcile"}'
      assert.strictEqual((yield* post(admin, "/pool", line.padEnd(20, "\n"))).status, 200)
      assert.strictEqual(yield* hits(admin, "poolBodyBytesMax"), 0)
      assert.strictEqual((yield* post(admin, "/pool", line.padEnd(21, "\n"))).status, 413)
      assert.strictEqual(yield* hits(admin, "poolBodyBytesMax"), 1)
    })))

  it.live("URL and headers may have as many bytes as the limit, and many more are refused in the usual form, and counted", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched({ limits: { adminHeaderBytesMax: 1024 } })
      const request = (bytes: number) => {
        const rest = "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: \r\n\r\n"
        return rest.replace("X: ", `X: ${"y".repeat(bytes)}`)
      }
      // the parser counts names and values, not the framing around them
      let most = 900
      while ((yield* talk(admin, request(most))).startsWith("HTTP/1.1 200 ")) most++
      assert.isAtLeast(most, 960)
      assert.isAtMost(most, 1024)
      assert.strictEqual(yield* hits(admin, "adminHeaderBytesMax"), 1)
      const output = yield* talk(admin, request(most))
      assert.match(
        output,
        /^HTTP\/1\.1 431 .*"type":"urn:rollup-node-api:problem:headers-too-large"/su
      )
      assert.strictEqual(yield* hits(admin, "adminHeaderBytesMax"), 2)
      assert.match(yield* talk(admin, "\u0000\r\n\r\n"), /^HTTP\/1\.1 400 .*malformed-request/su)
      assert.strictEqual(yield* hits(admin, "adminHeaderBytesMax"), 2)
    })))

  it.live("headers that do not arrive end in 408, a body too, and each is counted by its own limit", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched({
        limits: { adminHeadersTimeoutMs: 200, adminBodyIdleMs: 100 }
      })
      assert.match(
        yield* talk(admin, "GET /livez HTTP/1.1\r\nHost"),
        /^HTTP\/1\.1 408 .*The headers did not arrive in time/su
      )
      assert.deepStrictEqual([
        yield* hits(admin, "adminHeadersTimeoutMs"),
        yield* hits(admin, "adminBodyIdleMs")
      ], [1, 0])
      assert.match(
        yield* talk(admin, `${head}Content-Length: 1000\r\n\r\n{"kind"`),
        /^HTTP\/1\.1 408 .*no data arrived for 100 ms/su
      )
      assert.deepStrictEqual([
        yield* hits(admin, "adminHeadersTimeoutMs"),
        yield* hits(admin, "adminBodyIdleMs")
      ], [1, 1])
      // a client that sends something now and then may take as long as it likes
      assert.match(
        yield* Effect.promise(() =>
          new Promise<string>((resolve) => {
            const line = linesOf({ kind: "block", block: blocks[0]! })
            const socket = connect(Number(new URL(admin.url).port), "127.0.0.1", () =>
              socket.write(
                `${head}Content-Length: ${Buffer.byteLength(line)}\r\nConnection: close\r\n\r\n`
              ))
            let [sent, output] = [0, ""]
            const drip = setInterval(
              () => void socket.write(line.slice(sent, sent += Math.ceil(line.length / 12))),
              30
            )
            socket.on("data", (data) => output += data).on("close", () => {
              clearInterval(drip)
              resolve(output)
            })
          })
        ),
        /^HTTP\/1\.1 200 /u
      )
    })))

  it.live("as many connections are open as the limit, and one more is closed at once and counted", () =>
    Effect.scoped(Effect.gen(function*() {
      const monitor = openMonitor()
      const admin = yield* openAdmin({ port: 0, monitor, limits: { adminConnectionsMax: 2 } })
      const open = yield* Effect.forEach(
        [1, 2],
        () =>
          Effect.promise(() =>
            new Promise<ReturnType<typeof connect>>((resolve) => {
              const socket = connect(
                Number(new URL(admin.url).port),
                "127.0.0.1",
                () => socket.write("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
              )
              socket.once("data", () => resolve(socket))
            })
          )
      )
      assert.strictEqual(yield* talk(admin, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"), "")
      for (const socket of open) socket.destroy()
      let counted: number | undefined
      // a connection counts until the server has noticed that it closed
      while (counted === undefined) {
        counted = yield* Effect.orElseSucceed(
          Effect.map(
            Effect.tryPromise(async () => (await fetch(`${admin.url}/metrics`)).text()),
            (text) =>
              sampleOf(readExposition(text), "rollup_limit_hits_total", {
                limit: "adminConnectionsMax"
              })
          ),
          () => undefined
        )
      }
      assert.isAtLeast(counted, 1)
    })))

  it.live("a record that takes longer than the limit is reported, counted, and may be sent again", () =>
    Effect.scoped(Effect.gen(function*() {
      const { node } = yield* watched()
      const ledger = Context.get(node, Ledger)
      const admin = yield* openAdmin({
        port: 0,
        monitor: openMonitor(),
        token: Redacted.make(token),
        limits: { feedRecordTimeoutMs: 50 }
      })
      let isStuck = true
      const slow = Context.add(node, Ledger, {
        ...ledger,
        applyRecord: (record) => isStuck ? Effect.never : ledger.applyRecord(record)
      })
      yield* admin.attachNode(slow)
      const line = linesOf({ kind: "block", block: blocks[0]! })
      const answer = yield* post(admin, "/feed", line)
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(answer.headers.get("retry-after"), "1")
      assert.include(answer.text, "within 50 ms")
      assert.strictEqual(yield* hits(admin, "feedRecordTimeoutMs"), 1)
      isStuck = false
      assert.strictEqual((yield* post(admin, "/feed", line)).status, 200)
      assert.strictEqual(yield* hits(admin, "feedRecordTimeoutMs"), 1)
    })).pipe(Effect.provide(Logger.layer([]))))

  it("are settings, each with the default of its option", () => {
    for (const [name, usual] of Object.entries(defaultAdminLimits)) {
      assert.strictEqual(settings.serverSettings[name as keyof AdminLimits].default, usual, name)
    }
  })
})
