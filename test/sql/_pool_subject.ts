import { afterAll, beforeAll } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { layer } from "../../adapters/memory/mod.ts"
import { poolTables } from "../../adapters/sql/schema/_pool_tables.ts"
import {
  Database,
  databaseLayer,
  type DatabaseOptions
} from "../../adapters/sql/connection/database.ts"
import { LastWrite } from "../../adapters/sql/connection/last_write.ts"
import { openPool } from "../../adapters/sql/pool/pool.ts"
import { simulate } from "../../app/simulator/mod.ts"
import {
  LedgerReader,
  LedgerWriter,
  type PoolLimits,
  type PoolStore,
  type TransactionOwners
} from "../../core/ports/mod.ts"
import type { PoolSubject } from "../laws/mod.ts"
import { type FreshDatabase, freshDatabase } from "../postgres/mod.ts"

const { genesis } = simulate({ seed: "pool" })

export type Services = Context.Context<Database | LastWrite>

/** Connects as one process of a node does. */
export const connected = (
  url: string,
  options: Omit<DatabaseOptions, "url"> = {}
): Effect.Effect<Services, never, Scope.Scope> =>
  Effect.orDie(Layer.build(Layer.fresh(databaseLayer({ url: Redacted.make(url), ...options }))))

/** Opens the pool as one process does. */
export const poolOf = (
  database: Services
): Effect.Effect<PoolStore["Service"], never, Scope.Scope> =>
  Effect.provideContext(openPool(), database)

/** Executes statements one after the other. */
export const executed = (database: Services, ...statements: ReadonlyArray<string>) =>
  Effect.orDie(
    Effect.forEach(statements, (statement) =>
      Context.get(database, Database).writes.unsafe<{ readonly [name: string]: unknown }>(
        statement
      ))
  )

const createPool = (database: Services) => executed(database, ...poolTables)

/** Opens a database with the tables of a pool for the tests of a file. */
export const poolDatabase = () => {
  const scope = Scope.makeUnsafe()
  const opened = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    Effect.runPromise(Scope.provide(effect, scope))
  const place = {} as { fresh: FreshDatabase; database: Services }
  beforeAll(async () => {
    place.fresh = await freshDatabase()
    place.database = await opened(connected(place.fresh.url))
    await Effect.runPromise(createPool(place.database))
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await place.fresh.remove()
  })
  return {
    get url() {
      return place.fresh.url
    },
    get services() {
      return place.database
    },
    /** Opens resources that stay open until the last test has run. */
    opened
  }
}

/** Returns all recorded transitions, in order. */
export const historyOf = (database: Services) =>
  Effect.map(
    executed(
      database,
      `
SELECT encode(s.id, 'hex') AS id, s.from_state, s.to_state, s.reason, t.from_account_index AS account
FROM pool_transition AS s JOIN pool_transaction AS t ON t.id = s.id ORDER BY s.number`
    ),
    ([rows]) => rows!
  )

/** Empties the pool, which is much faster than creating its tables. */
export const emptyPool = (database: Services) =>
  executed(
    database,
    `
WITH a AS (DELETE FROM pool_transaction), b AS (DELETE FROM pool_transition), c AS (DELETE FROM pool_mark), d AS (DELETE FROM pool_authorization),
  e AS (DELETE FROM pool_sender)
UPDATE pool SET pend = 0, fing = 0, fged = 0, invl = 0, next_arrival = 0, next_transition = 0`
  )

export const owners: TransactionOwners = {
  sender: { address: `0x${"0".repeat(40)}`, publicKey: "0".repeat(64) },
  receiver: null
}
export const unlimited: PoolLimits = { pendingMax: 1_000_000, pendingPerAccountMax: 1_000_000 }

/** Opens pools over one database, one at a time, with ledgers in memory. */
export const subjectOf = (
  database: Services,
  seed: string | number,
  runs: number
): PoolSubject => ({
  genesis,
  keccak256,
  seed,
  runs,
  open: Effect.gen(function*() {
    yield* emptyPool(database)
    const ledger = yield* Layer.build(Layer.fresh(layer(genesis)))
    return {
      store: yield* poolOf(database),
      reader: Context.get(ledger, LedgerReader),
      writer: Context.get(ledger, LedgerWriter)
    }
  })
})
