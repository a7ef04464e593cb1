import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { connect, type Socket } from "node:net"
import { type Admin, type AdminLimits, defaultAdminLimits } from "../../adapters/admin/mod.ts"
import { settings } from "../../app/config/mod.ts"
import { Ledger } from "../../core/mod.ts"
import { type RawAnswer, sendRaw } from "../http/_socket.ts"
import {
  ask,
  blockFeed,
  feed,
  linesOf,
  nodeWith,
  portOf,
  post,
  postHead,
  watched
} from "./_admin.ts"
import { readExposition, sampleOf } from "./_exposition.ts"

/** Returns how often each limit was hit, without those that were not. */
const hits = (admin: Admin) =>
  Effect.map(ask(admin, "/metrics"), ({ text }) => {
    const families = readExposition(text)
    const counts = Object.keys(defaultAdminLimits).map((limit) =>
      [limit, sampleOf(families, "rollup_limit_hits_total", { limit })] as const
    )
    return Object.fromEntries(counts.filter(([, count]) => count !== 0))
  })

/** Sends bytes over a new connection; returns the answer, or null. */
const talk = (admin: Admin, bytes: string): Effect.Effect<RawAnswer | null> =>
  Effect.promise(() => sendRaw(portOf(admin), bytes))

const isAlive = "GET /livez HTTP/1.1\r\nHost: x\r\n"
const line = linesOf(...blockFeed(0, 1)).trim()
const lineBytes = Buffer.byteLength(line)

