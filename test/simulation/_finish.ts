import { revisionList } from "../../core/contract/mod.ts"
import { call } from "./_coordinator.ts"
import { feed, type Feeder } from "./_feeding.ts"
import { readAuthorization, readPosted } from "./_posting.ts"
import { disagreement } from "./_promises.ts"
import { listOperations, urlOf } from "./_reads.ts"
import { read } from "./_requests.ts"
import type { LedgerRead } from "./_reference.ts"
import { missed, takePage } from "./_walks.ts"
import type { World } from "./_world.ts"

/** Stops injecting faults: the service has to recover by itself, and every promise is checked. */
export function finish(world: World, feeder: Feeder): void {
  const { timeline, injector } = world
  injector.isUnreachable = false
  injector.roughness = 0
  world.isVerifierBusy = false
  world.disk.isFull = false
  world.quiesce()
  if (world.durable.isBroken()) world.restart()
  for (let tries = 0; timeline.open !== undefined; tries++) {
    world.check(
      tries < 3,
      () => "The service does not apply the feed, although there are no faults any more"
    )
    feed(world, feeder)
    world.quiesce()
  }
  call(world, "reconcile", world.node.services.pool.reconcile)
  world.quiesce()
  lookAtEverything(world)
  world.check(
    world.pendingChecks.length === 0,
    () => `Version ${world.pendingChecks[0]?.version} was shown, and never told`
  )
  if (world.random.chance(0.7)) return
  // durable data must be there for the next process too
  world.restart()
  lookAtEverything(world)
}

const wholeReads = [...listOperations.values(), "getState", "getConfig"] as const

function lookAtEverything(world: World): void {
  const { random, promises, timeline, walks } = world
  for (const operation of random.some(wholeReads, 0.2)) {
    const ledgerRead: LedgerRead = {
      revision: random.of(revisionList),
      operation,
      values: [],
      query: operation === "getState" || operation === "getConfig" ? "" : "limit=2049"
    }
    read(world, ledgerRead, { method: "GET", url: urlOf(ledgerRead), headers: {} })
  }
  for (const id of promises.transactions.keys()) {
    world.checkPromise(id)
    if (random.chance(0.2)) readPosted(world, id)
  }
  for (const address of promises.authorizations.keys()) {
    world.checkAuthorization(address)
    readAuthorization(world, address)
  }
  const broken = disagreement(world.durable.pool(), timeline.facts, promises.transactions.keys())
  if (broken !== undefined) world.fail(broken)
  for (const walk of walks) {
    walk.isAtEnd = false
    for (let pages = 0; !walk.isAtEnd; pages++) {
      world.check(pages < 100, () => `A reader of ${walk.list} never comes to the end`)
      takePage(world, walk, 50)
      world.quiesce()
    }
    const lost = missed(timeline.facts, walk)
    if (lost !== undefined) world.fail(lost)
  }
  world.quiesce()
}
