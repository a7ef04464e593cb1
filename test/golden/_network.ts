import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Application } from "../../adapters/http/mod.ts"
import { memoryNode } from "../_memory_node.ts"
import { type FeedRecord, readFeedLine, writeFeedLine } from "../../core/domain/mod.ts"
import { CurrencyPrices } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"

/*
 * The recorded network of the golden files: a feed, and the calls of users and coordinator between
 * its records, one step in each line. It depends neither on the simulator, which may generate
 * another network in the next version, nor on the clock. The last step is a rollback.
 */

/** A call that changes the pool. */
export interface RecordedCall {
  readonly kind: "call"
  readonly method: keyof typeof calls
  readonly args: ReadonlyArray<unknown>
}

export type Step = FeedRecord | RecordedCall

/** The recorded calls of a live network; the others only read. */
export const calls = {
  select: Pool,
  startForging: Pool,
  doneForging: Pool,
  rollBack: Pool,
  submitTransaction: Submission,
  submitGroup: Submission,
  submitAuthorization: Submission,
  replaceTransaction: Submission
} as const

/** The file of the network. */
export const networkFile = join(import.meta.dirname, "network.ndjson")

/** Returns the line of a step. A bigint of a call is its digits and `n`. */
export const writeStep = (step: Step): string =>
  step.kind === "call"
    ? JSON.stringify(step, (_, value) => typeof value === "bigint" ? `${value}n` : value)
    : writeFeedLine(step)

const readStep = (line: string): Step =>
  line.startsWith('{"kind":"call"')
    ? JSON.parse(
      line,
      (_, value) =>
        typeof value === "string" && /^\d+n$/u.test(value) ? BigInt(value.slice(0, -1)) : value
    )
    : Effect.runSync(readFeedLine(line))

/** Returns the recorded steps. */
export const readSteps = (): ReadonlyArray<Step> =>
  readFileSync(networkFile, "utf8").trimEnd().split("\n").map(readStep)

/** A node over the network before its last step, and an effect that takes this step. */
export interface RecordedNetwork {
  readonly handle: Application["Service"]["handle"]
  readonly takeLastStep: Effect.Effect<void>
  /** What was submitted, accepted or not. */
  readonly submitted: {
    readonly transactions: ReadonlyArray<string>
    readonly groups: ReadonlyArray<string>
    readonly addresses: ReadonlyArray<string>
  }
}

/** Opens a node in memory over the network, with the prefix of identifiers and names. */
export const openNetwork = Effect.fnUntraced(function*(prefix: string) {
  const steps = readSteps()
  const [first] = steps
  if (first?.kind !== "genesis") return yield* Effect.die("The network has no genesis")
  const { genesis } = first
  const node = yield* Layer.build(
    memoryNode({ genesis: { ...genesis, network: { ...genesis.network, prefix } } }).pipe(
      Layer.provideMerge(
        Layer.succeed(CurrencyPrices, {
          current: Effect.succeed([
            { currency: "CNY", unitsPerUSD: 6.44, timeMs: 1_700_000_000_000 },
            { currency: "EUR", unitsPerUSD: 0.84, timeMs: 1_700_000_000_123 }
          ])
        })
      )
    )
  )
  yield* TestClock.setTime(genesis.block.timestampMs)
  for (const step of steps.slice(1, -1)) yield* Effect.provide(takeStep(step), node)
  const { handle } = Context.get(node, Application)
  return {
    handle,
    takeLastStep: Effect.orDie(Effect.provide(takeStep(steps.at(-1)!), node)),
    submitted: {
      transactions: argumentsOf<{ id: string }>(steps, "submitTransaction").map(({ id }) => id),
      groups: argumentsOf<{ id: string }>(steps, "submitGroup").map(({ id }) => id),
      addresses: argumentsOf<{ address: string }>(steps, "submitAuthorization").map((
        { address }
      ) => `${prefix}:${address}`)
    }
  } satisfies RecordedNetwork
}, Effect.orDie)

/** Returns the first argument of each call of a method. */
const argumentsOf = <A>(steps: ReadonlyArray<Step>, method: string): ReadonlyArray<A> =>
  steps.flatMap((step) => step.kind === "call" && step.method === method ? [step.args[0] as A] : [])

/** Applies a step, at the time of the last block. */
const takeStep = (step: Step) =>
  Effect.gen(function*() {
    if (step.kind === "call") {
      const service = yield* calls[step.method]
      const call = (service as unknown as { readonly [method: string]: Call })[step.method]!
      // a refused submission was refused when it was recorded, and changed nothing
      return yield* Effect.ignore(call(...step.args))
    }
    if (step.kind === "block") yield* TestClock.setTime(step.block.timestampMs)
    yield* (yield* Ledger).applyRecord(step)
  })

type Call = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>
