import { Context, Effect } from "effect"
import {
  type LogEntry,
  recordedStores,
  type RecordLog,
  applyEntry
} from "../../adapters/journal/mod.ts"
import {
  type MemoryPoolStore,
  openMemoryLedger,
  openMemoryPool
} from "../../adapters/memory/mod.ts"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import {
  LedgerReader,
  LedgerTip,
  LedgerWriter,
  PoolStore,
  PoolTip,
  StoreFailure
} from "../../core/ports/mod.ts"
import type { Durable, Ports } from "./_database.ts"
import type { Life, Turns } from "./_turns.ts"
import type { Weather } from "./_weather.ts"

/** A disk with a journal on it: it keeps what was synced, and loses the rest with the process. */
export interface Disk {
  readonly synced: Array<LogEntry>
  /** Nothing more can be written. */
  isFull: boolean
  /** It says that it has synced what it has not: a fault that the simulation has to find. */
  isHasty: boolean
}

/** The real stores over a log of the real records; only what SQLite does with its file is done by a list. */
export function journalOn(
  disk: Disk,
  name: string,
  genesis: GenesisFeed,
  weather: Weather,
  turns: Turns
): Durable {
  let current: { readonly log: DiskLog; readonly pool: MemoryPoolStore } | undefined
  let starts = 0
  return {
    pool: () => current!.pool,
    isBroken: () => current?.log.failure !== undefined,
    idle: () => false,
    open: (life) => {
      const [ledger, pool] = [openMemoryLedger({ genesis }), openMemoryPool()]
      for (const entry of disk.synced) applyEntry({ genesis, ledger, pool }, entry)
      const log = new DiskLog(disk, life, weather, turns)
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
  tip: Context.get(stores, LedgerTip)!,
  poolTip: Context.get(stores, PoolTip)
})

/** As the journal: entries of one turn share a commit, and what cannot be written has failed for good. */
class DiskLog implements RecordLog {
  failure: StoreFailure | undefined
  readonly #disk: Disk
  readonly #life: Life
  readonly #weather: Weather
  readonly #turns: Turns
  #waiting: Array<LogEntry> = []
  #resumes: Array<(outcome: Effect.Effect<void, StoreFailure>) => void> = []

  constructor(disk: Disk, life: Life, weather: Weather, turns: Turns) {
    this.#disk = disk
    this.#life = life
    this.#weather = weather
    this.#turns = turns
  }

  get isDurable(): boolean {
    return this.#waiting.length === 0 || this.#disk.isHasty
  }

  append(entry: LogEntry): void {
    if (this.#waiting.push(entry) > 1) return
    const { dice, isCalm } = this.#weather
    if (isCalm || dice.chance(0.5)) this.#turns.later(this.#life, () => this.#flush())
    else this.#turns.sleep(this.#life, 1 + dice.below(3000), () => this.#flush())
  }

  readonly durable: Effect.Effect<void, StoreFailure> = Effect.callback((resume) => {
    if (this.failure !== undefined) resume(Effect.fail(this.failure))
    else if (this.isDurable) resume(Effect.void)
    else this.#resumes.push(resume)
  })

  #flush(): void {
    if (this.#disk.isFull) {
      this.failure = new StoreFailure({
        retry: false,
        message: "The journal cannot be written: the disk is full"
      })
      this.#weather.faults++
    } else {
      this.#disk.synced.push(...this.#waiting)
      this.#waiting = []
    }
    const outcome = this.failure === undefined ? Effect.void : Effect.fail(this.failure)
    for (const resume of this.#resumes.splice(0)) {
      this.#turns.later(this.#life, () => resume(outcome))
    }
  }
}
