/*
 * The parts of an audit: the balances, the account tree, the findings, and the audit of a pool.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import type { Account, Batch, PoolState, PoolTransaction } from "../../core/domain/mod.ts"
import type { Pooled } from "../../core/ports/mod.ts"
import {
  type AuditViolation,
  auditPoolPorts,
  Balances,
  Findings,
  type PoolAuditPorts,
  StateLeaves
} from "../../core/use_cases/mod.ts"
import { postedOf } from "../pool/_node.ts"
import { ownersOf } from "../laws/pool/_pool_rows.ts"

describe("balances", () => {
  it("are the last values, however large, and nothing for an unset index", () => {
    const balances = new Balances()
    const holdings = [
      [256, 0n, 0n],
      [257, 2n ** 40n - 1n, 2n ** 192n - 1n],
      [4095, 3n, 2n ** 256n - 1n],
      [4096, 4n, 2n ** 64n],
      [4097, 5n, 2n ** 128n + 7n],
      [2 ** 40, 6n, 1n]
    ] as const
    for (const [index, nonce, balance] of holdings) {
      assert.isUndefined(balances.get(index))
      balances.set(index, { nonce: 9n, balance: 2n ** 255n })
      balances.set(index, { nonce, balance })
    }
    for (const [index, nonce, balance] of holdings) {
      assert.deepStrictEqual(balances.get(index), { nonce, balance })
    }
    // in any order of updates, each entry is independent
    for (const [index, nonce, balance] of holdings.toReversed()) {
      balances.set(index, { nonce, balance })
    }
    for (const [index, nonce, balance] of holdings) {
      assert.deepStrictEqual(balances.get(index), { nonce, balance })
    }
    for (const index of [0, 258, 4098, 8192]) assert.isUndefined(balances.get(index))
  })
})

describe("an account tree", () => {
  const hashes = {
    leaf: (index: number, value: bigint) => BigInt(index) * 1_000_003n + value,
    node: (left: bigint, right: bigint) => (left * 31n + right * 37n) % (2n ** 61n - 1n)
  }
  /**
   * Computes the root bit by bit of the index from the least significant one, as the tree is
   * specified.
   */
  const naive = (leaves: ReadonlyArray<readonly [number, bigint]>, level = 0): bigint =>
    leaves.length === 0
      ? 0n
      : leaves.length === 1
      ? hashes.leaf(...leaves[0]!)
      : hashes.node(
        ...[0, 1].map((bit) =>
          naive(leaves.filter(([index]) => (index >> level & 1) === bit), level + 1)
        ) as [bigint, bigint]
      )

  it("has the right root for any number of accounts", () => {
    for (const count of [0, 1, 2, 3, 255, 256, 257, 1024, 1025]) {
      const leaves = new StateLeaves()
      const all = Array.from(
        { length: count },
        (_, place) => [256 + place, 2n ** 250n + BigInt(place) * 2n ** 100n] as const
      )
      for (const [, value] of all) leaves.add(value)
      const steps = leaves.root(hashes)
      let [step, hashed] = [steps.next(), 0]
      for (; step.done !== true; step = steps.next()) hashed++
      assert.deepStrictEqual([leaves.count, hashed, step.value], [count, count, naive(all)])
    }
  })
})

describe("findings", () => {
  it("contain a limited number of violations of each check, and count all of them", () => {
    const findings = new Findings(2)
    findings.checked("tokens")
    findings.checked("tokens", 4)
    findings.checked("bids", 3)
    findings.checked("exits")
    for (let place = 0; place < 3; place++) findings.violate("tokens", `${place}`, null, undefined)
    findings.violate("fees", "a", 5n, true)
    assert.deepStrictEqual([findings.same("bids", "", 1, 1), findings.same("bids", "b", 1n, 1)], [
      true,
      false
    ])
    findings.note("Something")
    assert.deepStrictEqual([findings.violationsOf("tokens"), findings.violationsOf("batches")], [
      3,
      0
    ])
    const nothing = { found: "nothing", expected: "nothing" }
    assert.deepStrictEqual(findings.report(), {
      isSound: false,
      checks: [
        { check: "tokens", checked: 5, violations: 3 },
        { check: "bids", checked: 3, violations: 1 },
        { check: "exits", checked: 1, violations: 0 },
        { check: "fees", checked: 0, violations: 1 }
      ],
      violations: [
        { check: "tokens", place: "0", ...nothing },
        { check: "tokens", place: "1", ...nothing },
        { check: "fees", place: "a", found: "5", expected: "true" },
        { check: "bids", place: "b", found: "1", expected: "1" }
      ],
      notes: ["Something"]
    })
    const sound = new Findings()
    sound.checked("bids")
    assert.isTrue(sound.report().isSound)
  })

  it("contain up to a hundred of each check by default", () => {
    const findings = new Findings()
    for (let place = 0; place < 101; place++) findings.violate("bids", "", 0, 1)
    assert.lengthOf(findings.report().violations, 100)
  })
})

