import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import {
  derivePublicKey,
  ethereumAddress,
  keccak256,
  signAuthorization
} from "../../adapters/crypto/mod.ts"
import { serverLayer } from "../../adapters/http/node/mod.ts"
import { mountOf } from "../_mounts.ts"
import { memoryNode } from "../_memory_node.ts"
import { driveOnce, simulate } from "../../app/simulator/mod.ts"
import { bodyWriter, limitMax, revisionList, wireContext } from "../../core/contract/mod.ts"
import { CurrencyPrices, LedgerReader } from "../../core/ports/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { Connection } from "./_connection.ts"
import { type Operation, readDocument } from "./_document.ts"
import type { Served } from "./_requests.ts"

const simulation = simulate({
  seed: "fuzz",
  users: 25,
  tokens: 4,
  exitShare: 0.08,
  rollBackPeriodBlocks: 0,
  placeholderRoots: true
})

/**
 * Starts a server on loopback over a network with items of every kind; returns it with values from
 * its answers and with signed bodies.
 */
export const openServed = Effect.gen(function*() {
  const currencies = Layer.succeed(CurrencyPrices, {
    current: Effect.succeed([{ currency: "EUR", unitsPerUSD: 0.84, timeMs: 1e12 }])
  })
  const node = yield* Layer.build(
    Layer.provideMerge(memoryNode({ genesis: simulation.genesis }), currencies)
  )
  const genuine = yield* Effect.provide(history, node)
  const server = yield* Layer.build(
    Layer.provide(
      serverLayer({ port: 0, host: "127.0.0.1", shutdownTimeout: "100 millis" }),
      Layer.succeedContext(node)
    )
  )
  const { port } = yield* Effect.provide(
    Effect.map(HttpServer.HttpServer, ({ address }) => address as { readonly port: number }),
    server
  )
  return yield* Effect.promise(async () => {
    const documents = Object.fromEntries(
      await Promise.all(revisionList.map(async (revision) => [
        revision.name,
        readDocument(await get(port, `${mountOf(revision)}/openapi.json`))
      ]))
    ) as Served["documents"]
    return {
      port,
      served: {
        documents,
        genuine,
        ...await valuesOfAnswers(port, documents.later.operations)
      } satisfies Served
    }
  })
})

/** Returns a feed, a pool with transactions, and the next posts of the wallets. */
const history = Effect.gen(function*() {
  const ledger = yield* Ledger
  while (simulation.transactionCount() < 900) yield* ledger.applyRecord(simulation.next())
  for (let i = 0; i < 6; i++) yield* driveOnce(simulation)
  const { entries } = simulation.live.nextSubmissions()
  const { network } = simulation.genesis
  const context = wireContext(network, keccak256)
  const authorizations = Array.from({ length: 5 }, (_, i) => {
    const key = new Uint8Array(32).fill(50 + i)
    const publicKey = derivePublicKey(key)
    return {
      address: ethereumAddress(key),
      publicKey,
      signature: signAuthorization(key, publicKey, network)
    }
  })
  const transactions = entries.map(({ transaction }) => transaction)
  const reader = yield* LedgerReader
  const { items: tokens } = yield* reader.list("tokens", { filters: {}, limit: limitMax })
  const symbols = new Map(tokens.map(({ id, symbol }) => [id, symbol]))
  return {
    postTx: revisionList.flatMap(({ bodies }) =>
      transactions.map((each) =>
        bodyWriter(bodies.transaction, context, symbols.get(each.tokenId)!)(each)
      )
    ),
    postRegister: revisionList.flatMap(({ bodies }) =>
      authorizations.map(bodyWriter(bodies.authorization, context))
    )
  }
})

const get = async (port: number, path: string): Promise<string> => {
  const connection = new Connection(port)
  const answer = await connection.ask([{
    bytes: Buffer.from(`GET ${path} HTTP/1.1\r\nHost: node\r\n\r\n`),
    isHead: false
  }])[0]!
  connection.destroy()
  if (answer === "closed" || answer.status !== 200) {
    throw new Error(`No answer at ${path}: ${connection.fault}`)
  }
  return answer.body.toString()
}

/** Returns the content of the first pages of all lists. */
const valuesOfAnswers = async (
  port: number,
  operations: ReadonlyArray<Operation>
): Promise<Pick<Served, "items" | "ledger">> => {
  const found = new Set<string>()
  const items: Array<{ readonly [name: string]: unknown }> = []
  const take = (value: unknown): void => {
    if (typeof value === "string" || typeof value === "number") found.add(String(value))
    else if (typeof value === "object" && value !== null) {
      if (!Array.isArray(value)) items.push(value as (typeof items)[number])
      Object.values(value).forEach(take)
    }
  }
  for (const { method, parameters, path } of operations) {
    if (method === "GET" && parameters.some(({ name }) => name === "limit") && path !== "/bids") {
      take(JSON.parse(await get(port, `${path}?limit=30&order=DESC`)))
    }
  }
  return { items, ledger: [...found] }
}
