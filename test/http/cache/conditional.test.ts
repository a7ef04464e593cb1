/*
 * Cached answers and conditional requests. To replay one history:
 *
 *     SEED=123 npm test -- test/http/cache/conditional.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { keccak256 } from "../../../adapters/crypto/mod.ts"
import { type Operation, operations } from "../../../core/contract/mod.ts"
import type { BlockFeed, FeedRecord } from "../../../core/domain/mod.ts"
import { type LedgerPart, ledgerParts, type LedgerSnapshot } from "../../../core/ports/mod.ts"
import { mounts, urlInEachRevision } from "../../_mounts.ts"
import { effectiveRecords, replay } from "../../laws/mod.ts"
import { networkOf, optionsOf, seeds, titled } from "../../properties/_networks.ts"
import { openStores, stirPool, type Tips, type TestResponse } from "./_cached_answers.ts"
import { pendingExit } from "../../laws/pool/_pool_rows.ts"

const pooled = 5
const lists = Object.values(operations).flatMap((operation: Operation) =>
  operation.kind === "list" ? [operation.path] : []
)
const everyKind = [
  "/state",
  "/config",
  "/batches/1",
  "/full-batches/1",
  "/tokens/0",
  "/accounts/zk:ETH:256",
  "/slots/0",
  "/slots/3",
  ...lists.flatMap((list) => [`${list}?limit=3`, `${list}?limit=30&order=DESC`]),
  ...Array.from(
    { length: pooled },
    (_, number) => `/transactions-pool/${pendingExit(number).id}`
  )
]

/** Returns the versions of the ledger, except that one part never changes. */
const forgetting = ({ ledger, pool }: Tips, part: LedgerPart): Tips => ({
  pool,
  ledger: {
    ...ledger!,
    snapshot: (version): LedgerSnapshot | null => {
      const snapshot = ledger!.snapshot!(version)
      return snapshot === null ? null : { ...snapshot, parts: { ...snapshot.parts, [part]: 0 } }
    }
  }
})

