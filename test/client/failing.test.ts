import { assert, describe, it } from "@effect/vitest"
import {
  type ClientOptions,
  type Failure,
  type Outcome,
  RequestFailed,
  rollupClient,
  valueOf
} from "../../adapters/client/mod.ts"
import { json, refusal, type Scripted, scripted } from "./_node.ts"

const failureOf = (outcome: Outcome<unknown>): Failure =>
  outcome.ok ? assert.fail(`It answered ${JSON.stringify(outcome.value)}`) : outcome

/** Returns a client of a scripted server that records waiting times and does not wait. */
const recordingClient = (
  answers: ReadonlyArray<Scripted>,
  options: Partial<ClientOptions<"later", "zk">> = {}
) => {
  const waits: Array<number> = []
  const { requests, fetch } = scripted(...answers)
  return {
    requests,
    waits,
    client: rollupClient({
      url: "http://node",
      fetch,
      wait: async (ms) => void waits.push(ms),
      ...options
    })
  }
}

const token = json(`{"id":0}`)

describe("a temporary failure", () => {
  it("is retried when the server says, and the call succeeds", async () => {
    const { requests, client, waits } = recordingClient([
      refusal(503, "busy", { "retry-after": "2" }),
      refusal(429, "busy", { "retry-after": "7" }),
      token
    ])
    assert.deepStrictEqual(valueOf(await client.getToken({ id: 0 })) as object, { id: 0 })
    assert.deepStrictEqual(waits, [2000, 7000])
    assert.strictEqual(requests.length, 3)
  })

  it("is retried with increasing delays if the server does not say when", async () => {
    const { client, waits } = recordingClient([json("", {}, 502)], { retriesMax: 4 })
    assert.strictEqual(failureOf(await client.getToken({ id: 0 }))._tag, "Unexpected")
    assert.strictEqual(waits.length, 4)
    for (const [i, wait] of waits.entries()) {
      assert.isTrue(wait >= 100 * 2 ** i && wait <= 200 * 2 ** i, String(wait))
    }
  })

  it("is retried as often as allowed if the maximum wait is short", async () => {
    const { client, waits } = recordingClient([json("", {}, 502)], {
      retriesMax: 4,
      retryWaitMsMax: 50
    })
    assert.isFalse((await client.getToken({ id: 0 })).ok)
    assert.strictEqual(waits.length, 4)
    assert.isTrue(waits.every((wait) => wait >= 25 && wait <= 50), String(waits))
  })

  it("is not retried after a wait that no timer can take", async () => {
    const { client, waits } = recordingClient([
      refusal(503, "unavailable", { "retry-after": "2147484" })
    ], { retryWaitMsMax: Infinity })
    assert.isFalse((await client.getToken({ id: 0 })).ok)
    assert.deepStrictEqual(waits, [])
  })

  it("is not retried if the server demands a longer wait than allowed", async () => {
    const { requests, client, waits } = recordingClient([
      refusal(503, "unavailable", { "retry-after": "31" })
    ])
    const failure = failureOf(await client.getToken({ id: 0 }))
    assert.isTrue(
      failure._tag === "Refused" && failure.name === "unavailable" && failure.retry &&
        failure.retryAfterSeconds === 31
    )
    assert.deepStrictEqual([requests.length, waits.length], [1, 0])
  })

  it("may have a date as the time to retry", async () => {
    const { client, waits } = recordingClient([
      refusal(503, "busy", { "retry-after": new Date(Date.now() + 10_000).toUTCString() }),
      refusal(503, "busy", { "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }),
      token
    ])
    assert.isTrue((await client.getToken({ id: 0 })).ok)
    assert.isTrue(waits[0]! > 5000 && waits[0]! <= 10_000)
    assert.strictEqual(waits[1], 0)
  })

  it("is retried for posts too, because a repeated post changes nothing", async () => {
    const { requests, client } = recordingClient([
      () => Promise.reject(new TypeError("connection lost")),
      json(`"0x02"`)
    ])
    const posted = { zkEthereumAddress: "zk:0x", bjj: "zk:", signature: "0x" }
    assert.isTrue((await client.postRegister(posted)).ok)
    assert.deepStrictEqual(await Promise.all(requests.map((request) => request.text())), [
      JSON.stringify(posted),
      JSON.stringify(posted)
    ])
    assert.strictEqual(requests[1]!.headers.get("content-type"), "application/json")
  })

  it("is returned after all retries", async () => {
    const { requests, client } = recordingClient([
      () => Promise.reject(new TypeError("connection refused"))
    ], {
      retriesMax: 2
    })
    const failure = failureOf(await client.getState())
    assert.strictEqual(failure._tag, "Unreachable")
    assert.strictEqual(failure.message, "http://node/state gave no answer: connection refused")
    assert.strictEqual(requests.length, 3)
  })

  it("says why there is no connection, as Node has it in the cause", async () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "X" })
    const several = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })
    for (
      const [error, reason] of [
        [new TypeError("fetch failed", { cause: refused }), "connect ECONNREFUSED 127.0.0.1:1"],
        [new TypeError("fetch failed", { cause: several }), "ECONNREFUSED"],
        ["offline", "offline"],
        [null, "null"]
      ] as const
    ) {
      const { client } = recordingClient([() => Promise.reject(error)], { retriesMax: 0 })
      const { message } = failureOf(await client.getState())
      assert.strictEqual(message, `http://node/state gave no answer: ${reason}`)
    }
  })
})

