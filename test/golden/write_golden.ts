/*
 * Writes the golden files again: review the difference before you commit it. With `--derive` the
 * requests of the answers too, from the OpenAPI documents and from answers: after a change of the
 * contract or of the network. A new revision gets its files without the option too.
 */
import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { existsSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { revisionList } from "../../core/contract/mod.ts"
import { mountOf } from "../_mounts.ts"
import { type Operation, readDocument } from "../fuzz/_document.ts"
import {
  ask,
  contractFile,
  contractText,
  goldenFile,
  LAST_STEP,
  prefixes,
  readGolden,
  requestOf
} from "./_golden.ts"
import { openNetwork, type RecordedNetwork } from "./_network.ts"
import { bodyOf, type GoldenRequest, readsOf, Samples, writesOf } from "./_requests.ts"

const { values } = parseArgs({ options: { derive: { type: "boolean", default: false } } })

type Item = { readonly [name: string]: unknown }

/** Requests without an operation, and one of transactions of which only a part failed. */
const others = (mount: string): ReadonlyArray<GoldenRequest> => [
  { method: "GET", url: `${mount}/transactions-history?type=ForceTransfer&limit=2` },
  ...["/nothing", "/accounts/", "/accounts//x", "/%", "/state?%"].map((path) => ({
    method: "GET",
    url: `${mount}${path}`
  })),
  ...["DELETE", "PATCH", "OPTIONS", "HEAD", "POST"].flatMap((method) =>
    ["/state", "/accounts", "/transactions-pool"].map((path) => ({
      method,
      url: `${mount}${path}`
    }))
  )
]

/** Returns one transaction of each state and type. */
const ofEachKind = (transactions: ReadonlyArray<Item>): ReadonlyArray<Item> => [
  ...new Map(
    transactions.toReversed().map((each) =>
      [`${String(each["state"])} ${String(each["type"])}`, each] as const
    )
  ).values()
]

/** Returns the requests of a revision. */
const requestsOf = Effect.fnUntraced(function*(network: RecordedNetwork, mount: string) {
  const read = (path: string) =>
    Effect.map(
      ask(network, { method: "GET", url: `${mount}${path}` }),
      ({ body, status }) => status === 200 ? [JSON.parse(body) as Item] : []
    )
  const document = yield* ask(network, { method: "GET", url: `${mount}/openapi.json` })
  const { operations } = readDocument(document.body)
  const { addresses, groups, transactions } = network.submitted
  const pool = yield* Effect.forEach(transactions, (id) => read(`/transactions-pool/${id}`))
  const pooled = ofEachKind(pool.flat())
  const samples = new Samples({
    getAccountCreationAuthorization: addresses.slice(0, 2),
    getPoolTx: pooled.map(({ id }) => String(id)),
    getAtomicGroup: groups.slice(0, 2),
    getCurrency: ["CNY", "EUR"]
  })
  const isList = ({ method, parameters }: Operation) =>
    method === "GET" && parameters.some(({ name }) => name === "limit")
  for (const { path } of operations.filter(isList)) samples.add(yield* read(`${path}?limit=60`))
  const authorizations = yield* Effect.forEach(
    addresses.slice(0, 2),
    (address) => read(`/account-creation-authorization/${address}`)
  )
  const names = Object.keys(operations.find(({ id }) => id === "postTx")!.body!.properties)
  const groupBodies = yield* Effect.forEach(
    groups.slice(0, 2),
    (id) =>
      Effect.map(read(`/atomic-pool/${id}`), (members) => ({
        atomicGroupId: id,
        transactions: (members.flat() as ReadonlyArray<Item>).map((each) => bodyOf(names, each))
      }))
  )
  const items = (path: string): ReadonlyArray<Item> => {
    if (path.startsWith("/account-creation")) return authorizations.flat()
    return path.startsWith("/atomic-pool") ? groupBodies : pooled
  }
  return operations.flatMap((operation) => {
    if (operation.method === "GET") return readsOf(mount, operation, samples)
    const path = operation.path.replace(
      /\{(\w+)\}/gu,
      (_, name: string) => String(pooled[0]![name === "accountIndex" ? "fromAccountIndex" : name])
    )
    return writesOf(`${mount}${path}`, operation, items(operation.path))
  }).concat(others(mount))
})

/** Returns the requests before and after the rollback, derived anew. */
const derived = (network: RecordedNetwork, mount: string) =>
  Effect.map(requestsOf(network, mount), (requests) => [
    requests,
    requests.filter(({ method, url }) => method === "GET" && !/[?&](?!limit=3$)/u.test(url))
  ])

const write = Effect.fnUntraced(function*(prefix: string) {
  const network = yield* openNetwork(prefix)
  const files = yield* Effect.forEach(revisionList, ({ name, path }) =>
    Effect.map(
      values.derive || !existsSync(goldenFile(name, prefix))
        ? derived(network, mountOf({ path }))
        : Effect.sync(() => readGolden(name, prefix).map((part) => part.map(requestOf))),
      (requests) => ({ name, requests, texts: new Array<string>() })
    ))
  const answer = (part: 0 | 1) =>
    Effect.forEach(
      files,
      ({ requests, texts }) =>
        Effect.forEach(requests[part]!, (request) =>
          Effect.map(ask(network, request), ({ text }) => void texts.push(text)))
    )
  yield* answer(0)
  yield* network.takeLastStep
  for (const { texts } of files) texts.push(LAST_STEP)
  yield* answer(1)
  for (const { name, texts } of files) {
    writeFileSync(goldenFile(name, prefix), `${texts.join("\n\n")}\n`)
  }
})

for (const revision of revisionList) {
  writeFileSync(contractFile(revision.name), contractText(revision))
}

await Effect.runPromise(
  Effect.scoped(Effect.forEach(prefixes, write)).pipe(
    Effect.provide(TestClock.layer()),
    Effect.provideService(References.MinimumLogLevel, "Error")
  )
)
