/** Clients of one PostgreSQL server: connection pools, failures, parameters and answers. */
export { LastWrite } from "./last_write.ts"
export {
  answerStatement,
  bigOrNull,
  hexSql,
  fieldsOf,
  booleanOf,
  freeTextOf,
  hexOrNull,
  intOrNull,
  lastPlace,
  lineSql,
  membersSql,
  membersOf,
  prefixedHex,
  prefixedHexOrNull,
  readAnswer,
  type SqlAnswer,
  readText,
  storedText
} from "./answer_statement.ts"
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
