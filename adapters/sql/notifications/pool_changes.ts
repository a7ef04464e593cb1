import { type Context, Effect } from "effect"
import type { PoolStore, PoolTip } from "../../../core/ports/mod.ts"

/*
 * The version of each part of the pool. Ids and addresses are hashed to 1024 slots, so the memory
 * of a process and the size of a notification do not depend on the size of the pool. New
 * transactions are sent to other processes without slots, since they change no existing one. An
 * authorization is not sent: it changes no answer.
 */
const slots = 1024
const slotOf = (key: string): number => parseInt(key.slice(-3), 16) % slots

/** Returns the slots of ids or addresses as the payload of a notification. */
export const formatSlots = (keys: ReadonlyArray<string>): string =>
  [...new Set(keys.map(slotOf))].join(",")
export const parseSlots = (text: string): ReadonlyArray<number> =>
  text === "" ? [] : text.split(",").map(Number)

/** The versions of the pool and of its slots in this process. */
export class PoolChanges {
  readonly #versions = new Float64Array(slots)
  #version = 0
  /** Called after each change, also after one that added rows. */
  onChange: () => void = () => {}

  /** Records that rows were added and no existing row has changed. */
  added(): void {
    this.#version++
    this.onChange()
  }

  changed(slots: ReadonlyArray<number>): void {
    this.#version++
    for (const slot of slots) this.#versions[slot] = this.#version
    this.onChange()
  }

  /** Records that every row may have changed, since notifications may have been lost. */
  allChanged(): void {
    this.#version++
    this.#versions.fill(this.#version)
    this.onChange()
  }

  /** Returns the port over these versions; they are null while `isReceiving` returns false. */
  tip(isReceiving: () => boolean): PoolTip {
    return {
      version: () => isReceiving() ? this.#version : null,
      versionOf: (key) => isReceiving() ? this.#versions[slotOf(key)]! : null
    }
  }

  /**
   * Returns a store that records its writes here before it acknowledges them, even if a write
   * fails, since it may have been committed.
   */
  recordWrites(
    pool: Context.Service.Shape<typeof PoolStore>
  ): Context.Service.Shape<typeof PoolStore> {
    const added = Effect.sync(() => this.added())
    const changed = (changes: ReadonlyArray<{ readonly id: string }>) =>
      Effect.sync(() => this.changed(changes.map(({ id }) => slotOf(id))))
    return {
      ...pool,
      addTransaction: (...args) => Effect.ensuring(pool.addTransaction(...args), added),
      addGroup: (...args) => Effect.ensuring(pool.addGroup(...args), added),
      replaceTransaction: (replaced, ...args) =>
        Effect.ensuring(pool.replaceTransaction(replaced, ...args), changed([replaced])),
      addAuthorization: (...args) => Effect.ensuring(pool.addAuthorization(...args), added),
      change: (changes, atMs) => Effect.ensuring(pool.change(changes, atMs), changed(changes)),
      settle: (step, atMs) =>
        Effect.ensuring(
          pool.settle(step, atMs),
          isRollBack(step) ? Effect.sync(() => this.allChanged()) : changed(step.changes)
        ),
      skip: (notes, selected) =>
        Effect.ensuring(
          pool.skip(notes, selected),
          changed([...notes, ...selected.map((id) => ({ id }))])
        )
    }
  }
}

/** Returns whether a settlement goes back, which removes reasons of selections. */
const isRollBack = ({ from, to }: Parameters<PoolStore["Service"]["settle"]>[0]): boolean =>
  (to?.batchNum ?? 0) < (from?.batchNum ?? 0)
