/*
 * Sends requests of every kind that the served documents describe, as bytes over keep-alive
 * connections, and bytes that are not requests; checks that the responses match the documents. To
 * replay one seed:
 *
 *     SEED=123 npm test -- test/fuzz/open_api.test.ts
 *
 * REQUESTS=200000 sends more of them.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type RevisionName, revisions } from "../../core/contract/mod.ts"
import { Random } from "../memory/_random.ts"
import { withoutStacks } from "../properties/without_stacks.ts"
import { replayOf, rounds } from "../rounds.ts"
import { Connection, type Outcome } from "./_connection.ts"
import { makeNoise, type Noise, smuggledPath } from "./_noise.ts"
import { type Ask, makeRequests } from "./_requests.ts"
import { openServed } from "./_served.ts"
import { faultOf, jsonOf } from "./_verdict.ts"

const seed = Number(process.env.SEED ?? 1)
const requests = Number(process.env.REQUESTS ?? rounds({ short: 1500, long: 20_000 }))
/** Each takes a new connection. */
const noises = Math.ceil(requests / 20)
const replay = `replay: ${replayOf(seed, "test/fuzz/open_api.test.ts")}`

const shown = (bytes: Buffer) => JSON.stringify(bytes.toString("latin1", 0, 2000))
const shownAnswer = (outcome: Outcome) =>
  outcome === "closed"
    ? outcome
    : `${outcome.status} ${JSON.stringify([...outcome.headers])} ${shown(outcome.body)}`

withoutStacks()

class Opened extends Context.Service<Opened, Effect.Success<typeof openServed>>()("test/Opened") {}

