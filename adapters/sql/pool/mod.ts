/** The port of the pool over PostgreSQL: one transaction for each change. */
export * from "./pool.ts"
export { nextTransition, poolReads, transitionsFrom } from "./_reads.ts"
