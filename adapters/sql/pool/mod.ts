/** The port of the pool over PostgreSQL: one transaction for each change. */
export * from "./pool.ts"
export * from "./_reads.ts"
