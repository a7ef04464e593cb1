/*
 * The parts of an audit: the account tree, the findings, and the audit of a pool.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import type { PoolState, PoolTransaction } from "../../core/domain/mod.ts"
import type { Pooled } from "../../core/ports/mod.ts"
import { auditPoolPorts, Findings, type PoolPorts, stateRootOf } from "../../core/use_cases/mod.ts"
import { postedOf } from "../pool/_node.ts"
import { ownersOf } from "../laws/pool/_pool_rows.ts"

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
      const all = Array.from(
        { length: count },
        (_, place) => [256 + place, 2n ** 250n + BigInt(place) * 2n ** 100n] as const
      )
      const steps = stateRootOf(all.map(([, value]) => value), hashes)
      let [step, hashed] = [steps.next(), 0]
      for (; step.done !== true; step = steps.next()) hashed++
      assert.deepStrictEqual([hashed, step.value], [count, naive(all)])
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

/** A pool, and a ledger at batch 5 where the account has used nonces up to 4. */
interface Story {
  /** The transactions: state, nonce, and the batch of one that is not pending. */
  readonly rows?: string
  /** Other fields of all transactions. */
  readonly parts?: Partial<PoolTransaction>
  readonly counts?: Record<PoolState, number>
  /** States and batches that the transitions of each transaction led to. */
  readonly steps?: ReadonlyArray<readonly [PoolState, batchNum: number | null]>
  /** The last batch of the ledger. */
  readonly last?: number | null
  /** The batches that the pool has reconciled with, and their hashes. */
  readonly marks?: ReadonlyArray<readonly [batchNum: number, ethereumBlockHash: string]>
  /** The batch that forged the transaction of a nonce. */
  readonly forgedIn?: { readonly [nonce: string]: number }
}

const rowsOf = ({ parts, rows = "" }: Story): ReadonlyArray<Pooled> =>
  rows.split(", ").filter((row) => row !== "").map((row): Pooled => {
    const [state, nonce, batchNum] = row.split(" ") as [PoolState, string, string?]
    const posted = postedOf({ nonce: BigInt(nonce), ...parts })
    const batch = batchNum === undefined ? null : Number(batchNum)
    const transaction = { ...posted, state, timestampMs: 0, batchNum: batch, ...parts }
    return { transaction, ...ownersOf(1), sinceMs: 0, arrival: Number(nonce) }
  })

/** Returns the stores of a story. */
const portsOf = (story: Story): PoolPorts => {
  const { forgedIn = {}, last = 5, marks = [[5, "0x01"]] } = story
  const rows = rowsOf(story)
  const of = (state: PoolState) => rows.filter(({ transaction }) => transaction.state === state)
  const counts = { pend: 0, fing: 0, fged: 0, invl: 0 }
  for (const { transaction } of rows) counts[transaction.state]++
  const nonceOf = (id: string | number) =>
    rows.find(({ transaction }) => transaction.id === id)!.transaction.nonce
  return {
    pool: {
      pendingSince: () => Effect.succeed(of("pend")),
      inBatches: ({ from, state, to }: { state: PoolState; from: number; to: number }) =>
        Effect.succeed(
          of(state).filter(({ transaction: { batchNum } }) => batchNum! >= from && batchNum! <= to)
        ),
      counts: Effect.succeed(story.counts ?? counts),
      transitions: (id: string) => {
        const { batchNum, state } = rows.find(({ transaction }) => transaction.id === id)!
          .transaction
        return Effect.succeed(
          (story.steps ?? [[state, batchNum]]).map(([to, batchNum]) => ({ to, batchNum }))
        )
      },
      reconciledBatchesBelow: ({ batchNum, limit }: { batchNum: number; limit: number }) =>
        Effect.succeed(
          marks.map(([batchNum, ethereumBlockHash]) => ({ batchNum, ethereumBlockHash }))
            .filter((mark) => mark.batchNum < batchNum).slice(0, limit)
        )
    },
    reader: {
      snapshotId: Effect.succeed({ batchNum: last }),
      find: (name: string, key: string | number) => {
        if (name === "batch") {
          return Effect.succeed({ item: key === 5 ? { ethereumBlockHash: "0x01" } : null })
        }
        const batchNum = forgedIn[`${nonceOf(key)}`]
        return Effect.succeed({
          item: batchNum === undefined ? null : { transaction: { batchNum } }
        })
      },
      accountsAndTokens: ({ accounts }: { accounts: ReadonlyArray<number> }) =>
        Effect.succeed({ accounts: accounts.map((index) => index === 256 ? { nonce: 5n } : null) })
    }
  } as unknown as PoolPorts
}