layer(Layer.effect(Opened, openServed), { excludeTestServices: true })(
  "a server with random requests",
  (it) => {
    it.effect(`gives the responses that its documents declare (${replay})`, () =>
      Effect.gen(function*() {
        const { port, served } = yield* Opened
        const random = new Random(seed)
        const next = makeRequests(random, served)
        const statuses = new Map<string, number>()
        const connections = Array.from({ length: 8 }, () => new Connection(port))
        let answered = 0

        /**
         * Checks an outcome; returns whether there was a response. A connection that ends announces
         * it.
         */
        const check = (sent: Ask, outcome: Outcome, connection: Connection): boolean => {
          const description = () =>
            `${replay}, request ${answered}: ${shown(sent.bytes)} → ${shownAnswer(outcome)}`
          if (connection.fault !== undefined) assert.fail(`${connection.fault}: ${description()}`)
          if (outcome === "closed") {
            if (!connection.isLast) {
              assert.fail(`The connection ended, and no answer said so: ${description()}`)
            }
            return false
          }
          const fault = faultOf(sent, outcome)
          if (fault !== undefined) {
            assert.fail(`Not what the document declares, ${fault}: ${description()}`)
          }
          const key = `${sent.document.revision} ${sent.operation?.id ?? "none"} ${outcome.status}`
          statuses.set(key, (statuses.get(key) ?? 0) + 1)
          answered++
          return true
        }
        /** Returns requests that are sent at once. */
        const pipeline = (most: number): ReadonlyArray<Ask> => {
          const all = [next()]
          while (all.length < most && !all.at(-1)!.isLast) all.push(next())
          return all
        }
        const round = async () => {
          const pipelines = connections.map(() =>
            pipeline(random.chance(0.5) ? 1 : 1 + random.below(8))
          )
          await Promise.all(pipelines.map(async (asks, i) => {
            // requests without a response because the connection ended are sent again
            for (let left = asks; left.length > 0;) {
              const sent = left
              const connection = connections[i]!
              const outcomes = await Promise.all(connection.ask(sent))
              left = sent.filter((ask, at) => !check(ask, outcomes[at]!, connection))
              if (connection.isLast || connection.isClosed) connections[i] = new Connection(port)
            }
          }))
        }
        yield* Effect.promise(async () => {
          for (let isOver = false; !isOver; isOver = answered >= requests) await round()
          for (const connection of connections) connection.destroy()
        })

        // every operation and status occurs among many requests
        if (requests < 20_000) return
        for (const { operations, revision } of Object.values(served.documents)) {
          for (const { body, id, isStrict, parameters, path } of operations) {
            // a lenient revision ignores the parameters of an operation that has none
            const canRefuse = rulesOf(revision).unknownParameters === "refused" ||
              body !== undefined ||
              parameters.some((each) => each.in !== "header")

            // every slot has an answer, and a transaction to replace is not looked for
            const isFound = id === "getSlot" || id.startsWith("put")
            const expected = [
              ...isUnsigned.has(id) ? [] : [200],
              ...isStrict && canRefuse ? [400] : [],
              ...path.includes("{") && !isFound ? [404] : []
            ]
            for (const status of expected) {
              assert.isAbove(
                statuses.get(`${revision} ${id} ${status}`) ?? 0,
                0,
                `${revision} ${id} ${status}`
              )
            }
          }
          const unchanged = operations.filter(({ id }) => statuses.has(`${revision} ${id} 304`))
          assert.isNotEmpty(unchanged, `${revision} 304`)
          for (const status of [204, 400, 404, 405]) {
            assert.isAbove(
              statuses.get(`${revision} none ${status}`) ?? 0,
              0,
              `${revision} ${status}`
            )
          }
        }
      }))

    it.effect(`refuses bytes that are not a request, closes the connection, and continues to serve (${replay})`, () =>
      Effect.gen(function*() {
        const { port, served } = yield* Opened
        const next = makeNoise(new Random(seed))
        const { refusal } = served.documents.later
        const operation = served.documents.later.operations.find(({ id }) => id === "getConfig")!

        const meet = async ({ before, bytes, isRefused }: Noise): Promise<void> => {
          const connection = new Connection(port)
          connection.send(bytes, !isRefused)
          const hung = setTimeout(() => connection.destroy(), 30_000)
          await connection.ended
          const description = `${replay}, ${shown(bytes)} → ${
            connection.unasked.map((answer) => shownAnswer(answer).slice(0, 400)).join(", ")
          }`
          clearTimeout(hung)
          assert.isUndefined(connection.fault, description)
          const [first, last] = [
            connection.unasked.slice(0, before),
            connection.unasked.slice(before)
          ]
          // a client that closes its side waits for nothing more
          assert.isAtLeast(first.length, isRefused ? before : Math.min(before, 1), description)
          assert.isTrue(first.every(({ status }) => status === 200), description)
          for (const answer of last) {
            const { body, headers, status } = answer
            assert.isBelow(status, 500, description)
            const declared = status === 200
              ? undefined
              : refusal(status) ?? operation.answer(status)
            if (status >= 400) assert.isUndefined(declared?.fault(jsonOf(answer)), description)
            assert.notInclude(body.toString(), `"instance":"${smuggledPath}"`, description)
            assert.isTrue(headers.has("api-revision"), description)
          }
          // an unreadable request is refused once, with a message, and nothing after it is read
          if (isRefused) {
            assert.isTrue(
              last.length === 1 && last[0]!.status >= 400 &&
                last[0]!.headers.get("connection") === "close",
              description
            )
          }
        }
        yield* Effect.promise(async () => {
          for (let met = 0; met < noises; met += 20) {
            await Promise.all(Array.from({ length: 20 }, () => meet(next())))
            const connection = new Connection(port)
            const answer = await connection.ask([{
              bytes: Buffer.from("GET /config HTTP/1.1\r\nHost: node\r\n\r\n"),
              isHead: false
            }])[0]!
            assert.isTrue(answer !== "closed" && answer.status === 200)
            connection.destroy()
          }
        })
      }))
  }
)

const rulesOf = (name: string) => revisions[name as RevisionName].requestRules

/** Operations of signed content of which the test has none. */
const isUnsigned = new Set(["putTx", "putTxOfNonce", "postAtomicGroup", "getAtomicGroup"])
