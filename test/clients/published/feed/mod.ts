/** Computes the answers of a server from the feed of its ledger. */
export { answersOfFeed } from "./answers.ts"
