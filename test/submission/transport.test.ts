import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { connect } from "node:net"
import { serverLayer } from "../../adapters/http/node/mod.ts"
import { sendRaw } from "../http/_socket.ts"
import { send, faultsOf, jsonOf, post, typeOf } from "./_post.ts"
import {
  ann,
  authorizationText,
  authorized,
  fundedNode,
  signed,
  transactionText,
  wallet
} from "./_wallets.ts"

/* The same over a socket and over the fetch handler. */

const pool = "/transactions-pool"
const register = "/account-creation-authorization"
const text = transactionText(signed(ann))
const Node = serverLayer({ port: 0, host: "127.0.0.1" }).pipe(Layer.provideMerge(fundedNode()))
const portOf = Effect.map(
  HttpServer.HttpServer,
  ({ address }) => (address as { readonly port: number }).port
)
const raw = (
  path: string,
  headers: ReadonlyArray<string>,
  body: string | Uint8Array,
  wait = false
) =>
  Effect.flatMap(
    portOf,
    (port) =>
      Effect.promise(() =>
        sendRaw(
          port,
          Buffer.concat([
            Buffer.from(
              `POST ${path} HTTP/1.1\r\nHost: x\r\n${
                headers.map((line) => `${line}\r\n`).join("")
              }\r\n`
            ),
            Buffer.from(body)
          ]),
          wait
        )
      )
  )