describe("limits of the admin listener", () => {
  it.live("a body may have as many bytes as its limit, and one more is refused and counted", () =>
    Effect.gen(function*() {
      const command = '{"kind":"reconcile"}'
      const cases: ReadonlyArray<
        readonly [limit: keyof AdminLimits, bytes: number, most: string, more: string]
      > = [
        // the limit of a line, whose line feed does not count
        ["feedLineBytesMax", lineBytes, `${line}\n`, ` ${line}\n`],
        ["feedLineBytesMax", lineBytes, line, ` ${line}`],
        ["poolBodyBytesMax", command.length, command, `${command}\n`]
      ]
      for (const [limit, bytes, most, more] of cases) {
        const { admin } = yield* watched({ limits: { [limit]: bytes } })
        const path = limit === "feedLineBytesMax" ? "/feed" : "/pool"
        assert.strictEqual((yield* post(admin, path, most)).status, 200, most)
        assert.deepStrictEqual(yield* hits(admin), {})
        const { json, status } = yield* post(admin, path, more)
        assert.strictEqual(status, 413, more)
        assert.deepInclude(json as object, { line: 1 })
        assert.deepStrictEqual(yield* hits(admin), { [limit]: 1 })
      }
    }))

  it.live("a line is refused as soon as it is too long", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched({ limits: { feedLineBytesMax: 100 } })
      const unfinished = `${postHead}Content-Length: 1000\r\n\r\n${"x".repeat(101)}`
      assert.strictEqual((yield* talk(admin, unfinished))?.status, 413)
    }))

  it.live("URL and headers may have as many bytes as the limit, and many more are refused in the usual form, and counted", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched({ limits: { adminHeaderBytesMax: 1024 } })
      const refusal = (bytes: number) =>
        Effect.map(
          talk(admin, `${isAlive}X: ${"y".repeat(bytes)}\r\n\r\n`),
          (answer) => answer?.status === 200 ? undefined : JSON.parse(answer!.body) as object
        )
      // the parser counts names and values, not the framing around them
      let most = 900
      while ((yield* refusal(most)) === undefined) most++
      assert.isAtLeast(most, 960)
      assert.isAtMost(most, 1024)
      assert.deepStrictEqual(yield* hits(admin), { adminHeaderBytesMax: 1 })
      assert.deepInclude(yield* refusal(most), {
        status: 431,
        type: "urn:rollup-node-api:problem:headers-too-large"
      })
      assert.deepStrictEqual(yield* hits(admin), { adminHeaderBytesMax: 2 })
      assert.strictEqual((yield* talk(admin, "\u0000\r\n\r\n"))?.status, 400)
      assert.deepStrictEqual(yield* hits(admin), { adminHeaderBytesMax: 2 })
    }))

  it.live("headers that do not arrive end in 408, a body too, and each is counted by its own limit", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched({
        limits: { adminHeadersTimeoutMs: 200, adminBodyIdleMs: 100 }
      })
      const headers = yield* talk(admin, "GET /livez HTTP/1.1\r\nHost")
      assert.strictEqual(headers!.status, 408)
      assert.include(headers!.body, "The headers did not arrive in time")
      assert.deepStrictEqual(yield* hits(admin), { adminHeadersTimeoutMs: 1 })
      // the records before the incomplete line are applied
      const body = yield* talk(admin, `${postHead}Content-Length: 99999\r\n\r\n${line}\n{"kind"`)
      assert.strictEqual(body!.status, 408)
      assert.include(body!.body, "no data arrived for 100 ms")
      assert.deepInclude(JSON.parse(body!.body) as object, { line: 2, records: 1 })
      assert.strictEqual(body!.headers.connection, "close")
      assert.deepStrictEqual(yield* hits(admin), { adminHeadersTimeoutMs: 1, adminBodyIdleMs: 1 })
    }))

  it.live("a client that pauses for less than the limit may take as long as it likes", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched({ limits: { adminBodyIdleMs: 500 } })
      const answer = yield* Effect.promise(() =>
        new Promise<string>((resolve) => {
          const socket = connect(portOf(admin), "127.0.0.1")
          socket.write(`${postHead}Content-Length: ${lineBytes}\r\n\r\n`)
          let sent = 0
          const drip = setInterval(
            () => void socket.write(line.slice(sent, sent += Math.ceil(line.length / 12))),
            60
          )
          socket.once("data", (data) => {
            clearInterval(drip)
            socket.destroy()
            resolve(String(data))
          })
        })
      )
      assert.match(answer, /^HTTP\/1\.1 200 /u)
    }))

  it.live("as many connections are open as the limit, and one more is closed at once and counted", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched({ limits: { adminConnectionsMax: 2 } })
      const open = yield* Effect.forEach(
        [1, 2],
        () =>
          Effect.promise(() =>
            new Promise<Socket>((resolve) => {
              const socket: Socket = connect(
                portOf(admin),
                "127.0.0.1",
                () => socket.write(`${isAlive}\r\n`)
              )
              socket.once("data", () => resolve(socket))
            })
          )
      )
      assert.isNull(yield* talk(admin, `${isAlive}\r\n`))
      for (const socket of open) socket.destroy()
      // a connection counts until the server has noticed that it closed
      const scraped = Effect.suspend(() => hits(admin))
      const counted = yield* Effect.eventually(Effect.catchDefect(scraped, Effect.fail))
      assert.isAtLeast(counted.adminConnectionsMax!, 1)
    }))

  it.live("a record that takes longer than the limit is reported, counted, and may be sent again", () =>
    Effect.gen(function*() {
      let isStuck = true
      const slow = nodeWith(Ledger, ({ applyRecord }) => ({
        applyRecord: (record) => isStuck ? Effect.never : applyRecord(record)
      }))
      const { admin } = yield* watched({ limits: { feedRecordTimeoutMs: 50 } }, slow)
      const answer = yield* post(admin, "/feed", line)
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(answer.headers.get("retry-after"), "1")
      assert.include(answer.text, "within 50 ms")
      assert.deepStrictEqual(yield* hits(admin), { feedRecordTimeoutMs: 1 })
      isStuck = false
      assert.strictEqual((yield* feed(admin, blockFeed(0, 1))).status, 200)
      assert.deepStrictEqual(yield* hits(admin), { feedRecordTimeoutMs: 1 })
    }).pipe(Effect.provide(Logger.layer([]))))

  it("are settings, each with the default of its option", () => {
    for (const [name, usual] of Object.entries(defaultAdminLimits)) {
      assert.strictEqual(settings.serverSettings[name as keyof AdminLimits].default, usual, name)
    }
  })
})
