/**
 * Posting lists: the item ids for each combination of filters. `postings.ts` explains their design.
 */
export * from "./write_postings.ts"
export * from "./open_items.ts"
export { unindexedTail } from "./_page_postings.ts"
export * from "./page.ts"
export * from "./posting_entries.ts"
export * from "./listed_rows.ts"
export * from "./posting_lists.ts"
export * from "./postings.ts"
