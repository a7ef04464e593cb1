import { Effect, Result } from "effect"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import {
  type LedgerReader,
  type LedgerTip,
  type LedgerWriter,
  mapReader,
  type PoolStore,
  type PoolTip,
  type StoreFailure
} from "../../core/ports/mod.ts"
import {
  type MemoryLedger,
  type MemoryPoolStore,
  memoryReader,
  WriteQueue,
  openMemoryLedger,
  openMemoryPool
} from "../../adapters/memory/mod.ts"
import type { Life, Turns } from "./_turns.ts"
import type { Weather } from "./_weather.ts"

/** The ports of a node's stores. */
export interface Ports {
  readonly reader: LedgerReader["Service"]
  readonly writer: LedgerWriter["Service"]
  readonly pool: PoolStore["Service"]
  readonly tip: LedgerTip
  /** Null where the stores do not tell. */
  readonly poolTip: PoolTip | null
}

/** What outlives a process. */
export interface Durable {
  /** Opens the ports for a process; every process finds what those before it have committed. */
  readonly open: (life: Life) => Ports
  /** Looks at the pool as it is, past all faults. */
  readonly pool: () => MemoryPoolStore
  /** Does what a process does when nobody else has a turn; false where that is nothing. */
  readonly idle: () => boolean
  /** Whether nothing can be written or read any more until another process starts. */
  readonly isBroken: () => boolean
}

/** A database on another machine: it keeps everything, and every call to it crosses a network. */
export function database(
  name: string,
  genesis: GenesisFeed,
  weather: Weather,
  turns: Turns
): Durable {
  const ledger = openMemoryLedger({ genesis })
  const pool = openMemoryPool()
  const listeners: Array<{ readonly life: Life; readonly hear: (version: number) => void }> = []
  let told = 0
  /** Word of a new version comes to everybody who listens, some time later. */
  const tellAll = () => {
    const { version } = ledger.stamp()
    if (version === told) return
    told = version
    for (const { hear, life } of listeners) {
      turns.sleep(life, weather.dice.below(weather.isCalm ? 20 : 2000), () => hear(version))
    }
  }
  return {
    pool: () => pool,
    isBroken: () => false,
    idle: () => false,
    open: (life) => {
      let known: number | null = null
      const hear = (version: number) => void (known = Math.max(known ?? 0, version))
      listeners.splice(0, listeners.length, ...listeners.filter((each) => each.life.alive), {
        life,
        hear
      })
      const seen = <A, E>(call: Effect.Effect<A, E>) =>
        Effect.tap(call, (found) => Effect.sync(() => hear(versionOf(found))))
      const read = <A, E>(call: Effect.Effect<A, E>) => seen(weather.over(call, false))
      const write = <A, E>(call: Effect.Effect<A, E>) =>
        seen(weather.over(Effect.tap(call, () => Effect.sync(tellAll)), true))
      return {
        ...ledgerPorts(ledger, read, write),
        pool: poolOver(pool, weather),
        tip: { id: name, version: () => known, isRemote: true },
        poolTip: null
      }
    }
  }
}

/** The stamp of what was found, as every reader and writer tells it. */
const versionOf = (found: unknown): number => {
  const { stamp, version } = found as {
    readonly stamp?: { readonly version: number }
    readonly version?: number
  }
  return stamp?.version ?? version ?? 0
}

type Through = <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E | StoreFailure>

const ledgerPorts = (
  ledger: MemoryLedger,
  read: Through,
  write: Through,
  writes = new WriteQueue(ledger.view)
): Pick<Ports, "reader" | "writer"> => ({
  reader: mapReader((call) => read(call(memoryReader(ledger)))),
  writer: {
    // a turn of each process, since one that is killed never gives its turn back
    apply: (_, decide) =>
      write(
        writes.apply(decide, (decision) =>
          Effect.fromResult(ledger.apply(() => Result.succeed(decision))))
      ),
    rollBack: (toBlock, check) =>
      write(Effect.suspend(() => Effect.fromResult(ledger.rollBack(toBlock, check)))),
    setPrices: (prices, check) =>
      write(Effect.suspend(() => Effect.fromResult(ledger.setPrices(prices, check))))
  }
})

const poolWrites = new Set(["addTransaction", "addAuthorization", "change", "settle", "skip"])

/** Every call of a pool, as the weather allows it. */
const poolOver = (pool: MemoryPoolStore, weather: Weather): PoolStore["Service"] =>
  Object.fromEntries(
    Object.entries(pool).map(([name, member]) => [
      name,
      Effect.isEffect(member)
        ? weather.over(member as Effect.Effect<unknown>, false)
        : typeof member === "function"
        ? (...parameters: ReadonlyArray<unknown>) =>
          weather.over(
            (member as (...of: ReadonlyArray<unknown>) => Effect.Effect<unknown>)(...parameters),
            poolWrites.has(name)
          )
        : member
    ])
  ) as unknown as PoolStore["Service"]
