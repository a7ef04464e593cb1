import { Effect } from "effect"
import { copyFileSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { replay } from "../../../adapters/journal/replay/replay.ts"
import { Journal } from "../../../adapters/journal/log/journal.ts"
import { recordedStores } from "../../../adapters/journal/recorded_stores.ts"
import {
  type MemoryPoolStore,
  openMemoryLedger,
  openMemoryPool
} from "../../../adapters/memory/mod.ts"
import type { GenesisFeed } from "../../../core/domain/mod.ts"
import type { Durable } from "./database.ts"
import { portsOf } from "./disk.ts"

/**
 * The real journal, in a new directory for each process. A killed process leaves what SQLite had
 * written: the next one opens a copy of it, because the first directory is still locked.
 */
export function journalIn(
  parent: string,
  name: string,
  genesis: GenesisFeed
): Durable & { readonly close: () => void } {
  let current: {
    readonly journal: Journal
    readonly pool: MemoryPoolStore
    readonly directory: string
  } | undefined
  let starts = 0
  return {
    pool: () => current!.pool,
    isBroken: () => current?.journal.failure !== undefined,
    idle: () => {
      const { journal } = current!
      if (journal.isDurable || journal.failure !== undefined) return false
      journal.flush()
      return true
    },
    close: () => current?.journal.close(),
    open: () => {
      const directory = join(parent, String(++starts))
      mkdirSync(directory)
      if (current !== undefined) {
        for (const file of readdirSync(current.directory)) {
          copyFileSync(join(current.directory, file), join(directory, file))
        }
        current.journal.close()
      }
      const journal = new Journal(directory, genesis)
      const [ledger, pool] = [openMemoryLedger({ genesis }), openMemoryPool()]
      Effect.runSync(replay(journal, { genesis, ledger, pool }))
      journal.startWriting()
      current = { journal, pool, directory }
      return portsOf(recordedStores({ ledger, pool, id: `${name} ${starts}`, log: journal }))
    }
  }
}
