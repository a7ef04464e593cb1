import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Result } from "effect"
import { connect } from "node:net"
import { Readable } from "node:stream"
import { readLines } from "../../adapters/admin/_lines.ts"
import {
  type BlockFeed,
  type FeedRecord,
  Ledger,
  LedgerReader,
  LedgerWriter
} from "../../core/mod.ts"
import { strippedBlock, strippedRecord } from "../derived/_stripped.ts"
import { blocks, genesis, get, linesOf, post, records, token, watched } from "./_admin.ts"

interface Fed {
  readonly records: number
  readonly applied: number
  readonly held: number
  readonly heldLines: ReadonlyArray<{ readonly from: number; readonly to: number }>
  readonly ledger: {
    readonly block: { readonly number: string; readonly hash: string }
    readonly head: object | null
    readonly batchNum: number | null
    readonly version: number
  }
}
interface Refused extends Fed {
  readonly type: string
  readonly message: string
  readonly line: number
  readonly errors: ReadonlyArray<
    {
      readonly line: number
      readonly pointer: string
      readonly value: string
      readonly rule: string
      readonly message: string
      readonly invariant?: string
    }
  >
}

const block = (block: BlockFeed): FeedRecord => ({ kind: "block", block })
const typeOf = ({ type }: Refused): string => type.slice("urn:rollup-node-api:problem:".length)

