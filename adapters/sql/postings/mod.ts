/**
 * Posting lists: the item ids for each combination of filters. `postings.ts` explains their design.
 */
export {
  appendEntries,
  appendPostings,
  cutPostings,
  eachOfLastRows,
  SuffixCache
} from "./write_postings.ts"
export {
  applicableBlock,
  closeStatement,
  openExitKey,
  openExitEntries,
  openExitKeys,
  openLevels,
  openSlotKey,
  openStatement,
  slotKey,
  slotKeys,
  wonSlotKey,
  wonSlotSource
} from "./open_items.ts"
export { unindexedTail } from "./_page_postings.ts"
export { countsOf, type Order, pageRows, pageStatement, type PageText, positionOf } from "./page.ts"
export {
  entriesOf,
  type KnownSuffixes,
  type ListedEntries,
  combinations,
  keysOfFacet,
  postingKey,
  type RowKeys,
  hasAllOf,
  hasOneOf
} from "./posting_entries.ts"
export { type ListedRows, listedRowsQuery, type PostingListName } from "./listed_rows.ts"
export { type FacetName, type PostingList, postingLists } from "./posting_lists.ts"
export { rowItems } from "./postings.ts"
