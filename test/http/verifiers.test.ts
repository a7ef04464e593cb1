/* The verifiers of `/config` change with the chain, in each store. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll } from "vitest"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { Application } from "../../adapters/http/mod.ts"
import { poolLayer } from "../../adapters/memory/mod.ts"
import { wireContext } from "../../core/contract/mod.ts"
import type { BlockFeed } from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { type Ledger, Submission } from "../../core/use_cases/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { memoryLedger } from "../properties/_networks.ts"
import { ledgerOver, openStores, temporaryDirectory } from "../journal/_directories.ts"
import { emptyLedgers } from "../sql/_empty_ledgers.ts"

const { genesis } = simulate({ seed: "verifiers" })
const scope = Effect.runSync(Scope.make())
const openSql = Effect.runSync(Effect.cached(Scope.provide(emptyLedgers, scope)))
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

interface Opened {
  readonly ledger: Ledger["Service"]
  readonly reader: LedgerReader["Service"]
}
const stores: { readonly [name: string]: Effect.Effect<Opened, unknown, Scope.Scope> } = {
  memory: memoryLedger(genesis),
  "a directory": Effect.gen(function*() {
    const opened = yield* openStores(yield* temporaryDirectory, genesis)
    return { reader: opened.reader, ledger: yield* ledgerOver(genesis, opened) }
  }),
  PostgreSQL: Effect.flatMap(openSql, (open) => open(genesis))
}

const hashOf = (number: number) => `0x${String(number).padStart(64, "0")}`
const blockAfter = (number: number, parts: Partial<BlockFeed> = {}): BlockFeed => ({
  number: genesis.block.number + BigInt(number),
  hash: hashOf(number),
  parentHash: number === 1 ? genesis.block.hash : hashOf(number - 1),
  timestampMs: genesis.block.timestampMs,
  ...parts
})

describe("the verifiers of a network", () => {
  for (const [name, open] of Object.entries(stores)) {
    it.live(`change in /config and its ETag with the block that replaces them, and return with a rollback (${name})`, () =>
      Effect.gen(function*() {
        const { ledger, reader } = yield* open
        const ask = (path: string) =>
          Effect.flatMap(
            Application,
            ({ handle }) => handle({ method: "GET", url: path, headers: {} })
          )
        yield* Effect.gen(function*() {
          const read = Effect.gen(function*() {
            const answers = yield* Effect.forEach(["/config", "/earlier/config", "/v1/config"], ask)
            const bodies = answers.map(({ body }) => Buffer.from(body).toString())
            const tag = answers[0]!.headers.etag
            assert.isString(tag)
            const [found, ...others] = bodies.map((body) => /"verifiers":(\[[^\]]*\])/iu.exec(body))
            assert.isNotNull(found)
            for (const other of others) {
              if (other !== null) {
                assert.deepStrictEqual(numbersOf(other![1]!), numbersOf(found![1]!))
              }
            }
            return { verifiers: numbersOf(found![1]!), tag }
          })
          const first = yield* read
          assert.deepStrictEqual(first.verifiers, [344, 32, 2048, 32])
          yield* ledger.applyBlock(blockAfter(1))
          assert.deepStrictEqual(yield* read, first)
          yield* ledger.applyBlock(blockAfter(2, { verifiers: [{ maxTx: 400, nlevels: 40 }] }))
          const replaced = yield* read
          assert.deepStrictEqual(replaced.verifiers, [400, 40])
          assert.notStrictEqual(replaced.tag, first.tag)
          // other variables keep the verifiers
          yield* ledger.applyBlock(
            blockAfter(3, { rollupVariables: { ...genesis.variables.rollup, safeMode: true } })
          )
          assert.deepStrictEqual((yield* read).verifiers, [400, 40])
          yield* ledger.rollBack(genesis.block.number + 1n)
          const returned = yield* read
          assert.deepStrictEqual(returned.verifiers, first.verifiers)
          assert.notStrictEqual(returned.tag, replaced.tag)
        }).pipe(
          Effect.provide(Layer.fresh(
            Application.layer({
              context: wireContext(genesis.network, keccak256),
              constants: genesis.constants
            }).pipe(
              Layer.provide(
                Layer.mergeAll(
                  Layer.succeed(LedgerReader, reader),
                  poolLayer,
                  Layer.mock(Submission, {})
                )
              )
            )
          ))
        )
      }).pipe(Effect.scoped))
  }
})

const numbersOf = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/\d+/gu)].map(([digits]) => Number(digits))
