/*
 * Records the network of the golden files from a simulated one: run it if the network needs a new
 * kind of content, then `write_golden.ts`.
 */
import { Context, Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { writeFileSync } from "node:fs"
import { memoryNode } from "../_memory_node.ts"
import { driveOnce, simulate } from "../../app/simulator/mod.ts"
import type { BlockFeed, FeedRecord } from "../../core/domain/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { calls, networkFile, type RecordedCall, type Step, writeStep } from "./_network.ts"

const simulation = simulate({
  seed: "golden",
  users: 30,
  transactionsPerBlock: 5,
  exitShare: 0.1,
  rollBackPeriodBlocks: 20,
  placeholderRoots: true
})
const steps: Array<Step> = [{ kind: "genesis", genesis: simulation.genesis }]

/** Returns a service that records each call and then makes it. */
const recording = <S extends object>(
  service: S,
  note: (method: string, args: Array<unknown>) => void
): S =>
  new Proxy(service, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown
      return typeof member !== "function" ? member : (...args: Array<unknown>) => {
        note(String(name), args)
        return (member as (...args: Array<unknown>) => unknown)(...args)
      }
    }
  })

const noteCall = (method: string, args: Array<unknown>): void => {
  if (method in calls) {
    steps.push({
      kind: "call",
      method: method as RecordedCall["method"],
      args: structuredClone(args)
    })
  }
}

const noteRecord = (method: string, [record]: Array<unknown>): void => {
  if (method === "applyRecord") steps.push(record as FeedRecord)
}

const lastBlock = (): BlockFeed => {
  const step = steps.findLast(({ kind }) => kind === "block")
  if (step?.kind !== "block") throw new Error("The network has no block")
  return step.block
}

/** Values at the bounds of their types, which no simulated network contains. */
const extremes = (): ReadonlyArray<Step> => {
  const { hash, number, timestampMs } = lastBlock()
  const block: BlockFeed = {
    number: number + 1n,
    hash: `0x${"ee".repeat(32)}`,
    parentHash: hash,
    timestampMs: timestampMs + 12_000,
    lastEthereumBlock: 2n ** 64n - 1n,
    bucketUpdates: [{ bucket: 0, blockStamp: number + 1n, withdrawals: 2n ** 64n - 1n }],
    prices: [
      { tokenId: 1, priceUSD: 1e-12, timeMs: timestampMs + 1 },
      { tokenId: 2, priceUSD: null, timeMs: timestampMs + 2 },
      { tokenId: 3, priceUSD: 123_456_789_012.125, timeMs: timestampMs + 3 }
    ]
  }
  return [
    { kind: "block", block },
    {
      kind: "head",
      head: {
        number: number + 40n,
        hash: `0x${"ef".repeat(32)}`,
        timestampMs: timestampMs + 480_000,
        chainHead: 2n ** 64n - 1n
      }
    },
    { kind: "rollBack", toBlock: number - 3n }
  ]
}

const record = Effect.gen(function*() {
  const node = yield* Layer.build(memoryNode({ genesis: simulation.genesis }))
  const recorded = node.pipe(
    Context.add(Ledger, recording(Context.get(node, Ledger), noteRecord)),
    Context.add(Pool, recording(Context.get(node, Pool), noteCall)),
    Context.add(Submission, recording(Context.get(node, Submission), noteCall))
  )
  yield* TestClock.setTime(simulation.genesis.block.timestampMs)
  const drive = Effect.provide(driveOnce(simulation), recorded)
  while (simulation.transactionCount() < TRANSACTIONS) {
    yield* drive
    if (steps.some(({ kind }) => kind === "block")) {
      yield* TestClock.setTime(lastBlock().timestampMs)
    }
  }
  steps.push(...extremes())
})

const TRANSACTIONS = 500

await Effect.runPromise(
  Effect.scoped(record).pipe(
    Effect.provide(TestClock.layer()),
    Effect.provideService(References.MinimumLogLevel, "Error")
  )
)
writeFileSync(networkFile, `${steps.map(writeStep).join("\n")}\n`)
console.log(`${steps.length} steps, ${simulation.transactionCount()} transactions`)
