/** What wallets post: its rules, its failures, and how it enters the pool. */
export * from "./_group_rules.ts"
export * from "./_posted_rules.ts"
export * from "./submission_failures.ts"
export * from "./submit.ts"
