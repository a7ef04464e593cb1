import { Cause, Effect, Exit } from "effect"
import type { BatchFeed, PoolTransaction } from "../../core/domain/mod.ts"
import type { PoolStore } from "../../core/ports/mod.ts"
import type { Selection } from "../../core/use_cases/mod.ts"
import type { World } from "./_world.ts"

/** Returns the pending transaction with an id, read without injected faults. */
export const pendingOf = (pool: PoolStore["Service"], id: string): PoolTransaction | null => {
  const found = Effect.runSync(Effect.orDie(pool.transaction(id)))
  return found?.state === "pend" ? found : null
}

/** Selects transactions and forges them; sometimes another operation runs in between. */
export function coordinate(world: World, forge: (forged: Partial<BatchFeed>) => void): void {
  const { random, node: { services: { pool } }, timeline } = world
  const { facts } = timeline
  const options = { maxTransactions: 1 + random.below(6), maxNewAccounts: random.below(3) }
  const outcome = random.below(10)
  const selected = Effect.gen(function*() {
    const selection = yield* pool.select(options)
    const ids = selection.transactions.map(({ transaction }) => transaction.id)
    const started = yield* pool.startForging(ids, selection.batchNum)
    if (outcome > 1) yield* pool.doneForging(started, selection.batchNum)
    return { selection, started: new Set(started) }
  })
  call(world, "select", selected, ({ selection, started }) => {
    // on another chain, or beside another coordinator of the same pool, the batch would not fit
    if (
      outcome > 2 && timeline.facts === facts && timeline.open === undefined &&
      started.size === selection.transactions.length &&
      selection.batchNum === facts.batches.length + 1
    ) forge(batchOf(selection, 256 + facts.accounts.length))
  })
}

const batchOf = (
  { accounts, transactions }: Selection,
  firstCreated: number
): Partial<BatchFeed> => ({
  l1Coordinator: accounts,
  l2: transactions.map(({ receiver, transaction: { amount, fee, fromAccountIndex, nonce } }) => ({
    fromAccountIndex,
    amount,
    fee,
    nonce,
    toAccountIndex: receiver.kind === "exit"
      ? 1
      : receiver.kind === "account"
      ? receiver.index
      : firstCreated + receiver.position
  }))
})

/** Runs the host's maintenance of the pool. */
export function clean(world: World): void {
  const { random, node: { services: { pool } }, promises, timeline } = world
  const last = timeline.facts.batches.length
  switch (random.below(4)) {
    case 0:
      return call(world, "reconcile", pool.reconcile)
    case 1:
      return call(world, "give up", pool.rollBack(last))
    case 2: {
      const ids = random.some([...promises.transactions.keys()], 0.1)
      // whether or not the call succeeded, the transaction may be gone
      for (const id of ids) promises.removed.add(id)
      return call(world, "remove", pool.remove(ids, "The host says so"))
    }
    default: {
      for (const id of promises.posted.keys()) promises.removed.add(id)
      return call(
        world,
        "purge",
        pool.purge({
          ttlMs: random.of([1_000, 10_000_000]),
          currentBatch: last,
          safetyPeriodBatches: random.below(6),
          capacity: random.of([5, 1000])
        })
      )
    }
  }
}

export function call<A, E>(
  world: World,
  label: string,
  effect: Effect.Effect<A, E>,
  then: (found: A) => void = () => {}
): void {
  const { injector } = world
  const faults = injector.faults
  const wasRough = !injector.isCalm
  const abort = () => world.tell(`${label} unheard`)
  world.begin(label, effect, (exit) => {
    if (Exit.isSuccess(exit)) {
      world.tell(`${label} done`)
      world.count(label)
      return then(exit.value)
    }
    if (Cause.hasDies(exit.cause)) world.fail(`${label} is a defect: ${Cause.pretty(exit.cause)}`)
    world.check(
      wasRough || injector.faults > faults || world.durable.isBroken() ||
        Cause.hasInterruptsOnly(exit.cause),
      () => `${label} fails, and nothing was wrong: ${Cause.pretty(exit.cause)}`
    )
    world.count(`failed ${label}`)
    abort()
  }, abort)
}
