/** Tables of rows, indexed by every combination of filters. */
export { type Constraint, type Facet, FacetSet, type Key, sideFacet } from "./facets.ts"
export { FilterIndex } from "./filter_index.ts"
export { IndexedRows, ItemIds, type RowList, Table } from "./table.ts"
