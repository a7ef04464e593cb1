/**
 * Posting lists: the item ids for each combination of filters. `postings.ts` explains their design.
 */
export { appendEntries, appendPostings, SuffixCache } from "./append_postings.ts"
export { cutRemoved } from "./cut_postings.ts"
export {
  closeStatement,
  openExitKey,
  openExitSource,
  openLevels,
  openSlotKey,
  openStatement,
  slotKey
} from "./open_items.ts"
export { countsOf, type Order, pageRows, pageStatement, type PageText, positionOf } from "./page.ts"
export { entriesOf, type KnownSuffixes, type ListedEntries } from "./posting_entries.ts"
export { combinations, combinedKeys, keysOfRow, postingKey } from "./posting_keys.ts"
export {
  type CombinableFilter,
  type FacetName,
  type PostingFacet,
  type PostingList,
  type PostingListName,
  postingLists
} from "./posting_lists.ts"
export { rowItems } from "./postings.ts"
export { endOfLists, removing } from "./removed_rows.ts"
