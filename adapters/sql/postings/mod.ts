/** Posting lists: the item ids for each combination of filters. `postings.ts` explains their design. */
export { appendEntries, appendPostings } from "./append_postings.ts"
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
export { entriesOf, type KnownAdditions, type ListedEntries } from "./posting_entries.ts"
export {
  combinations,
  keysBelow,
  keysOfRow,
  type PostingFacet,
  postingKey,
  type PostingList,
  postingLists
} from "./posting_lists.ts"
export { rowItems } from "./postings.ts"
export { RecentAdditions } from "./recent_additions.ts"
export { endOfLists, removing } from "./removed_rows.ts"
