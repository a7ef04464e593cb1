/** Clients of one PostgreSQL server: pools of connections, failures, parameters and rows. */
export { answerStatement, lastPlace, readAnswer, type SqlAnswer } from "./answer_statement.ts"
export type { Values } from "./client.ts"
export {
  Database,
  databaseLayer,
  type DatabaseOptions,
  replicaReads,
  ControlConnection
} from "./database.ts"
export { DatabaseError, isConnectionLost, sqlState, storeFailure, toldBy } from "./failure.ts"
export {
  arrays,
  bigintArray,
  bigints,
  booleans,
  bytesArray,
  type Column,
  type Columns,
  doubles,
  hexBytes,
  insertInto,
  numerics,
  parametersOf,
  rowsOf,
  type RowStatement,
  smallints,
  texts,
  updateOf
} from "./parameters.ts"
export {
  bigOrNull,
  digits,
  fieldsOf,
  flag,
  freeTextOf,
  hexOrNull,
  intOrNull,
  lineOf,
  members,
  membersOf,
  prefixed,
  prefixedOrNull
} from "./row_text.ts"
export { readText, storedText } from "./stored_text.ts"
