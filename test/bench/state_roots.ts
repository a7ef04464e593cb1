import { Effect, Layer } from "effect"
import { accountLeaf, keccak256, StateTrees } from "../../adapters/crypto/mod.ts"
import * as Memory from "../../adapters/memory/mod.ts"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { Ledger, LedgerReader, type StateRootVerifier } from "../../core/mod.ts"
import { threadCpuMs } from "./_stores.ts"

/*
 * Measures what `--check-state-roots` costs: CPU time of the verifying thread per transaction of
 * the default network, and per account for the tree at the start.
 *
 *     node test/bench/state_roots.ts
 */

const simulation = simulate({ seed: "1" })
const records = [...initialHistory(simulation, 3000)]
const trees = new StateTrees()
let spentMs = 0
const verifyStateRoots: StateRootVerifier = (request) =>
  Effect.sync(() => {
    const startMs = threadCpuMs()
    const result = trees.verify(request)
    spentMs += threadCpuMs() - startMs
    if (result === "unknown") throw new Error(`No tree of ${request.parentHash}`)
    return result
  })
const { genesis } = simulation
const node = Layer.provideMerge(
  Ledger.layer(genesis, keccak256, { verifyStateRoots }),
  Memory.layer(genesis)
)
const accounts = await Effect.runPromise(
  Effect.gen(function*() {
    const ledger = yield* Ledger
    for (const record of records) yield* ledger.applyRecord(record)
    const { items } = yield* (yield* LedgerReader).list("accounts", { filters: {}, limit: 2049 })
    return items.map(({ account }) => account)
  }).pipe(Effect.provide(node))
)
accountLeaf(accounts[0]!)
const startMs = threadCpuMs()
const loaded = new StateTrees()
for (let i = 0; i < accounts.length; i += 500) loaded.load(accounts.slice(i, i + 500))
const loadedMs = threadCpuMs() - startMs
const show = (what: string, count: number, ms: number) =>
  console.log(`${count} ${what}: ${(ms / count).toFixed(2)} ms of CPU time each`)
show("transactions", simulation.transactionCount(), spentMs)
show("accounts", accounts.length, loadedMs)