describe("an audit of a pool", () => {
  const rowOf = (state: PoolState, batchNum: number | null, nonce: bigint): Pooled => {
    const transaction: PoolTransaction = { ...postedOf({ nonce }), state, timestampMs: 0, batchNum }
    return { transaction, ...ownersOf(1), sinceMs: 0, arrival: Number(nonce) }
  }
  const nameOf = (state: PoolState, nonce: bigint) =>
    `pool transaction ${rowOf(state, null, nonce).transaction.id}`
  const hash = "0x01"

  interface Story {
    readonly rows: ReadonlyArray<Pooled>
    readonly pool?: Partial<PoolAuditPorts["pool"]>
    /** The last batch of the ledger. */
    readonly last?: number | null
    /** The batch that forged the transaction of a nonce. */
    readonly forgedIn?: { readonly [nonce: string]: number }
  }
  /**
   * Audits a pool against a ledger at batch 5, where the account has used nonces up to 4 and the
   * pool is reconciled.
   */
  const found = ({ forgedIn = {}, last = 5, pool = {}, rows }: Story) =>
    Effect.gen(function*() {
      const of = (state: PoolState) => rows.filter(({ transaction }) => transaction.state === state)
      const ports = {
        pool: {
          pendingSince: () => Effect.succeed(of("pend")),
          inBatches: ({ from, state, to }: { state: PoolState; from: number; to: number }) =>
            Effect.succeed(
              of(state).filter(({ transaction: { batchNum } }) =>
                batchNum! >= from && batchNum! <= to
              )
            ),
          counts: Effect.succeed({
            pend: of("pend").length,
            fing: of("fing").length,
            fged: of("fged").length,
            invl: of("invl").length
          }),
          transitions: (id: string) =>
            Effect.succeed(
              rows.filter(({ transaction }) => transaction.id === id).map((
                { transaction: { batchNum, state } }
              ) => ({ to: state, batchNum }))
            ),
          reconciledBatchesBelow: ({ batchNum, limit }: { batchNum: number; limit: number }) =>
            Effect.succeed(
              [{ batchNum: 5, ethereumBlockHash: hash }].filter(({ batchNum: mark }) =>
                mark < batchNum
              ).slice(0, limit)
            ),
          ...pool
        },
        reader: {
          snapshotId: Effect.succeed({ batchNum: last }),
          find: (name: string, key: string | number) =>
            Effect.succeed(
              name === "batch" ?
                { item: key === 5 ? { ethereumBlockHash: hash } as Batch : null } :
                {
                  item: Object.entries(forgedIn).filter(([nonce]) =>
                    rowOf("pend", null, BigInt(nonce)).transaction.id === key
                  ).map(([, batchNum]) => ({ transaction: { batchNum } }))[0] ?? null
                }
            ),
          accountsAndTokens: ({ accounts }: { accounts: ReadonlyArray<number> }) =>
            Effect.succeed({
              accounts: accounts.map((index) =>
                index === 256 ? { nonce: 5n } as Account : null
              ),
              tokens: []
            })
        }
      } as unknown as PoolAuditPorts
      const findings = new Findings()
      yield* auditPoolPorts(ports, keccak256, findings)
      return findings.report()
    })
  const sound = [
    rowOf("pend", null, 5n),
    rowOf("pend", null, 6n),
    rowOf("fing", 6, 7n),
    rowOf("fged", 5, 4n),
    rowOf("fged", 6, 8n),
    rowOf("invl", 3, 2n)
  ]
  const violations = (story: Story): Effect.Effect<ReadonlyArray<AuditViolation>, unknown> =>
    Effect.map(found(story), (report) => report.violations)

  it.effect("finds nothing if pool and ledger agree", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* found({ rows: sound, forgedIn: { 4: 5 } }), {
        isSound: true,
        violations: [],
        notes: [],
        checks: [{ check: "pool", checked: 6, violations: 0 }, {
          check: "pool-steps",
          checked: 6,
          violations: 0
        }, { check: "pool-ledger", checked: 5, violations: 0 }]
      })
    }))

  it.effect("names wrong counters, ids and transitions", () =>
    Effect.gen(function*() {
      const counts = Effect.succeed({ pend: 1, fing: 2, fged: 3, invl: 4 })
      assert.deepStrictEqual(
        yield* violations({ rows: [], pool: { counts } }),
        (["pend", "fing", "fged", "invl"] as const).map((state, place) => ({
          check: "pool" as const,
          place: `pool, ${state}`,
          found: `${place + 1}`,
          expected: "0"
        }))
      )
      const [right] = sound as [Pooled]
      const named = { ...right, transaction: { ...right.transaction, id: "0x02" } }
      const { id } = right.transaction
      assert.deepStrictEqual(yield* violations({ rows: [named] }), [{
        check: "pool",
        place: "pool transaction 0x02",
        found: "0x02",
        expected: id
      }])
      const unhashed = { ...right, transaction: { ...right.transaction, fee: -1 } }
      assert.deepStrictEqual(yield* violations({ rows: [unhashed] }), [{
        check: "pool",
        place: `pool transaction ${id}`,
        found: id,
        expected: "the hash of its fields"
      }])
      const steps = (
        ...all: ReadonlyArray<{ readonly to: PoolState | null; readonly batchNum: number | null }>
      ) => violations({ rows: [right], pool: { transitions: () => Effect.succeed(all as never) } })
      const step = {
        check: "pool-steps" as const,
        place: `pool transaction ${id}`,
        found: "pend null"
      }
      assert.deepStrictEqual(yield* steps(), [{
        ...step,
        expected: "the state after the last transition"
      }])
      assert.deepStrictEqual(
        yield* steps({ to: "pend", batchNum: null }, { to: "fing", batchNum: 3 }),
        [{ ...step, expected: "fing 3" }]
      )
      assert.deepStrictEqual(
        yield* steps({ to: "fing", batchNum: 3 }, { to: "pend", batchNum: null }),
        []
      )
    }))

  it.effect("names transactions that do not follow from the ledger", () =>
    Effect.gen(function*() {
      const of = (
        place: string,
        found: string,
        expected: string
      ) => [{ check: "pool-ledger" as const, place, found, expected }]
      assert.deepStrictEqual(
        yield* violations({ rows: [rowOf("fged", 5, 4n)], forgedIn: { 4: 3 } }),
        of(nameOf("fged", 4n), "forged in batch 5", "forged in batch 3")
      )
      assert.deepStrictEqual(
        yield* violations({ rows: [rowOf("fged", 5, 4n)] }),
        of(nameOf("fged", 4n), "forged in batch 5", "forged in batch null")
      )
      assert.deepStrictEqual(
        yield* violations({ rows: [rowOf("fing", 5, 7n)] }),
        of(
          nameOf("fing", 7n),
          "forging in batch 5",
          "pending or forged, because this batch is stored"
        )
      )
      assert.deepStrictEqual(
        yield* violations({ rows: [rowOf("pend", null, 4n)] }),
        of(
          nameOf("pend", 4n),
          "pending with nonce 4",
          "invalid or forged, because the nonce of account 256 is 5"
        )
      )
      const [elsewhere] = [rowOf("pend", null, 0n)]
      assert.deepStrictEqual(
        yield* violations({
          rows: [{
            ...elsewhere,
            transaction: { ...elsewhere.transaction, ...postedOf({ fromAccountIndex: 999 }) }
          }]
        }),
        []
      )
    }))

  it.effect("reports that it cannot compare with a ledger that the pool has not reconciled with", () =>
    Effect.gen(function*() {
      const noteOf = (reconciled: string, last: string) =>
        `The pool has reconciled with batch ${reconciled}, and the last batch is ${last}: its transactions were not compared with the ledger; the node reconciles the pool when it starts`
      const rows = [rowOf("pend", null, 4n)]
      const marks = (
        ...all: ReadonlyArray<{ readonly batchNum: number; readonly ethereumBlockHash: string }>
      ) => ({ reconciledBatchesBelow: () => Effect.succeed(all) })
      const notes = (story: Omit<Story, "rows">) =>
        Effect.map(
          found({ rows, ...story }),
          (report) => [report.violations.length, ...report.notes]
        )
      assert.deepStrictEqual(yield* notes({ last: 6 }), [0, noteOf("5", "6")])
      assert.deepStrictEqual(yield* notes({ last: null }), [0, noteOf("5", "none")])
      assert.deepStrictEqual(yield* notes({ pool: marks() }), [0, noteOf("none", "5")])
      assert.deepStrictEqual(
        yield* notes({ pool: marks({ batchNum: 5, ethereumBlockHash: "0x02" }) }),
        [0, noteOf("5", "5")]
      )
      assert.deepStrictEqual(
        yield* notes({ pool: marks({ batchNum: 4, ethereumBlockHash: hash }), last: 4 }),
        [0, noteOf("4", "4")]
      )
      assert.deepStrictEqual(yield* notes({ pool: marks(), last: null }), [1])
      assert.deepStrictEqual(
        yield* violations({ rows: [rowOf("fged", 1, 3n)], pool: marks(), last: null }),
        []
      )
      assert.deepStrictEqual(
        yield* violations({ rows: [rowOf("fing", 1, 3n)], pool: marks(), last: null }),
        []
      )
    }))
})
