import { PoolChain } from "../laws/pool/mod.ts"
import { feed, type Feeder } from "./_feeding.ts"
import { personOf } from "./network/mod.ts"
import type { World } from "./_world.ts"

/** The first blocks: a token, and accounts of some users. */
export function opening(world: World, feeder: Feeder): void {
  for (const given of new PoolChain(world.genesis).opening()) {
    const queued = given.l1UserTransactions?.map((each, number) => ({
      ...each,
      fromPublicKey: personOf(number).publicKey
    }))
    const block = queued === undefined ? given : { ...given, l1UserTransactions: queued }
    world.timeline.tell({ kind: "block", block })
    feed(world, feeder)
    world.quiesce()
  }
}
