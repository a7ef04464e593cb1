/*
 * An audit of a database finds nothing in networks with rollbacks, and names every damage and its
 * place. To replay:
 *
 *     SEED=123 npm test -- test/audit/database.test.ts
 */
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { accountLeaf, merkleTree } from "../../adapters/crypto/mod.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { auditDatabase, Database } from "../../adapters/sql/mod.ts"
import { makeLedgerReader } from "../../adapters/sql/reads/ledger_reader.ts"
import { limitMax } from "../../core/contract/mod.ts"
import { auditChecks, Findings } from "../../core/use_cases/mod.ts"
import { freshDatabase, freshSchema } from "../postgres/mod.ts"
import { marketOf } from "../properties/_market.ts"
import {
  crowdedOptionsOf,
  gappedNetworkOf,
  type Network,
  networkOf,
  optionsOf
} from "../properties/_networks.ts"
import { damages } from "./_damages.ts"
import { auditDamaged, auditIn, openDatabase, play } from "./_stores.ts"

const seed = process.env.SEED ?? "1"

let shared: Promise<string> | undefined
const emptySchema = Effect.promise(async () =>
  freshSchema(await (shared ??= freshDatabase().then(({ url }) => url)))
)
const placeOf = (network: Network) =>
  Effect.gen(function*() {
    const { url } = yield* emptySchema
    yield* play(url, network, seed)
    return yield* openDatabase(url)
  })

describe(`an audit of a database (replay: SEED=${seed} npm test -- test/audit/database.test.ts)`, () => {
  const scope = Effect.runSync(Scope.make())
  const options = crowdedOptionsOf(seed)
  // with one coordinator there are no bids, which the damages need
  const coordinators = Math.max(3, options.coordinators!)
  const { genesis, records } = networkOf({ ...options, coordinators }, 600)
  let database: Database["Service"]
  let sql: SqlClient.SqlClient
  beforeAll(async () => {
    database = await Effect.runPromise(Scope.provide(placeOf({ genesis, records }), scope))
    sql = database.writes
  }, 60_000)
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), 60_000)

  it.effect(
    "finds nothing in a crowded network with rollbacks, posts and forging, and checks everything",
    () =>
      Effect.gen(function*() {
        const { checks, isSound, notes, violations } = yield* sql.withTransaction(
          auditIn(sql, { proofs: true })
        )
        assert.deepStrictEqual(violations, [])
        assert.isTrue(isSound)
        assert.deepStrictEqual(notes, [])
        const checksToRun = Object.keys(auditChecks).filter((check) =>
          !["state-root", "journal", "checkpoint", "feed"].includes(check)
        ).sort()
        assert.deepStrictEqual(
          checks.filter(({ checked }) => checked > 0).map(({ check }) => check).sort(),
          checksToRun
        )
      }),
    60_000
  )

  it.effect(
    "compares the root over all accounts with the state root of the last batch",
    () =>
      Effect.gen(function*() {
        const { items } = yield* makeLedgerReader(database.values, { genesis })
          .list("accounts", { filters: {}, limit: limitMax })
        const { root } = merkleTree(
          items.map(({ account }) => ({ index: account.index, leaf: accountLeaf(account) }))
        )
        const { checks, violations } = yield* auditDamaged(sql, [
          `UPDATE batch SET state_root = ${root} WHERE batch_num = (SELECT max(batch_num) FROM batch)`
        ], { stateRoot: true })
        assert.deepStrictEqual(violations, [])
        assert.strictEqual(
          checks.find(({ check }) => check === "state-root")!.checked,
          items.length
        )
      }),
    60_000
  )

  it.effect(
    "finds nothing in a network whose feed leaves out empty blocks, and names a missing block and a changed gap",
    () =>
      Effect.gen(function*() {
        const { writes: gapped } = yield* placeOf(gappedNetworkOf(optionsOf(seed), 100))
        const [gap] = yield* gapped.unsafe<{ readonly number: string; readonly previous: string }>(
          "SELECT number::text AS number, previous_after_gap::text AS previous FROM block WHERE previous_after_gap IS NOT NULL ORDER BY block.number DESC LIMIT 1"
        )
        const { number, previous } = gap!
        const damagesOfGap: ReadonlyArray<readonly [statement: string | null, found: string]> = [
          [null, ""],
          [
            `UPDATE block SET previous_after_gap = NULL WHERE number = ${number}`,
            `${previous}, expected ${BigInt(number) - 1n}`
          ],
          [
            `UPDATE block SET previous_after_gap = previous_after_gap - 1 WHERE number = ${number}`,
            `${previous}, expected ${BigInt(previous) - 1n}`
          ]
        ]
        for (const [statement, found] of damagesOfGap) {
          const { violations } = yield* auditDamaged(gapped, statement === null ? [] : [statement])
          assert.deepStrictEqual(
            violations.map((each) => `${each.place}: ${each.found}, expected ${each.expected}`),
            statement === null ? [] : [`block ${number}, previous block: ${found}`]
          )
        }
        const { violations } = yield* auditDamaged(gapped, [
          `DELETE FROM block WHERE number = ${previous}`
        ])
        assert.isTrue(
          violations.some(({ expected, place }) =>
            place === `block ${number}, previous block` && expected === previous
          )
        )
      }),
    60_000
  )

  it.effect(
    "finds nothing at any time while a network with bids is written",
    () =>
      Effect.gen(function*() {
        const { url } = yield* emptySchema
        const doors = yield* openDatabase(url)
        const playing = yield* Effect.forkChild(play(url, marketOf(seed, 30), seed))
        const found = Effect.gen(function*() {
          const findings = new Findings()
          yield* Effect.provideService(
            auditDatabase({
              keccak256,
              buildExitTrees: null,
              tree: null,
              onProgress: () => Effect.void
            }, findings),
            Database,
            doors
          )
          return findings.report()
        })
        for (let audits = 0; audits < 3 && playing.pollUnsafe() === undefined;) {
          const { checks, violations } = yield* found
          // before the tables exist, and before they contain a ledger
          if (checks.length <= 2) continue
          assert.deepStrictEqual(violations, [])
          audits++
        }
        yield* Fiber.join(playing)
        assert.deepStrictEqual((yield* found).violations, [])
      }),
    60_000
  )

  for (const [group, { all, ...checksToRun }] of Object.entries(damages)) {
    it.effect(`names every damage: ${group}`, () =>
      Effect.gen(function*() {
        const report = yield* auditDamaged(sql, all.map(({ statement }) => statement), checksToRun)
        assert.isFalse(report.isSound)
        for (const { check, place, statement } of all) {
          const named = report.violations.filter((violation) => violation.check === check).map((
            violation
          ) => violation.place)
          assert.isTrue(
            named.some((each) => place.test(each)),
            `${statement}\nis reported as ${check} at ${place}; the reports are: ${
              named.join("; ")
            }`
          )
        }
      }), 60_000)
  }
})
