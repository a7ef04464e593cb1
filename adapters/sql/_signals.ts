import type { PgConnection } from "@effect/sql-pg"
import { Context } from "effect"
import type { SqlClient } from "effect/sql"

/** For what must not wait behind other work: the writer's sign of life, and word of new versions. */
export class Signals extends Context.Service<Signals, {
  /** A connection of its own. */
  readonly sql: SqlClient.SqlClient
  /** To open another one for listening. */
  readonly session: PgConnection.Config
}>()("rollup/sql/Signals") {}
