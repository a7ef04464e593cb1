import { Context } from "effect"
import type { LogEntry, OnSettled, RecordLog } from "../../../adapters/journal/log/mod.ts"
import { recordedStores } from "../../../adapters/journal/recorded_stores.ts"
import { applyEntry } from "../../../adapters/journal/replay/mod.ts"
import {
  type MemoryPoolStore,
  openMemoryLedger,
  openMemoryPool
} from "../../../adapters/memory/mod.ts"
import type { GenesisFeed } from "../../../core/domain/mod.ts"
import {
  LedgerReader,
  LatestLedgerVersion,
  LedgerWriter,
  PoolStore,
  LatestPoolVersion,
  StoreFailure
} from "../../../core/ports/mod.ts"
import type { Durable, Ports } from "./database.ts"
import type { ProcessLife, FiberSchedule } from "./schedule.ts"
import type { FaultInjector } from "./faults.ts"

/** A disk with a journal: it keeps synced entries, and loses the others with the process. */
export interface Disk {
  readonly synced: Array<LogEntry>
  /** Writes are refused, until there is room again. */
  isFull: boolean
  /** Acknowledges a sync that it has not done: a fault that the simulation has to find. */
  isHasty: boolean
}

/** Opens the real stores over a log of the real records; a list replaces the SQLite file. */
export function journalOn(
  disk: Disk,
  name: string,
  genesis: GenesisFeed,
  injector: FaultInjector,
  scheduler: FiberSchedule
): Durable {
  let current: { readonly log: DiskLog; readonly pool: MemoryPoolStore } | undefined
  let starts = 0
  return {
    pool: () => current!.pool,
    isBroken: () => false,
    idle: () => false,
    open: (life) => {
      const [ledger, pool] = [openMemoryLedger({ genesis }), openMemoryPool()]
      for (const entry of disk.synced) applyEntry({ genesis, ledger, pool }, entry)
      const log = new DiskLog(disk, life, injector, scheduler)
      current = { log, pool }
      return portsOf(recordedStores({ ledger, pool, id: `${name} ${++starts}`, log }))
    }
  }
}

export const portsOf = (
  stores: Context.Context<LedgerReader | LedgerWriter | PoolStore>
): Ports => ({
  reader: Context.get(stores, LedgerReader),
  writer: Context.get(stores, LedgerWriter),
  pool: Context.get(stores, PoolStore),
  tip: Context.get(stores, LatestLedgerVersion)!,
  latestPoolVersion: Context.get(stores, LatestPoolVersion)
})

/**
 * Commits entries of one turn together, as the journal does, and drops and undoes them while the
 * disk is full.
 */
class DiskLog implements RecordLog {
  readonly failure = undefined
  readonly #disk: Disk
  readonly #life: ProcessLife
  readonly #injector: FaultInjector
  readonly #scheduler: FiberSchedule
  #waiting: Array<{ readonly entry: LogEntry; readonly onSettled: OnSettled | undefined }> = []
  #listeners: Array<OnSettled> = []

  constructor(disk: Disk, life: ProcessLife, injector: FaultInjector, scheduler: FiberSchedule) {
    this.#disk = disk
    this.#life = life
    this.#injector = injector
    this.#scheduler = scheduler
  }

  get isDurable(): boolean {
    return this.#waiting.length === 0 || this.#disk.isHasty
  }

  append(entry: LogEntry, onSettled?: OnSettled): void {
    if (this.#disk.isHasty) onSettled?.()
    const waiting = { entry, onSettled: this.#disk.isHasty ? undefined : onSettled }
    if (this.#waiting.push(waiting) > 1) return
    const { random, isCalm } = this.#injector
    if (isCalm || random.chance(0.5)) this.#scheduler.later(this.#life, () => this.#flush())
    else this.#scheduler.sleep(this.#life, 1 + random.below(3000), () => this.#flush())
  }

  whenSettled(onSettled: OnSettled): void {
    if (this.isDurable) onSettled()
    else this.#listeners.push(onSettled)
  }

  #flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    // a hasty disk cannot drop what it has acknowledged
    const failure = this.#disk.isFull && !this.#disk.isHasty ? diskFull() : undefined
    if (failure === undefined) this.#disk.synced.push(...waiting.map(({ entry }) => entry))
    else {
      this.#injector.faults++
      waiting.reverse()
    }
    for (const { onSettled } of waiting) onSettled?.(failure)
    for (const listener of this.#listeners.splice(0)) {
      this.#scheduler.later(this.#life, () => listener(failure))
    }
  }
}

const diskFull = () =>
  new StoreFailure({
    retry: true,
    reason: "disk",
    message: "The journal cannot be written: the disk is full"
  })
