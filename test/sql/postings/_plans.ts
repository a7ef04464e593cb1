import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { readPlans, type Values } from "../../../adapters/sql/connection/client.ts"

/** An executed statement with its parameters. */
export interface ExecutedStatement {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
}

/** Returns a connection that records each different query once. */
export const recording = (
  values: Values
): { readonly values: Values; readonly questions: ReadonlyArray<ExecutedStatement> } => {
  const questions: Array<ExecutedStatement> = []
  const known = new Set<string>()
  return {
    questions,
    values: (text, parameters) => {
      const name = JSON.stringify([text, parameters])
      if (!known.has(name)) questions.push({ text, parameters })
      known.add(name)
      return values(text, parameters)
    }
  }
}

/** The parts of a plan node that show what was read. */
interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Rows"?: number
  readonly "Actual Loops"?: number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<PlanNode>
}
export interface Plan {
  readonly Plan: PlanNode
}

/**
 * Runs statements with the generic plans that reads use, and returns what the plans read. In one
 * transaction, so on one connection.
 */
export const generic = <A, E>(
  sql: SqlClient.SqlClient,
  use: (
    plan: (statement: ExecutedStatement) => Effect.Effect<Plan, SqlError.SqlError>
  ) => Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError.SqlError> =>
  sql.withTransaction(Effect.gen(function*() {
    for (const [name, value] of Object.entries(readPlans)) {
      yield* sql.unsafe(`SET LOCAL ${name} = ${value}`)
    }
    const names = new Map<string, string>()
    return yield* use((statement) => planOf(sql, names, statement))
  }))

/**
 * Prepared statements of a session outlive its transactions, and the next one may get the same
 * session.
 */
let prepared = 0

const planOf = Effect.fnUntraced(
  function*(
    sql: SqlClient.SqlClient,
    names: Map<string, string>,
    { parameters, text }: ExecutedStatement
  ) {
    let name = names.get(text)
    if (name === undefined) {
      names.set(text, name = `planned_${prepared++}`)
      yield* sql.unsafe(`PREPARE ${name} AS ${text}`).unprepared
    }
    const values = parameters.map((value) => value === null ? "NULL" : `'${String(value)}'`)
    const [row] = yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<Plan> }>(
      `EXPLAIN (ANALYZE, BUFFERS OFF, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) EXECUTE ${name}${
        values.length === 0 ? "" : `(${values.join(", ")})`
      }`
    ).unprepared
    return row!["QUERY PLAN"][0]!
  }
)

export interface Cost {
  /** Rows read from tables and indexes, including those that did not match. */
  readonly rows: number
  /** Tables that were scanned sequentially. */
  readonly sequential: ReadonlyArray<string>
}

/** Returns what a plan read. */
export const costOf = ({ Plan: top }: Plan): Cost => {
  const scans: Array<PlanNode> = []
  const visit = (node: PlanNode) => {
    if (node["Relation Name"] !== undefined || node["Node Type"] === "Bitmap Index Scan") {
      scans.push(node)
    }
    node.Plans?.forEach(visit)
  }
  visit(top)
  const read = (node: PlanNode) =>
    ((node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0) +
      (node["Rows Removed by Index Recheck"] ?? 0)) * (node["Actual Loops"] ?? 0)
  return {
    rows: scans.reduce((sum, node) => sum + read(node), 0),
    sequential: scans.filter((node) =>
      node["Node Type"] === "Seq Scan" && (node["Actual Loops"] ?? 0) > 0
    ).map((node) => node["Relation Name"]!)
  }
}