const stories: { readonly [name: string]: Story } = {
  "that agrees": {
    rows: "pend 5, pend 6, fing 7 6, fged 4 5, fged 8 6, invl 2 3",
    forgedIn: { 4: 5 }
  },
  "with wrong counters": { counts: { pend: 1, fing: 2, fged: 3, invl: 4 } },
  "with another id": { rows: "pend 5", parts: { id: "0x02" } },
  "with fields that have no id": { rows: "pend 5", parts: { id: "0x02", fee: -1 } },
  "without transitions": { rows: "pend 5", steps: [] },
  "with another last transition": { rows: "pend 5", steps: [["pend", null], ["fing", 3]] },
  "with its own last transition": { rows: "pend 5", steps: [["fing", 3], ["pend", null]] },
  "forged in another batch": { rows: "fged 4 5", forgedIn: { 4: 3 } },
  "forged in no batch": { rows: "fged 4 5" },
  "forging in a stored batch": { rows: "fing 7 5" },
  "pending with a used nonce": { rows: "pend 4" },
  "pending of an unknown account": { rows: "pend 0", parts: { fromAccountIndex: 999 } },
  "reconciled with an earlier batch": { rows: "pend 4", last: 6 },
  "reconciled with a later batch": { rows: "pend 4", last: null },
  "that never reconciled": { rows: "pend 4", marks: [] },
  "reconciled with another hash": { rows: "pend 4", marks: [[5, "0x02"]] },
  "reconciled with a batch that is not stored": { rows: "pend 4", marks: [[4, "0x01"]], last: 4 },
  "before any batch": { rows: "pend 4", marks: [], last: null },
  "forged before any batch": { rows: "fged 3 1, fing 2 1", marks: [], last: null }
}

const cannotCompare = (reconciled: string, last: string) =>
  `The pool has reconciled with batch ${reconciled}, and the last batch is ${last}: its transactions were not compared with the ledger; the node reconciles the pool when it starts`

/** All reports and notes about each pool, behind an arrow; a transaction is named by its nonce. */
const reports = `
that agrees →
with wrong counters → pool: pool, pend: 1, expected 0
  pool: pool, fing: 2, expected 0
  pool: pool, fged: 3, expected 0
  pool: pool, invl: 4, expected 0
with another id → pool: pool transaction 0x02: 0x02, expected nonce 5
with fields that have no id → pool: pool transaction 0x02: 0x02, expected the hash of its fields
without transitions → pool-steps: pool transaction nonce 5: pend null, expected the state after the last transition
with another last transition → pool-steps: pool transaction nonce 5: pend null, expected fing 3
with its own last transition →
forged in another batch → pool-ledger: pool transaction nonce 4: forged in batch 5, expected forged in batch 3
forged in no batch → pool-ledger: pool transaction nonce 4: forged in batch 5, expected forged in batch null
forging in a stored batch → pool-ledger: pool transaction nonce 7: forging in batch 5, expected pending or forged, because this batch is stored
pending with a used nonce → pool-ledger: pool transaction nonce 4: pending with nonce 4, expected invalid or forged, because the nonce of account 256 is 5
pending of an unknown account →
reconciled with an earlier batch → ${cannotCompare("5", "6")}
reconciled with a later batch → ${cannotCompare("5", "none")}
that never reconciled → ${cannotCompare("none", "5")}
reconciled with another hash → ${cannotCompare("5", "5")}
reconciled with a batch that is not stored → ${cannotCompare("4", "4")}
before any batch → pool-ledger: pool transaction nonce 4: pending with nonce 4, expected invalid or forged, because the nonce of account 256 is 5
forged before any batch →
`

describe("an audit of a pool", () => {
  const audited = (story: Story) =>
    Effect.gen(function*() {
      const findings = new Findings()
      yield* auditPoolPorts(portsOf(story), keccak256, findings)
      return findings.report()
    })
  /** Returns a text with nonces in place of ids. */
  const named = (text: string) =>
    [4, 5, 7].reduce(
      (changed, nonce) =>
        changed.replaceAll(postedOf({ nonce: BigInt(nonce) }).id, `nonce ${nonce}`),
      text
    )

  it.effect("names everything that is wrong in a pool, and compares it only with a ledger that it has reconciled with", () =>
    Effect.gen(function*() {
      const lines = yield* Effect.forEach(
        Object.entries(stories),
        ([name, story]) =>
          Effect.map(audited(story), ({ notes, violations }) => {
            const found = violations.map(({ check, expected, found, place }) =>
              `${check}: ${place}: ${found}, expected ${expected}`
            )
            return `${name} → ${named([...found, ...notes].join("\n  "))}`.trimEnd()
          })
      )
      assert.deepStrictEqual(lines, reports.trim().split(/\n(?! )/u))
    }))

  it.effect("counts what it checks", () =>
    Effect.gen(function*() {
      const { checks, isSound } = yield* audited(stories["that agrees"]!)
      assert.isTrue(isSound)
      assert.deepStrictEqual(checks.map(({ check, checked }) => [check, checked]), [
        ["pool", 6],
        ["pool-steps", 6],
        ["pool-ledger", 5]
      ])
    }))
})
