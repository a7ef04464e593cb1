import { splitThreshold } from "./index_keys.ts"

/** The rows whose text contains the path from the root. */
class TextNode {
  /** Ascending positions of the rows. */
  readonly positions: Array<number> = []
  /** Children by UTF-16 unit; null until the node has more than `splitThreshold` rows. */
  children: Map<number, TextNode> | null = null
}

/** Ascending positions of rows. They all match if `isExact`, otherwise each has to be checked. */
interface Candidates {
  readonly positions: ReadonlyArray<number>
  readonly isExact: boolean
}

/**
 * Maximum length of a path in UTF-16 units. Without it a name that many tokens share would be
 * indexed at a cost of the square of its length.
 */
const pathMax = 32

/**
 * Finds the rows whose text contains a needle: a trie of all suffixes, in which a node has children
 * only if more than `splitThreshold` rows share its path. A lookup ends at the exact list or at a
 * short list of candidates. Only a needle longer than `pathMax` can have many candidates: the rows
 * that contain its rarest substring of `pathMax` units.
 */
export class TextIndex {
  private readonly root = new Map<number, TextNode>()
  private readonly textAt: (position: number) => string

  /** @param textAt Returns the text of the row at a position. */
  constructor(textAt: (position: number) => string) {
    this.textAt = textAt
  }

  /** Adds a row at a position above all others. */
  append(text: string, position: number): void {
    for (let start = 0; start < text.length; start++) {
      let level: Map<number, TextNode> | null = this.root
      for (let end = start; end < text.length && level !== null; end++) {
        const node = addPosition(level, text.charCodeAt(end), position)
        if (node.children === null) this.split(node, text.slice(start, end + 1))
        level = node.children
      }
    }
  }

  /** Removes the row at the greatest position. */
  removeLast(text: string, position: number): void {
    for (let start = 0; start < text.length; start++) {
      let level: Map<number, TextNode> | null = this.root
      for (let end = start; end < text.length && level !== null; end++) {
        const unit = text.charCodeAt(end)
        const node: TextNode | undefined = level.get(unit)
        if (node === undefined) break
        if (node.positions.at(-1) === position) node.positions.pop()
        // its children have no other row either
        if (node.positions.length === 0) level.delete(unit)
        level = node.children
      }
    }
  }

  /** Returns the rows that contain the needle, or rows that include them. */
  candidates(needle: string): Candidates {
    let fewest = this.candidatesFrom(needle, 0)
    // a text that contains the needle contains each of its substrings
    for (
      let start = 1;
      start + pathMax <= needle.length && !fewest.isExact &&
      fewest.positions.length > splitThreshold;
      start++
    ) {
      const { positions } = this.candidatesFrom(needle, start)
      if (positions.length < fewest.positions.length) {
        fewest = { positions, isExact: positions.length === 0 }
      }
    }
    return fewest
  }

  /**
   * Returns the rows of the longest path that the needle follows from unit `start` on. They are
   * exact if the path reaches the end of the needle.
   */
  private candidatesFrom(needle: string, start: number): Candidates {
    let level: Map<number, TextNode> | null = this.root
    let positions: ReadonlyArray<number> = []
    for (let end = start; end < needle.length; end++) {
      if (level === null) return { positions, isExact: false }
      const node: TextNode | undefined = level.get(needle.charCodeAt(end))
      if (node === undefined) return { positions: [], isExact: true }
      positions = node.positions
      level = node.children
    }
    return { positions, isExact: true }
  }

  private split(node: TextNode, path: string): void {
    if (node.positions.length <= splitThreshold || path.length >= pathMax) return
    const children = new Map<number, TextNode>()
    node.children = children
    for (const position of node.positions) {
      const text = this.textAt(position)
      for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
        const end = at + path.length
        if (end < text.length) addPosition(children, text.charCodeAt(end), position)
      }
    }
    for (const [unit, child] of children) this.split(child, path + String.fromCharCode(unit))
  }
}

const addPosition = (level: Map<number, TextNode>, unit: number, position: number): TextNode => {
  let node = level.get(unit)
  if (node === undefined) level.set(unit, node = new TextNode())
  if (node.positions.at(-1) !== position) node.positions.push(position)
  return node
}
