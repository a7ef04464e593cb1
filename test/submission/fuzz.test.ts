/*
 * Invalid bodies of every kind are refused, and only signed content is stored. To replay one seed:
 *
 *     SEED=123 npm test -- test/submission/fuzz.test.ts
 *
 * BODIES=100000 sends more of them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PoolStore } from "../../core/ports/mod.ts"
import { fetchHandler } from "../../adapters/http/mod.ts"
import { replayOf, rounds } from "../rounds.ts"
import { genuineAuthorizations, genuineTransactions, type Input, makeFuzz } from "./_fuzz.ts"
import { fundedNode } from "./_wallets.ts"

const seeds = process.env.SEED === undefined ? [1, 2] : [Number(process.env.SEED)]
const bodies = Number(process.env.BODIES ?? rounds({ short: 6000, long: 24_000 }))

const shown = ({ body, path }: Input) =>
  `${path} ${typeof body === "string" ? body : `bytes ${Buffer.from(body).toString("hex")}`}`.slice(
    0,
    3000
  )
const same = (a: object, b: object) => JSON.stringify(a, exact) === JSON.stringify(b, exact)
const exact = (_: string, value: unknown) => typeof value === "bigint" ? String(value) : value
interface Fault {
  readonly in: string
  readonly pointer?: string
  readonly rule: string
  readonly message: string
}

describe("posted bodies", () => {
  for (const seed of seeds) {
    it.live(`of seed ${seed} get declared answers, and nothing unsigned is stored (replay: ${replayOf(seed, "test/submission/fuzz.test.ts")})`, () =>
      Effect.gen(function*() {
        const handle = yield* fetchHandler
        const pool = yield* PoolStore
        const next = makeFuzz(seed)
        const tally: { [status: number]: number } = {}
        const accepted = new Set<string>()
        const addresses = new Set<string>()
        // there are thousands of errors, and a failing body is identified by its content
        const limit = Error.stackTraceLimit
        Error.stackTraceLimit = 0
        yield* Effect.ensuring(
          Effect.promise(async () => {
            for (let i = 0; i < bodies / seeds.length; i++) {
              const input = next()
              const response = await handle(
                new Request(`http://node${input.path}`, {
                  method: "POST",
                  headers: input.headers,
                  body: input.body
                })
              )
              const text = await response.text()
              tally[response.status] = (tally[response.status] ?? 0) + 1
              for (
                const [, address] of Buffer.from(input.body as string).toString("latin1").matchAll(
                  /zk:(0x[0-9a-fA-F]{40})/gu
                )
              ) addresses.add(address!.toLowerCase())
              check(input, response, text, accepted)
            }
          }),
          Effect.sync(() => void (Error.stackTraceLimit = limit))
        )
        // only signed content is stored, and everything acknowledged is there
        const stored = yield* pool.counts
        assert.strictEqual(stored.pend + stored.fing + stored.fged + stored.invl, accepted.size)
        for (const id of accepted) {
          const transaction = yield* pool.transaction(id)
          assert.isNotNull(transaction)
          const { batchNum: _, state: __, timestampMs: ___, ...posted } = transaction!
          assert.isTrue(
            genuineTransactions.some((genuine) => same(sorted(genuine), sorted(posted))),
            id
          )
        }
        for (const address of addresses) {
          const authorization = yield* pool.authorization(address)
          if (authorization === null) continue
          const { timestampMs: _, ...posted } = authorization
          assert.isTrue(
            genuineAuthorizations.some((genuine) => same(sorted(genuine), sorted(posted))),
            address
          )
        }
        assert.isAbove(accepted.size, rounds({ short: 10, long: 30 }))
        assert.isAbove(tally[400]!, bodies / seeds.length / 2)
        assert.isAbove(tally[200]!, bodies / seeds.length / 12)
      }).pipe(Effect.provide(fundedNode())))
  }
})

const sorted = (value: object) =>
  Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1))

function check(
  input: Input,
  { headers, status }: Response,
  text: string,
  accepted: Set<string>
): void {
  const expected = input.status === undefined ? [200, 400] : [input.status]
  // formatting a message for each body would be slower than the request
  const holds = (condition: boolean, what: string) =>
    condition || assert.fail(`${what}: ${status} for ${shown(input)} → ${text}`)
  holds(expected.includes(status), `Expected ${expected.join(" or ")}`)
  holds(headers.get("ledger-batch") === "2", "The snapshot is named")
  if (status === 200) {
    if (input.kind === "authorization") {
      return void holds(text === "", "An authorization is answered with nothing")
    }
    const id = JSON.parse(text) as string
    holds(genuineTransactions.some((genuine) => genuine.id === id), "What is accepted was signed")
    accepted.add(id)
    return
  }
  const problem = JSON.parse(text) as {
    readonly status: number
    readonly type: string
    readonly message: string
    readonly errors?: ReadonlyArray<Fault>
  }
  holds(problem.status === status, "The problem names the status")
  holds(headers.get("content-type") === "application/json", "A problem is JSON")
  if (input.harmless) {
    holds(
      problem.type.endsWith(":conflict"),
      "What changes nothing that matters is only refused for a conflict"
    )
  }
  if (status !== 400) return
  holds(problem.errors !== undefined && problem.errors.length > 0, "A refusal names its faults")
  for (const { in: where, pointer, rule, message } of problem.errors!) {
    holds(
      where === "query" || (where === "body" && (pointer === "" || pointer!.startsWith("/"))),
      "A fault has a place"
    )
    holds(typeof rule === "string" && rule !== "", "A fault has a rule")
    holds(typeof message === "string" && message !== "", "A fault has a message")
  }
}
