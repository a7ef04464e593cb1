/*
 * Hostile bodies get the answers that the documents declare, and only signed content is stored. To
 * replay one seed:
 *
 *     SEED=123 npm test -- test/submission/fuzz.test.ts
 *
 * BODIES=100000 sends more of them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { fetchHandler } from "../../adapters/http/mod.ts"
import { bodyReader, bodyWriter, type Revision, revisionList } from "../../core/contract/mod.ts"
import type { PostedAuthorization, PostedTransaction } from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import { PoolStore } from "../../core/ports/mod.ts"
import { makeBodies, type Posted } from "../fuzz/_bodies.ts"
import { readDocument } from "../fuzz/_document.ts"
import { makeValues } from "../fuzz/_values.ts"
import { faultOf } from "../fuzz/_verdict.ts"
import { Random } from "../memory/_random.ts"
import { withoutStacks } from "../properties/without_stacks.ts"
import { replayOf, rounds } from "../rounds.ts"
import {
  ann,
  authorized,
  bob,
  cleo,
  context,
  fundedNode,
  signed,
  symbolOf,
  wallet
} from "./_wallets.ts"

const seeds = process.env.SEED === undefined ? [1, 2] : [Number(process.env.SEED)]
const bodies = Number(process.env.BODIES ?? rounds({ short: 6000, long: 24_000 }))

const many = <Value>(count: number, make: (number: number) => Value) =>
  Array.from({ length: count }, (_, number) => make(number))
const request = {
  fromAccountIndex: 256,
  toAccountIndex: 257,
  toAddress: null,
  toPublicKey: null,
  tokenId: 0,
  amount: 5n,
  fee: 0,
  nonce: 0n
}
const ofToken1 = { tokenId: 1, toAccountIndex: null } as const
/** Validly signed: nothing else may ever be stored. */
const transactions: ReadonlyArray<PostedTransaction> = [
  ...many(12, (i) => signed(ann, { nonce: BigInt(i), fee: i })),
  ...many(
    8,
    (i) => signed(bob, { fromAccountIndex: 257, type: "Exit", toAccountIndex: 1, nonce: BigInt(i) })
  ),
  ...many(8, (i) =>
    signed(ann, {
      ...ofToken1,
      fromAccountIndex: 258,
      type: "TransferToEthAddr",
      toAddress: bob.address,
      nonce: BigInt(i)
    })),
  ...many(8, (i) =>
    signed(cleo, {
      ...ofToken1,
      fromAccountIndex: 259,
      type: "TransferToBJJ",
      toAddress: INTERNAL_ADDRESS,
      toPublicKey: ann.publicKey,
      nonce: BigInt(i),
      request
    })),
  // the same id as one of the first
  signed(ann, { nonce: 3n, fee: 3, type: "Exit", toAccountIndex: 1 })
]
const authorizations: ReadonlyArray<PostedAuthorization> = [
  ...many(20, (i) => authorized(wallet(100 + i))),
  authorized(wallet(100), ann.publicKey)
]
/** Signed by the wrong key, or with invalid content. */
const forgedTransactions = [
  signed(bob),
  signed(ann, { fromAccountIndex: 257 }),
  signed(ann, { toAccountIndex: 4242 }),
  signed(ann, { toAccountIndex: 258 }),
  signed(ann, { type: "Exit", toAccountIndex: 1, amount: 0n }),
  { ...signed(ann), fee: 256 }
]
const forgedAuthorizations = [
  { ...authorized(wallet(150)), address: wallet(151).address },
  { ...authorized(wallet(152)), publicKey: bob.publicKey }
]

/** Returns the texts of bodies of a revision that it can read: v1 requires nothing of single ones. */
const textsOf = ({ bodies }: Revision) => {
  const of = <Name extends "transaction" | "authorization">(
    name: Name,
    values: ReadonlyArray<Name extends "transaction" ? PostedTransaction : PostedAuthorization>
  ) =>
    values.map((value) => bodyWriter(bodies[name] as never, context, symbolOf)(value as never))
      .filter((text) => Result.isSuccess(bodyReader(bodies[name] as never, context)(text)))
  return {
    signed: {
      postTx: of("transaction", transactions),
      postRegister: of("authorization", authorizations)
    },
    forged: [...of("transaction", forgedTransactions), ...of("authorization", forgedAuthorizations)]
  }
}

