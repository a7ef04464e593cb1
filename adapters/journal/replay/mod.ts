/** The replay of a log into stores in memory. */
export * from "./pool_record.ts"
export * from "./replay.ts"
