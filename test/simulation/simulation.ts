import { clean, coordinate } from "./_coordinator.ts"
import { feed, feedWrongly, type Feeder, newFeeder, opening } from "./_feeding.ts"
import { finish } from "./_finish.ts"
import type { Tampering } from "./machine/mod.ts"
import { readPosted, postAuthorization, postTransaction } from "./_posting.ts"
import { ask } from "./_requests.ts"
import { continueWalk } from "./_walks.ts"
import { Violation, World, type WorldOptions } from "./_world.ts"
import { SeededRandom } from "../laws/_seeded_random.ts"

export const OPERATIONS = 100

export interface SimulationOptions extends Pick<WorldOptions, "directory" | "isSigned"> {
  /** The numbers of the operations to run; all by default. */
  readonly only?: ReadonlySet<number>
  readonly operations?: number
  readonly keepTrace?: boolean
  /** Breaks the node on purpose; called for each seed. */
  readonly tampering?: (random: () => SeededRandom) => Tampering
}

/**
 * The result of a seed. The same seed gives the same digest, which covers every operation, every
 * response and their times.
 */
export interface Report {
  readonly seed: string
  readonly digest: number
  readonly tally: ReadonlyMap<string, number>
  readonly violation?: string
  readonly trace: ReadonlyArray<string>
}

type Operation = (world: World, feeder: Feeder) => void

const storm: Operation = ({ random, disk, kind, injector }) => {
  const roll = random.below(10)
  injector.isUnreachable = roll === 0
  injector.roughness = roll < 5 ? 0 : random.of([0.05, 0.15, 0.4])
  if (kind === "journal") disk.isFull = roll === 1
}

/** A client disconnects during its request. */
const giveUp: Operation = (world) => {
  const { random, running } = world
  if (running.size < 2) {
    ask(world)
    world.passTurns(random.below(5))
  }
  // the feeder has to repeat an interrupted write
  if (running.size === 0) return
  world.count("gave up")
  random.of([...running]).interrupt()
}

const operations: ReadonlyArray<readonly [weight: number, name: string, operation: Operation]> = [
  [42, "ask", ask],
  [6, "walk", continueWalk],
  [12, "post", postTransaction],
  [2, "authorize", postAuthorization],
  [10, "look", (world) => world.promises.posted.size === 0 ? ask(world) : readPosted(world)],
  [14, "feed", (world, feeder) => feed(world, feeder)],
  [2, "feed wrongly", feedWrongly],
  [
    3,
    "forge",
    (world, feeder) =>
      coordinate(world, (forged) => feeder.isBusy ? undefined : feed(world, feeder, forged))
  ],
  [1, "clean", clean],
  [3, "storm", storm],
  [3, "give up", giveUp],
  [1, "restart", (world) => world.random.chance(0.6) ? world.restart() : ask(world)],
  [
    1,
    "clock",
    ({ random, scheduler }) =>
      scheduler.setClockBy(random.of([-3_600_000, -5000, 1, 60_000, 4_000_000]))
  ],
  [1, "verifier", (world) => void (world.isVerifierBusy = !world.isVerifierBusy)]
]
const drawn = operations.flatMap(([weight, name, operation]) =>
  Array.from({ length: weight }, () => ({ name, operation }))
)

/** A getter, because the digest is expensive and rarely needed. */
const reportOf = (world: World): Report => ({
  seed: world.seed,
  tally: world.tally,
  trace: world.trace,
  get digest() {
    return world.digest
  }
})

/** Simulates one run of a service from a seed; reports its violation, if there is one. */
export function simulateSeed(
  seed: string,
  { keepTrace = false, only, operations = OPERATIONS, tampering, ...place }: SimulationOptions = {}
): Report {
  const limit = Error.stackTraceLimit
  // there are thousands of failures
  if (!keepTrace) Error.stackTraceLimit = 0
  let world: World | undefined
  try {
    const random = () => world?.scheduler.random ?? new SeededRandom(seed)
    world = new World(seed, {
      ...place,
      keepTrace,
      ...tampering === undefined ? {} : { tampering: tampering(random) }
    })
    const feeder = newFeeder()
    opening(world, feeder)
    for (let number = 0; number < operations; number++) {
      if (only !== undefined && !only.has(number)) continue
      // each operation has its own random numbers, so that leaving out another one does not change
      // it
      world.scheduler.random = new SeededRandom(`${seed}/${number}`)
      const { name, operation } = world.random.of(drawn)
      world.tell(`${number} ${name}`)
      operation(world, feeder)
      if (world.durable.isBroken() && world.random.chance(0.3)) world.restart()
      if (world.random.chance(0.35)) world.quiesce()
      else world.passTurns(world.random.below(12))
      world.checkTurns()
      const ids = [...world.promises.transactions.keys()]
      if (ids.length > 0) world.checkPromise(world.random.of(ids))
    }
    world.scheduler.random = new SeededRandom(`${seed}/end`)
    finish(world, feeder)
    world.checkTurns()
    return reportOf(world)
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    return {
      ...world === undefined ? { seed, digest: 0, tally: new Map(), trace: [] } : reportOf(world),
      violation: world?.violation ?? error.message
    }
  } finally {
    Error.stackTraceLimit = limit
  }
}