describe("a cached answer", () => {
  for (const seed of seeds.slice(0, 2)) {
    it.effect(`never differs from a fresh one, for any changes of ledger and pool: ${titled(seed, "test/http/cache/conditional.test.ts")}`, () =>
      Effect.gen(function*() {
        const { genesis, records } = networkOf(optionsOf(seed), 150)
        const { ledger, open, pool, tips } = yield* openStores(genesis)
        const ready = yield* open(tips)
        const forgetful = yield* open(tips, { answersBytesMax: 0 })
        const { ask: fresh } = yield* open({ ledger: null, pool: null })
        const seen = new Map<string, TestResponse>()
        const urls: Array<string> = [
          ...everyKind,
          ...mounts.slice(1).map((mount) => `${mount}/state`)
        ]
        for (const [place, record] of records.entries()) {
          yield* Effect.orDie(ledger.applyRecord(record))
          if (place > 20) yield* stirPool(pool, pooled, place)
          if (place % 9 === 0) {
            const facts = replay(genesis, effectiveRecords(records.slice(0, place + 1)), keccak256)
            const some = urlInEachRevision(facts, genesis.network)
            urls.push(
              ...(yield* Arbitrary.sampleEffect(some, { count: 10, seed: `${seed} ${place}` }))
                .flat()
            )
          }
          // with a cache before and after, and without a cache but with the entity tags
          for (const url of urls) {
            const expected = yield* fresh(url)
            for (const { ask } of [ready, ready, forgetful]) {
              const before = seen.get(url)
              const response = yield* ask(
                url,
                before === undefined ? {} : { "if-none-match": before.headers.etag! }
              )
              for (
                const name of [
                  "ledger-version",
                  "ledger-batch",
                  "ledger-ethereum-block",
                  "api-revision"
                ]
              ) assert.strictEqual(response.headers[name], expected.headers[name], url)
              if (response.status === 304) {
                assert.strictEqual(response.body, "")
                assert.strictEqual(response.headers.etag, before!.headers.etag)
                assert.strictEqual(before!.body, expected.body, url)
                if (ask === ready.ask) {
                  assert.strictEqual((yield* ask(url)).body, expected.body, url)
                }
                continue
              }
              assert.strictEqual(response.status, expected.status, url)
              if (response.status !== 200) {
                seen.delete(url)
                continue
              }
              assert.strictEqual(response.body, expected.body, url)
              seen.set(url, response)
            }
          }
        }
        const { hits, misses, notModified } = ready.stats()
        assert.isAbove(notModified, 1000)
        assert.isAbove(hits, 1000)
        assert.isAbove(misses, 1000)
        assert.isAbove(forgetful.stats().notModified, 1000)
        assert.strictEqual(forgetful.stats().hits, 0)
        // no entity tag stands for two contents, of any two URLs or revisions
        const contents = new Map<string, string>()
        for (const [url, { body, headers }] of seen) {
          assert.strictEqual(contents.get(headers.etag!) ?? body, body, url)
          contents.set(headers.etag!, body)
        }
      }))
  }

  it.effect(
    "is found to differ if a store does not report the change of any one part",
    () =>
      Effect.gen(function*() {
        const { genesis, records } = networkOf(optionsOf("1"), 120)
        const { ledger, open, pool, tips } = yield* openStores(genesis)
        const { ask: fresh } = yield* open({ ledger: null, pool: null })
        const careless = new Map<string, Tips>(
          ledgerParts.map((part) => [part, forgetting(tips, part)] as const)
        )
        const applications = new Map<string, (url: string) => Effect.Effect<TestResponse>>()
        for (const [part, tips] of careless) applications.set(part, (yield* open(tips)).ask)
        const last = records.findLast((record) => record.kind === "block")!.block
        const after = (blocks: number, parts: Partial<BlockFeed>): FeedRecord => ({
          kind: "block",
          block: {
            number: last.number + BigInt(blocks),
            hash: hash(blocks),
            parentHash: blocks === 1 ? last.hash : hash(blocks - 1),
            timestampMs: last.timestampMs + 1000 * blocks,
            ...parts
          }
        })
        const hash = (blocks: number) => `0x${String(blocks).padStart(64, "7")}`
        const bidderAddr = `0x${"77".repeat(20)}`
        // changes that the simulated network does not make on their own
        const more = [
          // one of the two is not the first block of its slot
          ...[1, 2].map((blocks) =>
            after(blocks, {
              auctionVariables: { ...genesis.variables.auction, openAuctionSlots: blocks }
            })
          ),
          after(3, {
            coordinators: [{ bidderAddr, forgerAddr: bidderAddr, url: "https://seven.example" }],
            verifiers: [{ maxTx: 7, nlevels: 7 }]
          }),
          after(4, { bids: [{ slotNum: 2, bidderAddr, bidValue: 10n ** 60n }] }),
          after(5, { verifiers: [{ maxTx: 7, nlevels: 7 }] }),
          { kind: "rollBack", toBlock: last.number } as const
        ]
        const found = new Map<string, string>()
        for (const [place, record] of [...records, ...more].entries()) {
          yield* Effect.orDie(ledger.applyRecord(record))
          yield* stirPool(pool, pooled, place)
          for (const url of everyKind) {
            const { body, status } = yield* fresh(url)
            for (const [part, ask] of applications) {
              const response = yield* ask(url)
              if (response.body === body && response.status === status) continue
              found.set(part, url)
              applications.delete(part)
            }
          }
        }
        assert.sameMembers([...found.keys()], [...careless.keys()])
      }),
    60_000
  )

  it.effect("and a 304 cost no read of a store", () =>
    Effect.gen(function*() {
      const { genesis, records } = networkOf(optionsOf("1"), 50)
      const { ledger, open, pool, readsOf, tips } = yield* openStores(genesis)
      const { ask: ready } = yield* open(tips)
      for (const record of records) yield* Effect.orDie(ledger.applyRecord(record))
      for (let step = 0; step < pooled; step++) yield* stirPool(pool, pooled, step)
      for (const url of [...everyKind.slice(0, -pooled), "/docs", "/openapi.json"]) {
        const first = yield* ready(url)
        if (first.status !== 200) continue
        const before = readsOf()
        assert.strictEqual((yield* ready(url)).body, first.body)
        assert.strictEqual(
          (yield* ready(url, { "if-none-match": `"other", W/${first.headers.etag}` })).status,
          304
        )
        assert.strictEqual((yield* ready(url, { "if-none-match": "*" })).status, 304)
        assert.strictEqual(readsOf(), before, url)
      }
      // an application without a cache answers by the entity tag alone
      const { ask: other } = yield* open(tips)
      for (const url of ["/accounts?limit=3", "/v1/transactions-history?includePendingL1s=true"]) {
        const { headers } = yield* ready(url)
        const before = readsOf()
        assert.strictEqual((yield* other(url, { "if-none-match": headers.etag! })).status, 304)
        assert.strictEqual(readsOf(), before, url)
      }
      const before = readsOf()
      yield* ready("/accounts?limit=6")
      assert.isAbove(readsOf(), before)
    }))

  it.effect("is separate for each revision, by path or by header", () =>
    Effect.gen(function*() {
      const { genesis } = networkOf(optionsOf("1"), 0)
      const { open, tips } = yield* openStores(genesis)
      const { ask: ready } = yield* open(tips)
      const responses = [
        yield* ready("/tokens"),
        yield* ready("/earlier/tokens"),
        yield* ready("/tokens", { "api-revision": "earlier" })
      ]
      assert.notStrictEqual(responses[0]!.headers.etag, responses[1]!.headers.etag)
      assert.strictEqual(responses[1]!.body, responses[2]!.body)
      assert.strictEqual(
        (yield* ready("/tokens", {
          "api-revision": "earlier",
          "if-none-match": responses[0]!.headers.etag!
        })).status,
        200
      )
      assert.strictEqual(
        (yield* ready("/tokens", { "if-none-match": responses[0]!.headers.etag! })).status,
        304
      )
    }))

  it.effect("may be cached forever if no rollback can change it, and has to be revalidated otherwise", () =>
    Effect.gen(function*() {
      const { genesis, records } = networkOf(optionsOf("1"), 120)
      const { ledger, open, tips } = yield* openStores(genesis)
      const { ask: ready } = yield* open(tips, { finalAfterBatches: 3 })
      const { ask: unkept } = yield* open(tips, { finalAfterBatches: 3, answersBytesMax: 0 })
      let early: TestResponse | undefined
      for (const record of records) {
        yield* Effect.orDie(ledger.applyRecord(record))
        const response = yield* ready("/batches/1")
        if (early === undefined && response.status === 200) early = response
      }
      assert.strictEqual(early!.headers["cache-control"], "no-cache")
      const last = Number((yield* ready("/state")).headers["ledger-batch"])
      assert.isAbove(last, 4)
      for (const ask of [ready, unkept]) {
        assert.strictEqual(
          (yield* ask(`/batches/${last - 3}`)).headers["cache-control"],
          "public, max-age=31536000, immutable"
        )
        assert.strictEqual(
          (yield* ask(`/batches/${last - 2}`)).headers["cache-control"],
          "no-cache"
        )
        assert.strictEqual((yield* ask("/batches?limit=1")).headers["cache-control"], "no-cache")
        // an answer cached or sent before it was final
        const { headers } = yield* ask("/batches/1")
        assert.strictEqual(headers["cache-control"], "public, max-age=31536000, immutable")
        const again = yield* ask("/batches/1", { "if-none-match": headers.etag! })
        assert.deepStrictEqual([again.status, again.headers["cache-control"]], [
          304,
          "public, max-age=31536000, immutable"
        ])
      }
    }))
})
