import { PgTypes } from "@effect/sql-pg"
import { type Context, Effect, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { Authorization } from "../../../core/domain/mod.ts"
import { type AddResult, PoolStore, type StoreFailure } from "../../../core/ports/mod.ts"
import { Database } from "../connection/mod.ts"
import { addTransactions, type Posted } from "./_add.ts"
import { batchRequests } from "./_batch_requests.ts"
import { applyChanges, recordSkips, settleBatch } from "./_change.ts"
import { bytesOf, int8 } from "./pool_values.ts"
import { runPoolWrite, retryWrite } from "./_pool_write.ts"
import { type AuthorizationRow, authorizationOf, poolReads } from "./_reads.ts"

/** Opens the pool of a database. Any number of processes may open it and write to it. */
export const openPool: Effect.Effect<
  Context.Service.Shape<typeof PoolStore>,
  never,
  Database | Scope.Scope
> = Effect.gen(function*() {
  const { reads, writes } = yield* Database
  const add = yield* batchRequests<Posted, AddResult, StoreFailure>(
    (all) => runPoolWrite(writes, (write) => addTransactions(writes, write, all)),
    POSTED_AT_ONCE_MAX
  )
  return {
    ...poolReads(reads),
    addTransaction: (transaction, sender, limits) => add({ transaction, sender, limits }),
    addAuthorization: (authorization) => addAuthorization(writes, authorization),
    change: (changes, atMs) =>
      runPoolWrite(writes, (write) => applyChanges(writes, write, changes, atMs)),
    settle: (step, atMs) => runPoolWrite(writes, (write) => settleBatch(writes, write, step, atMs)),
    skip: (notes) => runPoolWrite(writes, (write) => recordSkips(writes, write, notes))
  }
})

/** Bounds the size of a batch of posted transactions, and so how long other writes wait for it. */
const POSTED_AT_ONCE_MAX = 256

/**
 * Stores an authorization unless the address has one, and returns the stored one. It is one
 * statement outside of `runPoolWrite`, since it affects nothing else. The write id tells a retry
 * whose answer was lost that its own write was the first.
 */
const addAuthorization = (
  sql: SqlClient.SqlClient,
  { address, publicKey, signature, timestampMs }: Authorization
) =>
  Effect.suspend(() => {
    const writeId = PgTypes.uuid(crypto.randomUUID())
    return retryWrite(
      sql.unsafe<AuthorizationRow & { readonly added: boolean }>(authorize, [
        bytesOf(address),
        bytesOf(publicKey),
        signature,
        int8(timestampMs),
        writeId
      ])
    )
  }).pipe(Effect.map(([row]) => ({ added: row!.added, authorization: authorizationOf(row!) })))

/** On conflict it updates the address to itself, since RETURNING returns written rows only. */
const authorize = `
INSERT INTO pool_authorization AS stored (address, public_key, signature, timestamp_ms, write_id) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (address) DO UPDATE SET address = stored.address
RETURNING stored.address, stored.public_key, stored.signature, stored.timestamp_ms, stored.write_id = $5 AS added`
