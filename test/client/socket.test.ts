import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { rollupClient, valueOf } from "../../adapters/client/mod.ts"
import { serverLayer } from "../../adapters/http/node/mod.ts"
import {
  ann,
  authorizationText,
  authorized,
  bob,
  cleo,
  fundedNode,
  signed,
  transactionText
} from "../submission/_wallets.ts"

/*
 * The client over a socket, with the `fetch` of the platform, against a server with funded wallets.
 */

const opened = Effect.map(
  HttpServer.HttpServer,
  ({ address }) =>
    rollupClient({
      url: `http://127.0.0.1:${(address as { readonly port: number }).port}`,
      retriesMax: 0
    })
)

layer(serverLayer({ port: 0, host: "127.0.0.1" }).pipe(Layer.provideMerge(fundedNode())))(
  "a client over a socket",
  (it) => {
    it.effect("posts signed transactions, and follows them in the pool", () =>
      Effect.gen(function*() {
        const client = yield* opened
        const posted = signed(ann)
        yield* Effect.promise(async () => {
          assert.strictEqual(valueOf(await client.postTx(transactionText(posted))), posted.id)
          // a repeated post changes nothing, here as an object and with an exact nonce
          const { accountIndex, nonce } = valueOf(
            await client.getAccount({ accountIndex: "zk:ETH:256" })
          )
          const again = await client.postTx({
            id: posted.id,
            type: posted.type,
            tokenId: 0,
            fromAccountIndex: accountIndex,
            toAccountIndex: "zk:ETH:257",
            amount: String(posted.amount),
            fee: posted.fee,
            nonce,
            signature: posted.signature
          })
          assert.strictEqual(valueOf(again), posted.id)
          const { nonce: shown, state } = valueOf(await client.getPoolTx({ id: posted.id }))
          assert.deepStrictEqual([state, shown], ["pend", 0n])
        })
      }))

    it.effect("posts authorizations, which have an empty answer", () =>
      Effect.gen(function*() {
        const client = yield* opened
        yield* Effect.promise(async () => {
          assert.isNull(valueOf(await client.postRegister(authorizationText(authorized(bob)))))
          const zkEthereumAddress = `zk:${bob.address}`
          assert.strictEqual(
            valueOf(await client.getAccountCreationAuthorization({ zkEthereumAddress }))
              .zkEthereumAddress.toLowerCase(),
            zkEthereumAddress.toLowerCase()
          )
        })
      }))

    it.effect("returns all violations of a post as data", () =>
      Effect.gen(function*() {
        const client = yield* opened
        yield* Effect.promise(async () => {
          const refused = await client.postTx({
            ...JSON.parse(transactionText(signed(cleo))),
            amount: "01",
            nonce: 2n ** 64n,
            fee: 999
          })
          assert.isTrue(
            !refused.ok && refused._tag === "Refused" && refused.name === "invalid-input"
          )
          if (refused.ok || refused._tag !== "Refused") return
          assert.includeMembers(refused.problem.errors!.map(({ pointer }) => pointer), [
            "/amount",
            "/nonce",
            "/fee"
          ])
          assert.include(refused.problem.errors!.map(({ value }) => value), "18446744073709551616")
        })
      }))

    it.effect("gets a 304 for a repeated request, and aborts a request with its signal", () =>
      Effect.gen(function*() {
        const { address } = yield* HttpServer.HttpServer
        const statuses: Array<number> = []
        const client = rollupClient({
          url: `http://127.0.0.1:${(address as { readonly port: number }).port}`,
          fetch: async (request) => {
            const response = await fetch(request)
            statuses.push(response.status)
            return response
          }
        })
        yield* Effect.promise(async () => {
          const first = valueOf(await client.getBatch({ batchNum: 1 }))
          assert.strictEqual(valueOf(await client.getBatch({ batchNum: 1 })), first)
          assert.deepStrictEqual(statuses, [200, 304])
          const controller = new AbortController()
          const ended = client.getFullBatch({ batchNum: 1 }, { signal: controller.signal })
          controller.abort()
          const outcome = await ended
          assert.strictEqual(outcome.ok ? "" : outcome._tag, "Aborted")
        })
      }))

    it.effect("reports a server that cannot be reached", () =>
      Effect.promise(async () => {
        const outcome = await rollupClient({ url: "http://127.0.0.1:1", retriesMax: 0 }).getState()
        assert.strictEqual(outcome.ok ? "" : outcome._tag, "Unreachable")
      }))
  }
)
