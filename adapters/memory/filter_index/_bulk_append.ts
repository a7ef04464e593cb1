import type { FacetSet, Key, KeyFacet } from "./facets.ts"
import { splitThreshold } from "../_heavy.ts"
import { type Branches, newBranches, IndexNode } from "./_index_node.ts"
import { TextIndex } from "./_text_index.ts"

/** What the lists of an index are made from. */
interface Indexed<Row> {
  readonly set: FacetSet<Row>
  readonly rowAt: (position: number) => Row
}

/** Positions [from, to), or those of a list that stand at these places. */
interface Entering {
  readonly positions: ReadonlyArray<number> | null
  readonly from: number
  readonly to: number
}

/** A node that has grown, and how many rows it had before. */
interface Grown {
  readonly node: IndexNode
  readonly before: number
}

/**
 * Files many rows behind all others, one facet after the other: the lists are those that filing row by row makes, several times as fast,
 * since each list is touched many times in a row.
 */
export function fill<Row>(
  indexed: Indexed<Row>,
  branches: Branches,
  mask: number,
  entering: Entering
): void {
  for (const [place, branch] of branches.entries()) {
    const facet = indexed.set.facets[place]!
    if (branch === null) continue
    if (branch instanceof TextIndex) {
      if (facet.kind === "text") {
        for (const position of each(entering)) {
          branch.append(facet.text(indexed.rowAt(position)), position)
        }
      }
    } else if (facet.kind === "key") {
      const below = mask & indexed.set.combines[place]!
      const grown = fillKeys(indexed.rowAt, branch, facet, entering)
      if (below !== 0) { for (const each of grown) divide(indexed, below, each) }
    }
  }
}

/** Files one facet; the nodes that it reached. */
function fillKeys<Row>(
  rowAt: (position: number) => Row,
  branch: Map<Key, IndexNode>,
  { keys }: KeyFacet<Row>,
  entering: Entering
): ReadonlyArray<Grown> {
  const grown: Array<Grown> = []
  const { from, positions, to } = entering
  const first = positions === null ? from : positions[from]!
  const file = (key: Key, position: number) => {
    const node = branch.get(key)
    if (node === undefined) {
      const created = new IndexNode(position)
      branch.set(key, created)
      grown.push({ node: created, before: 0 })
      return
    }
    const before = node.positions.length
    if (node.positions[before - 1]! < first) grown.push({ node, before })
    node.positions.push(position)
  }
  const [one, other] = keys
  for (let place = from; place < to; place++) {
    const position = positions === null ? place : positions[place]!
    const row = rowAt(position)
    const key = one(row)
    if (key !== null) file(key, position)
    const second = other === undefined ? null : other(row)
    if (second !== null && second !== key) file(second, position)
  }
  return grown
}

function divide<Row>(indexed: Indexed<Row>, mask: number, { before, node }: Grown): void {
  const { positions } = node
  if (node.branches !== null) {
    fill(indexed, node.branches, mask, { positions, from: before, to: positions.length })
  } else if (positions.length > splitThreshold) {
    node.branches = newBranches(indexed.set, indexed.rowAt, mask)
    fill(indexed, node.branches, mask, { positions, from: 0, to: positions.length })
  }
}

function* each({ from, positions, to }: Entering): Generator<number> {
  for (let place = from; place < to; place++) yield positions === null ? place : positions[place]!
}