describe("a permanent failure", () => {
  it("is returned at once, with the whole problem of the server", async () => {
    const errors = [{
      in: "query",
      parameter: "limt",
      value: "3",
      rule: "a known parameter",
      message: "Unknown",
      nearest: "limit"
    }]
    const problem = {
      message: "No",
      type: "urn:rollup-node-api:problem:invalid-input",
      title: "t",
      status: 400,
      detail: "No",
      instance: "/tokens",
      errors
    }
    const { requests, client } = recordingClient([
      json(JSON.stringify(problem), {
        "ledger-version": "9",
        "ledger-batch": "4",
        "ledger-ethereum-block": "18446744073709551615"
      }, 400)
    ])
    const failure = failureOf(await client.getTokens())
    assert.deepStrictEqual(failure, {
      ok: false,
      _tag: "Refused",
      message: "No",
      retry: false,
      name: "invalid-input",
      problem,
      snapshot: { ethereumBlockNum: 18446744073709551615n, batchNum: 4, version: 9 }
    } as unknown as Failure)
    assert.strictEqual(requests.length, 1)
    assert.throws(() => valueOf(failure), RequestFailed, "No")
  })

  it("names no snapshot if the headers of the ledger are not numbers", async () => {
    const headers = {
      "ledger-ethereum-block": "0x",
      "ledger-batch": "4, 4",
      "ledger-version": ""
    }
    const snapshot = { ethereumBlockNum: null, batchNum: null, version: null }
    for (const answer of [json(`{"id":0}`, headers), refusal(400, "invalid-input", headers)]) {
      const outcome = await recordingClient([answer]).client.getToken({ id: 0 })
      assert.deepStrictEqual("snapshot" in outcome && outcome.snapshot, snapshot)
    }
  })

  it("is not retried: an internal error of the server, or an unknown item", async () => {
    for (
      const [status, name] of [[500, "internal"], [404, "not-found"], [400, "conflict"]] as const
    ) {
      const { requests, client } = recordingClient([refusal(status, name)])
      const failure = failureOf(await client.getToken({ id: 0 }))
      assert.isTrue(failure._tag === "Refused" && failure.name === name && !failure.retry)
      assert.strictEqual(requests.length, 1)
    }
  })

  it("is distinguished from an answer that does not come from this interface", async () => {
    for (
      const answer of [
        json("<html>", {}, 404),
        json("<html>"),
        json(""),
        json(`{"error":"x"}`, {}, 418),
        json("1,", {}, 400),
        () => new Response(null, { status: 304 }),
        json("[".repeat(1_000_000))
      ]
    ) {
      const failure = failureOf(await recordingClient([answer]).client.getToken({ id: 0 }))
      assert.strictEqual(failure._tag, "Unexpected")
    }
    const other = failureOf(
      await recordingClient([json("{}", { "api-revision": "earlier" })]).client.getToken({ id: 0 })
    )
    assert.strictEqual(
      other.message,
      'http://node/tokens/0 answers in revision "earlier", expected "later": use the URL at which the server mounts revision "later"'
    )
  })

  it("is thrown for a client with an invalid URL", () => {
    assert.throws(() => rollupClient({ url: "localhost" }), TypeError)
  })
})

describe("a call can be ended", () => {
  const never = (request: Request) =>
    new Promise<Response>((_, reject) =>
      request.signal.addEventListener("abort", () => reject(request.signal.reason as Error))
    )

  it("by a timeout", async () => {
    const failure = failureOf(
      await rollupClient({ url: "http://node", fetch: never, timeoutMs: 5, retriesMax: 0 })
        .getState()
    )
    assert.isTrue(failure._tag === "TimedOut" && failure.timeoutMs === 5 && failure.retry)
  })

  it("by no timeout if that is longer than a timer can take", async () => {
    const slow = async ({ signal }: Request): Promise<Response> => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      signal.throwIfAborted()
      return token()
    }
    for (const timeoutMs of [1000.5, 3_000_000_000, Infinity]) {
      const client = rollupClient({ url: "http://node", fetch: slow, timeoutMs, retriesMax: 0 })
      assert.isTrue((await client.getToken({ id: 0 })).ok, String(timeoutMs))
    }
  })

  it("by its signal, before it begins, during the request, and while it waits for the next try", async () => {
    const before = failureOf(
      await rollupClient({ url: "http://node", fetch: never }).getState({}, {
        signal: AbortSignal.abort("enough")
      })
    )
    assert.isTrue(before._tag === "Aborted" && before.cause === "enough")
    const controller = new AbortController()
    const underWay = rollupClient({
      url: "http://node",
      fetch: (request) => {
        queueMicrotask(() => controller.abort())
        return never(request)
      }
    }).getState({}, { signal: controller.signal })
    assert.strictEqual(failureOf(await underWay)._tag, "Aborted")
    const ending = new AbortController()
    const { requests, fetch } = scripted(() => {
      queueMicrotask(() => setImmediate(() => ending.abort()))
      return refusal(503, "busy", { "retry-after": "29" })()
    })
    assert.strictEqual(
      failureOf(
        await rollupClient({ url: "http://node", fetch }).getState({}, { signal: ending.signal })
      )._tag,
      "Aborted"
    )
    assert.strictEqual(requests.length, 1)
  })
})
