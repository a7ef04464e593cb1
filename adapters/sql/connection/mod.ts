/** Clients of one PostgreSQL server: connection pools, failures, parameters and answers. */
export { LastWrite } from "./last_write.ts"
export {
  type AnswerRows,
  answerStatement,
  firstColumn,
  lastPlace,
  numberOrNull,
  readAnswer,
  type RowSource,
  type RowValues,
  type SqlAnswer
} from "./answer_statement.ts"
export { readText, storedText } from "./stored_text.ts"
export type { Values } from "./client.ts"
export {
  Database,
  databaseLayer,
  type DatabaseOptions,
  replicaReads,
  ControlConnection
} from "./database.ts"
export {
  cannotWrite,
  DatabaseError,
  isConnectionLost,
  isConnectionRefused,
  retryOnNewConnection,
  sqlState,
  storeFailure,
  causeMessage
} from "./failure.ts"
export {
  bigintArray,
  bigints,
  bytesArray,
  type Column,
  type Columns,
  hexBytes,
  insertInto,
  parameterColumn,
  parametersOf,
  rowsOf,
  type RowStatement,
  smallints,
  texts,
  updateOf
} from "./parameters.ts"