/** Returns the content of a stored row, in an order of members that does not matter. */
const contentOf = (row: object) => {
  const { batchNum: _, state: __, timestampMs: ___, ...posted } = row as PostedTransaction & {
    readonly batchNum?: unknown
    readonly state?: unknown
    readonly timestampMs?: unknown
  }
  return JSON.stringify(
    Object.entries(posted).sort(([a], [b]) => a < b ? -1 : 1),
    (_, value) => typeof value === "bigint" ? String(value) : value
  )
}
const signedContents = new Set([...transactions, ...authorizations].map(contentOf))
const signedIds = new Set(transactions.map(({ id }) => JSON.stringify(id)))

withoutStacks()

describe("posted bodies", () => {
  for (const seed of seeds) {
    it.live(`of seed ${seed} get declared answers, and nothing unsigned is stored (replay: ${replayOf(seed, "test/submission/fuzz.test.ts")})`, () =>
      Effect.gen(function*() {
        const handle = yield* fetchHandler
        const pool = yield* PoolStore
        const random = new Random(seed)
        const get = (path: string) =>
          Effect.promise(async () => (await handle(new Request(`http://node${path}`))).text())
        const targets = yield* Effect.forEach(revisionList, (revision) =>
          Effect.gen(function*() {
            const mount = revision.path === "/" ? "" : revision.path
            const { forged, signed } = textsOf(revision)
            const values = makeValues(
              random,
              [...signed.postTx, ...signed.postRegister].flatMap((text) =>
                Object.values(JSON.parse(text)).map(String)
              )
            )
            const document = readDocument(yield* get(`${mount}/openapi.json`))
            return {
              mount,
              document,
              operations: document.operations.filter(({ id }) => id in signed),
              forged,
              bodyOf: makeBodies(random, values, signed)
            }
          }))
        const statuses = new Map<number, number>()
        const accepted = new Set<string>()
        const addresses = new Set<string>()
        yield* Effect.promise(async () => {
          for (let sent = 0; sent < bodies / seeds.length; sent++) {
            const { bodyOf, document, forged, mount, operations } = random.of(targets)
            const operation = random.of(operations)
            const isForged = random.chance(0.05)
            const posted: Posted = isForged
              ? {
                bytes: Buffer.from(random.of(forged)),
                contentType: "application/json",
                isBroken: true
              }
              : bodyOf(operation)
            const query = random.chance(0.02) ? random.of(["?x=1", "?%", "?limit=1&limit=2"]) : ""
            const response = await handle(
              new Request(`http://node${mount}${operation.path}${query}`, {
                method: "POST",
                headers: posted.contentType === undefined
                  ? {}
                  : { "content-type": posted.contentType },
                body: new Uint8Array(posted.bytes)
              })
            )
            const { status } = response
            const body = Buffer.from(await response.arrayBuffer())
            const holds = (condition: boolean, what: string) =>
              condition ||
              assert.fail(
                `${what}: ${status} for ${mount}${operation.path}${query} ${
                  posted.bytes.toString("latin1").slice(0, 3000)
                } → ${body}`
              )
            const fault = faultOf({
              ...posted,
              document,
              operation,
              expected: posted.isBroken ? "refused" : "either",
              isHead: false,
              isPreflight: false,
              isConditional: false,
              isLast: false
            }, { status, headers: new Map(response.headers), body })
            holds(fault === undefined, `Not what the document declares, ${fault}`)
            holds(response.headers.get("ledger-batch") === "2", "The snapshot is named")
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
            for (
              const [, address] of posted.bytes.toString("latin1").matchAll(
                /zk:(0x[0-9a-fA-F]{40})/gu
              )
            ) {
              addresses.add(address!.toLowerCase())
            }
            if (status === 200 && operation.id === "postTx") {
              holds(signedIds.has(`${body}`), "What is accepted was signed")
              accepted.add(JSON.parse(`${body}`))
            }
            if (posted.isHarmless === true && query === "" && status !== 200) {
              holds(
                body.includes("problem:conflict"),
                "What changes nothing that matters is only refused for a conflict"
              )
            }
          }
        })
        // only signed content is stored, and everything acknowledged is there
        const counts = yield* pool.counts
        assert.strictEqual(Object.values(counts).reduce((sum, each) => sum + each), accepted.size)
        const rows = [
          ...yield* Effect.forEach(accepted, (id) => pool.transaction(id)),
          ...(yield* Effect.forEach(addresses, (address) => pool.authorization(address)))
            .filter((row) => row !== null)
        ]
        for (const row of rows) assert.isTrue(signedContents.has(contentOf(row!)))
        assert.isAbove(accepted.size, rounds({ short: 10, long: 30 }))
        for (const status of [200, 400]) {
          assert.isAbove(statuses.get(status) ?? 0, bodies / seeds.length / 12)
        }
      }).pipe(Effect.provide(fundedNode())))
  }
})
