import { Effect, Result } from "effect"
import type { PoolStore } from "../../core/ports/mod.ts"
import { answerWhenDurable } from "./_durable_answers.ts"
import { type PoolRecord, writePoolRecord } from "./_pool_record.ts"
import type { RecordLog } from "./record_log.ts"

type Pool = PoolStore["Service"]

/**
 * Returns the port of a pool in memory that appends each write to a log if it changed the pool. An
 * answer waits until the log is durable.
 */
export const journaledPool = (pool: Pool, log: RecordLog): Pool => {
  const answer = answerWhenDurable(log)
  // a pool in memory is synchronous
  const read = <A, E>(effect: Effect.Effect<A, E>) =>
    answer(() => Effect.runSync(Effect.result(effect)))
  const write = <A, E>(
    effect: Effect.Effect<A, E>,
    record: PoolRecord,
    hasChanged: (result: A) => boolean
  ) =>
    answer(() => {
      const result = Effect.runSync(Effect.result(effect))
      if (Result.isSuccess(result) && hasChanged(result.success)) {
        log.append({ kind: "pool", text: writePoolRecord(record) })
      }
      return result
    })
  return {
    transaction: (id) => read(pool.transaction(id)),
    authorization: (address) => read(pool.authorization(address)),
    transitions: (id) => read(pool.transitions(id)),
    skippedTransaction: (id) => read(pool.skippedTransaction(id)),
    counts: read(pool.counts),
    pooled: (ids) => read(pool.pooled(ids)),
    pendingOf: (index) => read(pool.pendingOf(index)),
    pendingTokens: read(pool.pendingTokens),
    pendingByFee: (query) => read(pool.pendingByFee(query)),
    pendingSince: (query) => read(pool.pendingSince(query)),
    pendingBelow: (nonces) => read(pool.pendingBelow(nonces)),
    inBatches: (query) => read(pool.inBatches(query)),
    settledBatchesBelow: (query) => read(pool.settledBatchesBelow(query)),
    addTransaction: (transaction, sender, limits) =>
      write(pool.addTransaction(transaction, sender, limits), {
        kind: "transaction",
        transaction,
        sender
      }, ({ kind }) => kind === "added"),
    addAuthorization: (authorization) =>
      write(
        pool.addAuthorization(authorization),
        { kind: "authorization", authorization },
        ({ added }) => added
      ),
    change: (changes, atMs) =>
      write(pool.change(changes, atMs), { kind: "change", changes, atMs }, (ids) => ids.length > 0),
    settle: (step, atMs) =>
      write(pool.settle(step, atMs), { kind: "settle", step, atMs }, (ids) => ids !== null),
    skip: (notes) => write(pool.skip(notes), { kind: "passOver", notes }, () => notes.length > 0)
  }
}