const json = "Content-Type: application/json"
const lengthOf = (body: string | Uint8Array) => `Content-Length: ${Buffer.byteLength(body)}`
const chunk = (body: string) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`

layer(Node)("the transfer of a body", (it) => {
  it.effect("accepts JSON by its type; parameters do not matter", () =>
    Effect.gen(function*() {
      const types = [
        "application/json",
        "application/json; charset=utf-8",
        'Application/JSON;charset="UTF-8"',
        "application/json ; x=y"
      ]
      for (const type of types) {
        assert.strictEqual((yield* post(pool, text, { "content-type": type })).status, 200, type)
        assert.strictEqual(
          (yield* raw(pool, [`Content-Type: ${type}`, lengthOf(text)], text))?.status,
          200,
          type
        )
      }
    }))

  it.effect("refuses other types and encodings with 415, in the usual form", () =>
    Effect.gen(function*() {
      const lines = [
        [],
        ["Content-Type: "],
        ["Content-Type: text/plain"],
        ["Content-Type: application/jsonx"],
        ["Content-Type: application/json, text/plain"],
        ["Content-Type: application/x-www-form-urlencoded"],
        ["Content-Type: application/json; charset=latin1"],
        [json, "Content-Encoding: gzip"]
      ]
      for (const headers of lines) {
        for (const path of [pool, `/earlier${register}`]) {
          const answer = yield* raw(path, [...headers, lengthOf(text)], text)
          assert.strictEqual(answer?.status, 415, headers.join())
          assert.strictEqual(answer!.headers["content-type"], "application/json")
          assert.match(answer!.body, /unsupported-media-type/u)
          const response = yield* post(path, text, {
            "content-type": "",
            ...Object.fromEntries(
              headers.map((line) => [
                line.slice(0, line.indexOf(":")).toLowerCase(),
                line.slice(line.indexOf(":") + 1).trim()
              ])
            )
          })
          assert.deepStrictEqual([response.status, typeOf(response)], [
            415,
            "unsupported-media-type"
          ])
        }
      }
    }))

  it.effect("accepts as many bytes as the limit, and one byte more is 413, declared or not", () =>
    Effect.gen(function*() {
      const padded = (bytes: number) => text.padEnd(bytes, " ")
      const stream = (bytes: number) =>
        new ReadableStream({
          start: (controller) => {
            const whole = new TextEncoder().encode(padded(bytes))
            for (let at = 0; at < whole.length; at += 1000) {
              controller.enqueue(whole.subarray(at, at + 1000))
            }
            controller.close()
          }
        })
      const streamed = (bytes: number) =>
        chunk(padded(bytes).slice(0, 60_000)) + chunk(padded(bytes).slice(60_000)) + "0\r\n\r\n"
      for (const [bytes, status] of [[65536, 200], [65537, 413], [200_000, 413]] as const) {
        assert.strictEqual(
          (yield* raw(pool, [json, lengthOf(padded(bytes))], padded(bytes)))?.status,
          status
        )
        assert.strictEqual(
          (yield* raw(pool, [json, "Transfer-Encoding: chunked"], streamed(bytes)))?.status,
          status
        )
        assert.strictEqual((yield* post(pool, padded(bytes))).status, status)
        assert.strictEqual((yield* post(pool, stream(bytes))).status, status)
      }
      const refused = yield* raw(pool, [json, "Content-Length: 100000000"], "{", true)
      assert.deepStrictEqual([refused?.status, refused?.headers.connection], [413, "close"])
    }))

  it.effect("works in pieces, and later requests are answered", () =>
    Effect.gen(function*() {
      const pieces = [...text].map(chunk).join("") + "0\r\n\r\n"
      const posted = yield* raw(
        pool,
        [json, "Transfer-Encoding: chunked"],
        `${pieces}GET /tokens/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        true
      )
      assert.strictEqual(posted?.status, 200)
      assert.match(posted!.body, /^"0x02[0-9a-f]{64}"HTTP\/1\.1 200/u)
      const owner = wallet(90)
      const body = authorizationText(authorized(owner))
      const empty = yield* raw(
        register,
        [json, lengthOf(body)],
        `${body}GET /tokens/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
        true
      )
      assert.strictEqual(empty?.status, 200)
      assert.strictEqual(empty!.headers["content-length"], "0")
      assert.isUndefined(empty!.headers["content-type"])
      assert.match(empty!.body, /^HTTP\/1\.1 200/u)
    }))

  it.effect("refuses a body that is missing, is not UTF-8, or begins with a byte order mark, with a 400 and the reason", () =>
    Effect.gen(function*() {
      const bodies: ReadonlyArray<readonly [Uint8Array, RegExp]> = [
        [Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d), /not UTF-8/u],
        [Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), /not UTF-8/u],
        [Buffer.from(text, "utf16le"), /expected JSON/u],
        [Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from(text)]), /no byte order mark/u],
        [new Uint8Array(), /found the end/u],
        [Buffer.from("null"), /an object/u]
      ]
      for (const [body, message] of bodies) {
        const answer = yield* raw(pool, [json, lengthOf(body)], body)
        const response = yield* post(pool, body as BodyInit)
        assert.deepStrictEqual([answer?.status, response.status], [400, 400])
        assert.strictEqual(answer!.body, response.text)
        assert.deepStrictEqual(faultsOf(response).map(({ pointer }) => pointer), [""])
        assert.match(jsonOf(response).message as string, message)
      }
      const none = yield* send(pool, {
        method: "POST",
        headers: { "content-type": "application/json" }
      })
      assert.strictEqual(none.status, 400)
    }))

  it.effect("may end with the client's disconnection without effect on others", () =>
    Effect.gen(function*() {
      const port = yield* portOf
      const head = `POST ${pool} HTTP/1.1\r\nHost: x\r\n${json}\r\n`
      const cut = [
        `${head}Content-Length: 1000\r\n\r\n{"id":`,
        `${head}Transfer-Encoding: chunked\r\n\r\n${chunk('{"id":')}`,
        `${head}Transfer-Encoding: chunked\r\n\r\nzz`,
        `${head}Content-Length: 100`
      ]
      for (let i = 0; i < 40; i++) {
        yield* Effect.promise(() =>
          new Promise<void>((resolve) => {
            const socket = connect(port, "127.0.0.1")
            socket.on("error", () => undefined)
            socket.on("close", () => resolve())
            socket.write(
              cut[i % cut.length]!,
              () => i % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()
            )
          })
        )
      }
      assert.strictEqual((yield* raw(pool, [json, lengthOf(text)], text))?.status, 200)
      const broken = new ReadableStream({
        pull: (controller) => controller.error(new Error("gone"))
      })
      assert.strictEqual((yield* post(pool, broken)).status, 400)
    }))

  it.effect("is not awaited if the path accepts no posts", () =>
    Effect.gen(function*() {
      for (
        const [path, status] of [["/tokens", 405], [`${pool}/0x02${"0".repeat(64)}`, 405], [
          `${register}/`,
          307
        ], ["/nowhere", 404]] as const
      ) {
        const [answer, response] = [
          yield* raw(path, [json, lengthOf(text)], text),
          yield* post(path, text)
        ]
        assert.deepStrictEqual([answer?.status, response.status, answer!.body], [
          status,
          status,
          response.text
        ])
      }
    }))
})
