/** Clients of one PostgreSQL server: connection pools, failures, parameters and answers. */
export * from "./last_write.ts"
export * from "./answer_statement.ts"
export * from "./stored_text.ts"
export * from "./client.ts"
export * from "./database.ts"
export * from "./failure.ts"
export * from "./parameters.ts"
