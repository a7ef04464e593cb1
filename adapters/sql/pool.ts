import { PgTypes } from "@effect/sql-pg"
import { type Context, Effect, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import type { Authorization } from "../../core/domain/mod.ts"
import { type Added, PoolStore, type StoreFailure } from "../../core/ports/mod.ts"
import { addInTurn, type Posted } from "./_pool_adding.ts"
import { changeInTurn, settleInTurn, skipInTurn } from "./_pool_changing.ts"
import { gathered } from "./_pool_gather.ts"
import { type AuthorizationRow, authorizationOf, poolReads } from "./_pool_reads.ts"
import { inTurn, retried } from "./_pool_turn.ts"
import { bytesOf, int8 } from "./_pool_values.ts"
import { Database } from "./database.ts"

/** The pool of a database; any number of processes may have it open and write to it. */
export const openPool: Effect.Effect<
  Context.Service.Shape<typeof PoolStore>,
  never,
  Database | Scope.Scope
> = Effect.gen(function*() {
  const { reads, writes } = yield* Database
  const add = yield* gathered<Posted, Added, StoreFailure>(
    (all) => inTurn(writes, (turn) => addInTurn(writes, turn, all)),
    POSTED_AT_ONCE_MAX
  )
  return {
    ...poolReads(reads),
    addTransaction: (transaction, sender, limits) => add({ transaction, sender, limits }),
    addAuthorization: (authorization) => addAuthorization(writes, authorization),
    change: (changes, atMs) => inTurn(writes, (turn) => changeInTurn(writes, turn, changes, atMs)),
    settle: (step, atMs) => inTurn(writes, (turn) => settleInTurn(writes, turn, step, atMs)),
    skip: (notes) => inTurn(writes, (turn) => skipInTurn(writes, turn, notes))
  }
})

/** Bounds how long others wait for a turn that takes in transactions. */
const POSTED_AT_ONCE_MAX = 256

/**
 * One statement and no turn, since an authorization bears on nothing else: the first to be stored stays. The id of the write tells
 * one whose answer was lost that it was the first.
 */
const addAuthorization = (
  sql: SqlClient.SqlClient,
  { address, publicKey, signature, timestampMs }: Authorization
) =>
  Effect.suspend(() => {
    const writeId = PgTypes.uuid(crypto.randomUUID())
    return retried(
      sql.unsafe<AuthorizationRow & { readonly added: boolean }>(authorize, [
        bytesOf(address),
        bytesOf(publicKey),
        signature,
        int8(timestampMs),
        writeId
      ])
    )
  }).pipe(Effect.map(([row]) => ({ added: row!.added, authorization: authorizationOf(row!) })))

/** Overwrites the address by itself where there is one, since only what a statement writes is answered as it is now. */
const authorize = `
INSERT INTO pool_authorization AS stored (address, public_key, signature, timestamp_ms, write_id) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (address) DO UPDATE SET address = stored.address
RETURNING stored.address, stored.public_key, stored.signature, stored.timestamp_ms, stored.write_id = $5 AS added`