describe("the feed over HTTP", () => {
  it.live("a ledger fed over HTTP gives the same answers as one fed in the process", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin, node } = yield* watched()
      const { node: other } = yield* watched()
      const forth = records.slice(0, 30)
      const answer = (yield* post(admin, "/feed", linesOf({ kind: "genesis", genesis }, ...forth), {
        "feed-after": genesis.block.hash
      })).json as Fed
      for (const record of forth) yield* Context.get(other, Ledger).applyRecord(record)
      assert.deepInclude(answer, { records: 31, applied: 30, held: 1 })
      const [state, expected] = [
        yield* Context.get(node, LedgerReader).state,
        yield* Context.get(other, LedgerReader).state
      ]
      assert.deepStrictEqual(state, expected)
      assert.deepStrictEqual((yield* get(admin, "/feed")).json as unknown, answer.ledger)
      assert.strictEqual(answer.ledger.version, expected.snapshotId.version)
    })))

  it.live("a feed without derived values gives the answers of the whole feed, and one with a wrong exit root is refused", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin, node } = yield* watched()
      const { node: other } = yield* watched()
      const at = blocks.findIndex(({ batches = [] }) =>
        batches.some(({ exitRoot }) => exitRoot !== 0n)
      )
      const before = blocks.slice(0, at).map((each) => strippedRecord(block(each)))
      const withExits = strippedBlock(blocks[at]!)
      const wrong = {
        ...withExits,
        batches: withExits.batches!.map((batch) => ({ ...batch, exitRoot: batch.exitRoot ^ 1n }))
      }
      const refused = (yield* post(admin, "/feed", linesOf(...before, block(wrong))))
        .json as Refused
      assert.strictEqual(refused.records, at)
      assert.deepInclude(refused.errors[0], { line: at + 1, invariant: "exit-root" })
      const applied = (yield* post(
        admin,
        "/feed",
        linesOf(...blocks.map((each) => strippedRecord(block(each))))
      )).json as Fed
      assert.deepInclude(applied, { held: at, applied: blocks.length - at })
      for (const each of blocks) yield* Context.get(other, Ledger).applyBlock(each)
      for (const list of ["accounts", "batches", "exits", "transactions"] as const) {
        const [derived, whole] = [
          yield* Context.get(node, LedgerReader).list(list, { filters: {}, limit: 2000 }),
          yield* Context.get(other, LedgerReader).list(list, { filters: {}, limit: 2000 })
        ]
        assert.isNotEmpty(whole.items, list)
        assert.deepStrictEqual(derived, whole)
      }
    })))

  it.live("a record that is nested 50,000 levels deep is refused", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      const deep = `{"kind":"block","block":${"[".repeat(50_000)}${"]".repeat(50_000)}}\n`
      const { json, status } = yield* post(admin, "/feed", deep)
      assert.strictEqual(status, 400)
      assert.deepInclude((json as Refused).errors[0], { line: 1, pointer: "/block" })
    })))

  it.live("repeated blocks change nothing, and new ones among them are applied", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      const first = (yield* post(admin, "/feed", linesOf(...blocks.slice(0, 5).map(block))))
        .json as Fed
      const again = (yield* post(admin, "/feed", linesOf(...blocks.slice(0, 5).map(block))))
        .json as Fed
      assert.deepInclude(again, { records: 5, applied: 0, held: 5, ledger: first.ledger })
      assert.deepInclude(
        (yield* post(admin, "/feed", linesOf(...blocks.slice(0, 7).map(block)))).json as Fed,
        { applied: 2, held: 5 }
      )
    })))

  it.live("a rollback that is repeated after a lost answer does not remove what came after it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      yield* post(admin, "/feed", linesOf(...blocks.slice(0, 6).map(block)))
      const fork = { kind: "rollBack", toBlock: blocks[2]!.number } as const
      const body = linesOf(fork, block(blocks[3]!))
      const once = yield* post(admin, "/feed", body, { "feed-after": blocks[5]!.hash })
      assert.strictEqual(once.status, 200)
      const firstAnswer = once.json as Fed
      assert.strictEqual(firstAnswer.ledger.block.hash, blocks[3]!.hash)
      const twice = yield* post(admin, "/feed", body, { "feed-after": blocks[5]!.hash })
      assert.strictEqual(twice.status, 412)
      const refused = twice.json as Refused
      assert.strictEqual(typeOf(refused), "ledger-elsewhere")
      assert.deepStrictEqual(refused.ledger, firstAnswer.ledger)
      assert.deepStrictEqual((yield* get(admin, "/feed")).json as unknown, firstAnswer.ledger)
    })))

  it.live("a head is applied without Feed-After, is part of the position, and can be sent again", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      const { hash, number, timestampMs } = blocks[2]!
      const headAt = (blocksAbove: bigint): FeedRecord => ({
        kind: "head",
        head: { number: number + blocksAbove, hash, timestampMs, chainHead: number + 9n }
      })
      const before = (yield* post(admin, "/feed", linesOf(...blocks.slice(0, 3).map(block))))
        .json as Fed
      assert.deepInclude(before.ledger, { head: null })
      for (
        let version = before.ledger.version + 1;
        version < before.ledger.version + 3;
        version++
      ) {
        const fed = (yield* post(admin, "/feed", linesOf(headAt(5n)), { "feed-after": hash }))
          .json as Fed
        assert.deepInclude(fed, { records: 1, applied: 1, held: 0 })
        assert.deepStrictEqual(fed.ledger as object, {
          ...before.ledger,
          head: {
            number: `${number + 5n}`,
            hash,
            timestampMs,
            chainHead: `${number + 9n}`
          },
          version
        })
      }
      const refused = yield* post(admin, "/feed", linesOf(headAt(-1n)))
      assert.strictEqual(refused.status, 422)
      assert.deepInclude((refused.json as Refused).errors[0], {
        line: 1,
        pointer: "/head/number",
        invariant: "head-number",
        value: `${number - 1n}`
      })
      const contradicting = yield* post(admin, "/feed", linesOf(block(blocks[3]!)))
      assert.deepInclude((contradicting.json as Refused).errors[0], {
        pointer: "/block/number",
        invariant: "block-above-head"
      })
      const lowered = yield* post(admin, "/feed", linesOf(headAt(0n), block(blocks[3]!)))
      assert.deepInclude(lowered.json as Fed, { records: 2, applied: 2 })
    })))

  it.live("a block may leave out the empty blocks before it, and a rollback may go into such a gap", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      const [first, second] = blocks as [BlockFeed, BlockFeed]
      yield* post(admin, "/feed", linesOf(block(first)))
      const { block: last } = (yield* get(admin, "/feed")).json as Fed["ledger"]
      const number = second.number + 1_000_000n
      const later = { ...second, number, parentHash: `0x${"e".repeat(64)}` }
      const linked = { ...later, previous: { number: BigInt(last.number), hash: last.hash } }
      const unlinked = (yield* post(admin, "/feed", linesOf(block(later)))).json as Refused
      assert.deepInclude(unlinked.errors[0], {
        pointer: "/block/number",
        invariant: "block-number"
      })
      const other = { ...linked, previous: { ...linked.previous, hash: second.hash } }
      assert.deepInclude(
        ((yield* post(admin, "/feed", linesOf(block(other)))).json as Refused).errors[0],
        {
          pointer: "/block/previous/hash",
          invariant: "previous-block",
          value: second.hash,
          rule: `${first.hash}, the last block ${first.number} of the ledger`
        }
      )
      const twice = linesOf(block(linked), block(linked))
      assert.deepInclude((yield* post(admin, "/feed", twice)).json as Fed, { applied: 1, held: 1 })
      const inside = (yield* post(admin, "/feed", linesOf(block(second)))).json as Refused
      assert.deepInclude(inside.errors[0], {
        invariant: "block-gap",
        rule:
          `a block outside the gap between ${first.number} and ${number}, whose blocks the feed left out as empty`
      })
      const into = linesOf({ kind: "rollBack", toBlock: second.number + 7n })
      const rolledBack = yield* post(admin, "/feed", into, { "feed-after": second.hash })
      assert.strictEqual(
        (rolledBack.json as Fed).ledger.block.number,
        first.number.toString(),
        rolledBack.text
      )
      assert.deepInclude((yield* post(admin, "/feed", linesOf(block(second)))).json as Fed, {
        applied: 1
      })
    })))

  it.live("a position that has to wait for a long write is refused without a claim about another process", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin, node } = yield* watched()
      const resolve = Effect.never
      yield* Effect.forkScoped(
        Context.get(node, LedgerWriter).apply(
          blocks[0]!,
          () => Result.succeed({ kind: "deferred", resolve })
        )
      )
      const { json, status } = yield* get(admin, "/feed")
      assert.strictEqual(status, 503)
      assert.match((json as Refused).message, /or a write of this one takes long/u)
    })))

  it.live("a rollback without the expected position of the ledger is refused, with the header to send", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      yield* post(admin, "/feed", linesOf(...blocks.slice(0, 3).map(block)))
      const body = linesOf(block(blocks[2]!), { kind: "rollBack", toBlock: blocks[0]!.number })
      const answer = yield* post(admin, "/feed", body)
      assert.strictEqual(answer.status, 428)
      const { message, ...refused } = answer.json as Refused
      assert.deepInclude(refused, { line: 2, records: 1 })
      const [name, hash] = /header "([\w-]+): (0x\w+)"/u.exec(message)!.slice(1)
      assert.strictEqual((yield* post(admin, "/feed", body, { [name!]: hash! })).status, 200)
    })))

  it.live("a feed that is sent again changes nothing, says so for each line, and takes no newer price back", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin, node } = yield* watched()
      const priceOf = Effect.map(
        Context.get(node, LedgerReader).find("token", 0),
        ({ item }) => [item!.priceUSD, item!.priceTimeMs]
      )
      const price = (priceUSD: number | null, timeMs: number) =>
        ({ kind: "prices", prices: [{ tokenId: 0, priceUSD, timeMs }] }) as const
      const feed = linesOf(block(blocks[0]!), block(blocks[1]!), price(5, 2e12))
      const report = (yield* post(admin, "/feed", feed)).json as Fed
      assert.deepInclude(report, { records: 3, applied: 3, held: 0, heldLines: [] })
      assert.deepStrictEqual(yield* priceOf, [5, 2e12])
      assert.deepInclude((yield* post(admin, "/feed", feed)).json as Fed, {
        records: 3,
        applied: 0,
        held: 3,
        heldLines: [{ from: 1, to: 3 }],
        ledger: report.ledger
      })
      yield* post(admin, "/feed", linesOf(price(6, 2e12 + 1)))
      assert.deepInclude(
        (yield* post(admin, "/feed", `${feed}\n${linesOf(price(6, 2e12 + 1), price(8, 3e12))}`))
          .json as Fed,
        {
          applied: 1,
          // line 4 is blank
          heldLines: [{ from: 1, to: 3 }, { from: 5, to: 5 }]
        }
      )
      assert.deepStrictEqual(yield* priceOf, [8, 3e12])
      // a correction of the same time is applied
      yield* post(admin, "/feed", linesOf(price(7, 3e12)))
      assert.deepStrictEqual(yield* priceOf, [7, 3e12])
    })))

  it.live("a price of a token that is not registered is refused with its place in the record, also if it is null or follows an old price", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      const pricesAt = (
        timeMs: number,
        ...prices: ReadonlyArray<readonly [number, number | null]>
      ) =>
        linesOf({
          kind: "prices",
          prices: prices.map(([tokenId, priceUSD]) => ({ tokenId, priceUSD, timeMs }))
        })
      yield* post(admin, "/feed", pricesAt(2e12, [0, 5]))
      for (const unregistered of [7, null]) {
        const answer = yield* post(admin, "/feed", pricesAt(1e12, [0, 6], [99, unregistered]))
        assert.strictEqual(answer.status, 422)
        assert.match(
          (answer.json as Refused).message,
          /at \/prices\/1\/tokenId: .*registered token/u
        )
      }
    })))

  it.live("a record that contradicts the ledger is refused with value, rule, place and line, and the records before it stay", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin, node } = yield* watched()
      const wrong = { ...blocks[2]!, parentHash: blocks[0]!.hash }
      const violation = yield* Effect.flip(
        Effect.andThen(
          Effect.forEach(
            blocks.slice(0, 2),
            (block) => Context.get(node, Ledger).applyBlock(block)
          ),
          Context.get(node, Ledger).applyBlock(wrong)
        )
      )
      assert.strictEqual(violation._tag, "BlockViolation")
      const answer = yield* post(
        admin,
        "/feed",
        `${linesOf(block(blocks[0]!), block(blocks[1]!))}\n${
          linesOf(block(wrong), block(blocks[3]!))
        }`
      )
      assert.strictEqual(answer.status, 422)
      const refused = answer.json as Refused
      assert.deepInclude(refused, { line: 4, records: 2, applied: 0, held: 2 })
      assert.include(refused.message, violation.message)
      assert.deepInclude(refused.errors[0], {
        line: 4,
        pointer: "/block/parentHash",
        value: blocks[0]!.hash,
        invariant: "parent-hash"
      })
      assert.strictEqual(
        (((yield* get(admin, "/feed")).json) as Fed["ledger"]).block.hash,
        blocks[1]!.hash
      )
    })))

  it.live("a record of the wrong form is refused with all its violations", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      const cases: ReadonlyArray<readonly [string, string, string]> = [
        ["{", "", "JSON"],
        ["7", "", "one of genesis, block, rollBack, prices, head"],
        ["{}", "/kind", "one of genesis, block, rollBack, prices, head"],
        ['{"kind":"rollBack","toBlock":5}', "/toBlock", "string"],
        ['{"kind":"rollBack"}', "/toBlock", "a member of this name"],
        ['{"kind":"rollBack","toBlock":"5","tooBlock":1}', "/tooBlock", "no member of this name"]
      ]
      for (const [text, pointer, rule] of cases) {
        const answer = yield* post(admin, "/feed", text)
        assert.strictEqual(answer.status, 400, text)
        assert.deepInclude((answer.json as Refused).errors[0], { line: 1, pointer, rule }, text)
      }
      const many = (yield* post(admin, "/feed", '{"kind":"block","block":{"number":"x","hash":1}}'))
        .json as Refused
      assert.deepStrictEqual(many.errors.map(({ pointer }) => pointer), [
        "/block/number",
        "/block/hash",
        "/block/parentHash",
        "/block/timestampMs"
      ])
      const noText = yield* Effect.promise(() =>
        fetch(`${admin.url}/feed`, {
          method: "POST",
          body: new Uint8Array([34, 255, 34]),
          headers: { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" }
        })
      )
      assert.strictEqual(noText.status, 400)
    })))

  it.live("a line may have as many bytes as the limit, and not one more", () =>
    Effect.scoped(Effect.gen(function*() {
      const line = linesOf(block(blocks[0]!)).trim()
      const { admin } = yield* watched({ limits: { feedLineBytesMax: Buffer.byteLength(line) } })
      const over = yield* post(admin, "/feed", ` ${line}\n`)
      assert.strictEqual(over.status, 413)
      assert.strictEqual((over.json as Refused).line, 1)
      assert.strictEqual((yield* post(admin, "/feed", line)).status, 200)
    })))

  it.live("a client that stops in the middle of a line gets an error, and the records before it are applied", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched({ limits: { adminBodyIdleMs: 100 } })
      const answer = yield* Effect.promise(() =>
        new Promise<string>((resolve, reject) => {
          const socket = connect(Number(new URL(admin.url).port), "127.0.0.1")
          let received = ""
          socket.on("data", (data) => {
            received += data
            if (received.includes("\r\n\r\n") && received.endsWith("}")) resolve(received)
          }).on("error", reject)
          socket.write(
            `POST /feed HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/x-ndjson\r\nContent-Length: 100000\r\n\r\n${
              linesOf(block(blocks[0]!))
            }{"kind"`
          )
        })
      )
      assert.match(answer, /^HTTP\/1\.1 408 /u)
      assert.match(answer, /"line":2,"records":1/u)
      assert.match(answer, /connection: close/iu)
    })))

  it.live("a client that disconnects leaves whole records, and the next one continues", () =>
    Effect.scoped(Effect.gen(function*() {
      const { admin } = yield* watched()
      yield* Effect.promise(() =>
        new Promise<void>((resolve) => {
          const socket = connect(Number(new URL(admin.url).port), "127.0.0.1", () => {
            socket.write(
              `POST /feed HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n`
            )
            const body = linesOf(...blocks.slice(0, 20).map(block)).slice(0, -30)
            socket.write(`${body.length.toString(16)}\r\n${body}`, () => socket.resetAndDestroy())
          })
          socket.on("close", () => resolve())
        })
      )
      const { block: { number } } = (yield* get(admin, "/feed")).json as Fed["ledger"]
      assert.isBelow(Number(number), Number(blocks[19]!.number))
      assert.deepInclude(
        (yield* post(admin, "/feed", linesOf(...blocks.slice(0, 20).map(block)))).json as Fed,
        { records: 20 }
      )
      assert.strictEqual(
        (((yield* get(admin, "/feed")).json) as Fed["ledger"]).block.hash,
        blocks[19]!.hash
      )
    })))

  it.live("the body is read only as fast as its lines are applied", () =>
    Effect.promise(async () => {
      const [line, chunksMax] = [Buffer.from(`${"x".repeat(16_383)}\n`), 1000]
      let pulled = 0
      const body = new Readable({
        read: () => void (pulled++ < chunksMax ? body.push(line) : body.push(null))
      })
      const lines = readLines(body, { idleMs: 1000, lineBytesMax: 20_000 })
      for (let taken = 1; taken <= 5; taken++) {
        await lines.next()
        for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
        // one buffer is being processed, and one is full behind it
        assert.isAtMost(pulled, taken + 1 + 2 * body.readableHighWaterMark / line.length)
      }
      let rest = 0
      for await (const next of lines) rest += "text" in next ? 1 : 0
      assert.strictEqual(rest, chunksMax - 5)
    }))
})
