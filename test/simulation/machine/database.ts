import { Effect } from "effect"
import type { GenesisFeed } from "../../../core/domain/mod.ts"
import {
  type LedgerReader,
  type LatestLedgerVersion,
  type LedgerWriter,
  mapReader,
  type PoolStore,
  type LatestPoolVersion,
  type StoreFailure
} from "../../../core/ports/mod.ts"
import {
  ledgerWriter,
  type MemoryLedger,
  type MemoryPoolStore,
  memoryReader,
  openMemoryLedger,
  openMemoryPool
} from "../../../adapters/memory/mod.ts"
import type { ProcessLife, FiberSchedule } from "./schedule.ts"
import type { FaultInjector } from "./faults.ts"

/** The ports of a node's stores. */
export interface Ports {
  readonly reader: LedgerReader["Service"]
  readonly writer: LedgerWriter["Service"]
  readonly pool: PoolStore["Service"]
  readonly tip: LatestLedgerVersion
  /** Null if the stores do not report versions. */
  readonly latestPoolVersion: LatestPoolVersion | null
}

/** State that survives a process. */
export interface Durable {
  /** Opens the ports for a process; every process finds the commits of those before it. */
  readonly open: (life: ProcessLife) => Ports
  /** Returns the pool, read without injected faults. */
  readonly pool: () => MemoryPoolStore
  /** Runs background work if no fiber is ready; returns false if there is none. */
  readonly idle: () => boolean
  /** Whether reads and writes fail until another process starts. */
  readonly isBroken: () => boolean
}

/** A database on another machine: it loses nothing, and every call to it crosses a network. */
export function database(
  name: string,
  genesis: GenesisFeed,
  injector: FaultInjector,
  scheduler: FiberSchedule
): Durable {
  const ledger = openMemoryLedger({ genesis })
  const pool = openMemoryPool()
  const listeners: Array<{ readonly life: ProcessLife; readonly hear: (version: number) => void }> =
    []
  let notified = 0
  /** Notifies all listeners of the new version, with a delay. */
  const tellAll = () => {
    const { version } = ledger.snapshotId()
    if (version === notified) return
    notified = version
    for (const { hear, life } of listeners) {
      scheduler.sleep(life, injector.random.below(injector.isCalm ? 20 : 2000), () => hear(version))
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
      const read = <A, E>(call: Effect.Effect<A, E>) => seen(injector.over(call, false))
      const write = <A, E>(call: Effect.Effect<A, E>) =>
        seen(injector.over(Effect.tap(call, () => Effect.sync(tellAll)), true))
      return {
        ...ledgerPorts(ledger, read, write),
        pool: poolOver(pool, injector),
        tip: { id: name, version: () => known, isRemote: true },
        latestPoolVersion: null
      }
    }
  }
}

/** Returns the version of a result. */
const versionOf = (found: unknown): number => {
  const { snapshotId, version } = found as {
    readonly snapshotId?: { readonly version: number }
    readonly version?: number
  }
  return snapshotId?.version ?? version ?? 0
}

type Through = <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E | StoreFailure>

const ledgerPorts = (
  ledger: MemoryLedger,
  read: Through,
  write: Through
): Pick<Ports, "reader" | "writer"> => {
  // a lock for each process, since a killed one never releases its own
  const writer = ledgerWriter(ledger)
  return {
    reader: mapReader((call) => read(call(memoryReader(ledger)))),
    writer: {
      apply: (block, decide) => write(writer.apply(block, decide)),
      rollBack: (toBlock, check) => write(writer.rollBack(toBlock, check)),
      setPrices: (prices, check) => write(writer.setPrices(prices, check)),
      setHead: (head, check) => write(writer.setHead(head, check))
    }
  }
}

const poolWrites = new Set([
  "addTransaction",
  "addGroup",
  "addAuthorization",
  "change",
  "reconcile",
  "skip"
])

/** Returns the pool store with injected faults in every call. */
const poolOver = (pool: MemoryPoolStore, injector: FaultInjector): PoolStore["Service"] =>
  Object.fromEntries(
    Object.entries(pool).map(([name, member]) => [
      name,
      Effect.isEffect(member)
        ? injector.over(member as Effect.Effect<unknown>, false)
        : typeof member === "function"
        ? (...parameters: ReadonlyArray<unknown>) =>
          injector.over(
            (member as (...of: ReadonlyArray<unknown>) => Effect.Effect<unknown>)(...parameters),
            poolWrites.has(name)
          )
        : member
    ])
  ) as unknown as PoolStore["Service"]
