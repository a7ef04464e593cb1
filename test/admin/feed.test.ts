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
import {
  blockFeed,
  blocks,
  feed,
  genesis,
  get,
  linesOf,
  portOf,
  positionOf,
  post,
  postHead,
  records,
  type Report,
  watched
} from "./_admin.ts"

const block = (block: BlockFeed): FeedRecord => ({ kind: "block", block })

describe("the feed over HTTP", () => {
  it.live("a ledger fed over HTTP gives the same answers as one fed in the process", () =>
    Effect.gen(function*() {
      const { admin, node } = yield* watched()
      const { node: other } = yield* watched()
      const forth = records.slice(0, 30)
      const { block: { hash } } = genesis
      const report = yield* feed(admin, [{ kind: "genesis", genesis }, ...forth], hash)
      for (const record of forth) yield* Context.get(other, Ledger).applyRecord(record)
      assert.deepInclude(report, { records: 31, applied: 30, held: 1 })
      const expected = yield* Context.get(other, LedgerReader).state
      assert.deepStrictEqual(yield* Context.get(node, LedgerReader).state, expected)
      assert.deepStrictEqual(yield* positionOf(admin), report.ledger)
      assert.strictEqual(report.ledger.version, expected.snapshotId.version)
    }))

  it.live("a rollback needs the hash of the last block, and is not repeated after a lost answer", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched()
      yield* feed(admin, blockFeed(0, 5))
      const fork: ReadonlyArray<FeedRecord> = [
        ...blockFeed(4, 5),
        { kind: "rollBack", toBlock: blocks[2]!.number },
        ...blockFeed(3, 4)
      ]
      const unsure = yield* feed(admin, fork)
      assert.deepInclude(unsure, { status: 428, line: 2, records: 1 })
      const [, header, hash] = /header "([\w-]+): (0x\w+)"/u.exec(unsure.message)!
      assert.deepStrictEqual([header, hash], ["Feed-After", blocks[4]!.hash])
      const { ledger, status } = yield* feed(admin, fork, hash)
      assert.deepStrictEqual([status, ledger.block.hash], [200, blocks[3]!.hash])
      assert.deepInclude(yield* feed(admin, fork, hash), {
        status: 412,
        type: "urn:rollup-node-api:problem:ledger-elsewhere",
        ledger
      })
      assert.deepStrictEqual(yield* positionOf(admin), ledger)
    }))

  it.live("a head is applied without Feed-After, is part of the position, and can be sent again", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched()
      const { hash, number, timestampMs } = blocks[2]!
      const headAt = (blocksAbove: bigint): FeedRecord => ({
        kind: "head",
        head: { number: number + blocksAbove, hash, timestampMs, chainHead: number + 9n }
      })
      const { ledger } = yield* feed(admin, blockFeed(0, 3))
      assert.isNull(ledger.head)
      const head = { number: `${number + 5n}`, hash, timestampMs, chainHead: `${number + 9n}` }
      for (const [times, feedAfter] of [undefined, hash].entries()) {
        const report = yield* feed(admin, [headAt(5n)], feedAfter)
        assert.deepInclude(report, { records: 1, applied: 1, held: 0 })
        const version = ledger.version + times + 1
        assert.deepStrictEqual(report.ledger, { ...ledger, head, version })
      }
      const refused = yield* feed(admin, [headAt(-1n)])
      assert.strictEqual(refused.status, 422)
      assert.deepInclude(refused.errors[0], {
        line: 1,
        pointer: "/head/number",
        invariant: "head-number",
        value: `${number - 1n}`
      })
      const lowered = yield* feed(admin, [headAt(0n), ...blockFeed(3, 4)])
      assert.deepInclude(lowered, { records: 2, applied: 2 })
    }))

  it.live("a block may leave out the empty blocks before it, and a rollback may go into such a gap", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched()
      const [first, second] = blocks as [BlockFeed, BlockFeed]
      yield* feed(admin, blockFeed(0, 1))
      const { block: { hash, number } } = yield* positionOf(admin)
      const later = {
        ...second,
        number: second.number + 1_000_000n,
        parentHash: `0x${"e".repeat(64)}`
      }
      const linked = { ...later, previous: { number: BigInt(number), hash } }
      const unlinked = { ...later, previous: { ...linked.previous, hash: second.hash } }
      assert.deepInclude((yield* feed(admin, [block(unlinked)])).errors[0], {
        pointer: "/block/previous/hash",
        invariant: "previous-block",
        value: second.hash,
        rule: `${first.hash}, the last block ${first.number} of the ledger`
      })
      assert.deepInclude(yield* feed(admin, [block(linked), block(linked)]), {
        applied: 1,
        held: 1
      })
      const into = yield* feed(
        admin,
        [{ kind: "rollBack", toBlock: second.number + 7n }, block(second)],
        second.hash
      )
      assert.deepInclude(into, { status: 200, applied: 2 })
      assert.strictEqual(into.ledger.block.number, `${second.number}`)
    }))

  it.live("a feed that is sent again changes nothing, says so for each line, and takes no newer price back", () =>
    Effect.gen(function*() {
      const { admin, node } = yield* watched()
      const price = (priceUSD: number, timeMs: number): FeedRecord => ({
        kind: "prices",
        prices: [{ tokenId: 0, priceUSD, timeMs }]
      })
      const sent = [...blockFeed(0, 2), price(5, 2e12)]
      const report = yield* feed(admin, sent)
      assert.deepInclude(report, { records: 3, applied: 3, held: 0, heldLines: [] })
      const { ledger } = report
      assert.deepInclude(yield* feed(admin, sent), {
        records: 3,
        applied: 0,
        held: 3,
        heldLines: [{ from: 1, to: 3 }],
        ledger
      })
      yield* feed(admin, [price(6, 2e12 + 1)])
      const mixed = `${linesOf(...sent)}\n${
        linesOf(price(6, 2e12 + 1), price(8, 3e12), ...blockFeed(2, 3))
      }`
      assert.deepInclude((yield* post(admin, "/feed", mixed)).json as Report, {
        applied: 2,
        // line 4 is blank
        heldLines: [{ from: 1, to: 3 }, { from: 5, to: 5 }]
      })
      const priceNow = Effect.map(
        Context.get(node, LedgerReader).find("token", 0),
        ({ item }) => [item!.priceUSD, item!.priceTimeMs]
      )
      assert.deepStrictEqual(yield* priceNow, [8, 3e12])
      // a correction of the same time is applied
      yield* feed(admin, [price(7, 3e12)])
      assert.deepStrictEqual(yield* priceNow, [7, 3e12])
      // also within a record, whether it arrives once or twice
      const twoPrices = [
        { tokenId: 0, priceUSD: 9, timeMs: 5e12 },
        { tokenId: 0, priceUSD: 8, timeMs: 4e12 }
      ]
      for (const applied of [1, 0]) {
        const reply = yield* feed(admin, [{ kind: "prices", prices: twoPrices }])
        assert.strictEqual(reply.applied, applied)
        assert.deepStrictEqual(yield* priceNow, [9, 5e12])
      }
    }))

  it.live("a price of a token that is not registered is refused with its place in the record, also if it is null or follows an old price", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched()
      const pricesAt = (
        timeMs: number,
        ...prices: ReadonlyArray<readonly [tokenId: number, priceUSD: number | null]>
      ): FeedRecord => ({
        kind: "prices",
        prices: prices.map(([tokenId, priceUSD]) => ({ tokenId, priceUSD, timeMs }))
      })
      yield* feed(admin, [pricesAt(2e12, [0, 5])])
      for (const unregistered of [7, null]) {
        const refused = yield* feed(admin, [pricesAt(1e12, [0, 6], [99, unregistered])])
        assert.strictEqual(refused.status, 422)
        assert.match(refused.message, /at \/prices\/1\/tokenId: .*registered token/u)
      }
    }))

  it.live("a position that has to wait for a long write is refused without a claim about another process", () =>
    Effect.gen(function*() {
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
      assert.match((json as Report).message, /or a write of this one takes long/u)
    }))

  it.live("a record that contradicts the ledger is refused with value, rule, place and line, and the records before it stay", () =>
    Effect.gen(function*() {
      const { admin, node } = yield* watched()
      const wrong = { ...blocks[2]!, parentHash: blocks[0]!.hash }
      const { applyBlock, applyRecord } = Context.get(node, Ledger)
      for (const record of blockFeed(0, 2)) yield* applyRecord(record)
      const violation = yield* Effect.flip(applyBlock(wrong))
      const body = `${linesOf(...blockFeed(0, 2))}\n${linesOf(block(wrong), ...blockFeed(3, 4))}`
      const { json, status } = yield* post(admin, "/feed", body)
      const refused = json as Report
      assert.strictEqual(status, 422)
      assert.deepInclude(refused, { line: 4, records: 2, applied: 0, held: 2 })
      assert.include(refused.message, violation.message)
      assert.deepInclude(refused.errors[0], {
        line: 4,
        pointer: "/block/parentHash",
        value: blocks[0]!.hash,
        invariant: "parent-hash"
      })
      assert.strictEqual((yield* positionOf(admin)).block.hash, blocks[1]!.hash)
    }))

  it.live("a record of the wrong form is refused with all its violations", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched()
      const cases: ReadonlyArray<
        readonly [string | Uint8Array<ArrayBuffer>, object, ReadonlyArray<string>?]
      > = [
        ["{", { pointer: "", rule: "JSON" }],
        ["\ufeff{}", { pointer: "", rule: "JSON without a byte order mark" }],
        [new Uint8Array([34, 255, 34]), { pointer: "", rule: "UTF-8" }],
        ["7", { pointer: "", rule: "one of genesis, block, rollBack, prices, head" }],
        ["{}", { pointer: "/kind", rule: "one of genesis, block, rollBack, prices, head" }],
        ['{"kind":"rollBack","toBlock":5}', { pointer: "/toBlock", rule: "string" }],
        ['{"kind":"rollBack"}', { pointer: "/toBlock", rule: "a member of this name" }],
        ['{"kind":"rollBack","toBlock":"5","tooBlock":1}', {
          pointer: "/tooBlock",
          rule: "no member of this name"
        }],
        // nested deeper than the stack of a recursive function
        [`{"kind":"block","block":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, {
          pointer: "/block"
        }],
        ['{"kind":"block","block":{"number":"x","hash":1}}', { pointer: "/block/number" }, [
          "/block/hash",
          "/block/parentHash",
          "/block/timestampMs"
        ]]
      ]
      for (const [body, first, others = []] of cases) {
        const { json, status, text } = yield* post(admin, "/feed", body)
        assert.strictEqual(status, 400, text)
        const { errors: [error, ...more] } = json as Report
        assert.deepInclude(error, { line: 1, ...first })
        assert.deepStrictEqual(more.map(({ pointer }) => pointer), others)
      }
    }))

  it.live("a client that disconnects leaves whole records, and the next one continues", () =>
    Effect.gen(function*() {
      const { admin } = yield* watched()
      const sent = blockFeed(0, 20)
      yield* Effect.promise(() =>
        new Promise((resolve) => {
          const body = linesOf(...sent).slice(0, -30)
          const chunk = `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}`
          const socket = connect(portOf(admin), "127.0.0.1", () =>
            socket.write(`${postHead}${chunk}`, () =>
              socket.resetAndDestroy()))
          socket.on("close", resolve)
        })
      )
      const { block: { number } } = yield* positionOf(admin)
      assert.isBelow(Number(number), Number(blocks[19]!.number))
      const { ledger, records } = yield* feed(admin, sent)
      assert.deepStrictEqual([records, ledger.block.hash], [20, blocks[19]!.hash])
    }))

  it("reads the body only as fast as its lines are applied", async () => {
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
  })
})
