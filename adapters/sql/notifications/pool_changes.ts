import { type Context, Effect } from "effect"
import type { PoolStore, PoolTip } from "../../../core/ports/mod.ts"

/*
 * What of the pool has changed, by places: ids and addresses share a thousand of them, so that a process keeps the same few numbers
 * however large the pool, and word of a change is short however much it changes. An authorization stays as it is, and a transaction that
 * enters was not there before: only what moves is told to other processes.
 */
const places = 1024
const placeOf = (key: string): number => parseInt(key.slice(-3), 16) % places

/** Places as other processes are told of them. */
export const writePlaces = (keys: ReadonlyArray<string>): string =>
  [...new Set(keys.map(placeOf))].join(",")
export const readPlaces = (text: string): ReadonlyArray<number> => text.split(",").map(Number)

/** What this process knows of changes in the pool. */
export class PoolChanges {
  readonly #versions = new Float64Array(places)
  #version = 0

  /** Something was written that changes nothing which was there. */
  grown(): void {
    this.#version++
  }

  changed(some: ReadonlyArray<number>): void {
    this.#version++
    for (const place of some) this.#versions[place] = this.#version
  }

  /** Word may have been missed. */
  allChanged(): void {
    this.#version++
    this.#versions.fill(this.#version)
  }

  /** For as long as word comes. */
  tip(isTold: () => boolean): PoolTip {
    return {
      version: () => isTold() ? this.#version : null,
      versionOf: (key) => isTold() ? this.#versions[placeOf(key)]! : null
    }
  }

  /** The same port, but what it writes is noted before it is acknowledged, and also where nobody can tell whether it was written. */
  noting(pool: Context.Service.Shape<typeof PoolStore>): Context.Service.Shape<typeof PoolStore> {
    const grown = Effect.sync(() => this.grown())
    const moved = (changes: ReadonlyArray<{ readonly id: string }>) =>
      Effect.sync(() => this.changed(changes.map(({ id }) => placeOf(id))))
    return {
      ...pool,
      addTransaction: (...given) => Effect.ensuring(pool.addTransaction(...given), grown),
      addAuthorization: (...given) => Effect.ensuring(pool.addAuthorization(...given), grown),
      change: (changes, atMs) => Effect.ensuring(pool.change(changes, atMs), moved(changes)),
      settle: (step, atMs) => Effect.ensuring(pool.settle(step, atMs), moved(step.changes))
    }
  }
}
