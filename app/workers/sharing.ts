import { Effect } from "effect"
import type { Journal, RecordedStoresOptions } from "../../adapters/journal/mod.ts"
import type { Follower, FollowerOptions, MemoryOptions, SharedMemory, Sharing } from "./membership.ts"

/* The stores of a group, by code that is loaded by the processes that have them: a supervisor has none. */

/**
 * Stores that have what the writer has, and a way to it for what is posted. Ends when they have caught up; from then on nobody shows what
 * they do not have.
 */
export const openFollower = (options: FollowerOptions): Effect.Effect<Follower> =>
  Effect.flatMap(Effect.promise(() => import("./_follower.ts")), ({ openFollower }) => openFollower(options))

/**
 * Stores that keep nothing but what the supervisor keeps for them: a writer that begins anew goes on where the one before was, and so loses
 * nothing that was shown.
 */
export const sharedMemory = (sharing: Sharing, options: MemoryOptions): Effect.Effect<SharedMemory> =>
  Effect.flatMap(Effect.promise(() => import("./_writer.ts")), ({ sharedMemory }) => sharedMemory(sharing, options))

/** Has the group follow a journal: what it accepts is shown when it is on disk and every process has it. */
export const sharedJournal = (sharing: Sharing): Effect.Effect<(journal: Journal) => Pick<RecordedStoresOptions, "id" | "logs">> =>
  Effect.map(Effect.promise(() => import("./_writer.ts")), ({ sharedJournal }) => sharedJournal(sharing))
