import { Deferred, Effect } from "effect"
import { Channel } from "./_channel.ts"
import { type Role, roleHere } from "./role.ts"
import type { Sharing } from "./membership.ts"

/** What a process of a group knows of it. */
export interface WorkerSelf extends Role, Sharing {
  /** Says that requests are answered at an address. */
  readonly serving: (address: string) => Effect.Effect<void>
}

/**
 * Runs a process as its group has it: until the supervisor says that it should end, whatever signals come, since a terminal sends them to
 * all at once. Where there is no group it is run as it is.
 */
export const asWorker = <A, E, R>(run: (self: WorkerSelf | undefined) => Effect.Effect<A, E, R>): Effect.Effect<A | void, E, R> =>
  Effect.suspend(() => {
    const role = roleHere()
    if (role === undefined) return run(undefined)
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.removeAllListeners(signal).on(signal, () => {})
    const channel = new Channel()
    const self = { ...role, channel, serving: (address: string) => Effect.sync(() => channel.send({ kind: "serving", address })) }
    return Effect.gen(function*() {
      const drained = yield* Deferred.make<void>()
      channel.on("drain", () => Deferred.doneUnsafe(drained, Effect.void))
      const result = yield* Effect.raceFirst(run(self), Deferred.await(drained))
      // the line keeps the process alive
      process.disconnect()
      return result
    })
  })
