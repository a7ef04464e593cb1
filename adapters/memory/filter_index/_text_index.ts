import { splitThreshold } from "../_heavy.ts"

/** Rows whose text contains what the path from the root spells. */
class TextNode {
  readonly positions: Array<number> = []
  /** By UTF-16 unit; null while the node is light. */
  next: Map<number, TextNode> | null = null
}

/** Ascending rows; exact where they are those asked for and not only some among which those are. */
interface Candidates {
  readonly positions: ReadonlyArray<number>
  readonly exact: boolean
}

/** A name repeated by many tokens splits nodes down to its own length, which costs its square: no path is longer than this. */
const depthMax = 32

/**
 * Finds the rows whose text contains a needle: a trie over all suffixes that is deepened only where more than
 * `splitThreshold` rows share a path, so that a lookup ends at the exact list or at a short list of candidates. Only for a needle
 * of more than `depthMax` UTF-16 units can the candidates be many: the texts that contain the rarest stretch of `depthMax`
 * units of the needle.
 */
export class TextIndex {
  private readonly root = new Map<number, TextNode>()
  private readonly textAt: (position: number) => string

  constructor(textAt: (position: number) => string) {
    this.textAt = textAt
  }

  /** Adds a row behind all others. */
  append(text: string, position: number): void {
    for (let start = 0; start < text.length; start++) {
      let level: Map<number, TextNode> | null = this.root
      for (let end = start; end < text.length && level !== null; end++) {
        const node = touch(level, text.charCodeAt(end), position)
        if (node.next === null) this.deepen(node, text.slice(start, end + 1))
        level = node.next
      }
    }
  }

  /** Removes the row that was added last. */
  removeLast(text: string, position: number): void {
    for (let start = 0; start < text.length; start++) {
      let level: Map<number, TextNode> | null = this.root
      for (let end = start; end < text.length && level !== null; end++) {
        const unit = text.charCodeAt(end)
        const node: TextNode | undefined = level.get(unit)
        if (node === undefined) break
        if (node.positions.at(-1) === position) node.positions.pop()
        if (node.positions.length === 0) level.delete(unit) // what hangs below held this row alone
        level = node.next
      }
    }
  }

  /** Rows that contain the needle, or, where not exact, rows among which all of those are. */
  candidates(needle: string): Candidates {
    let fewest = this.candidatesOf(needle, 0)
    // what contains the needle contains each of its stretches
    for (
      let start = 1;
      start + depthMax <= needle.length && !fewest.exact &&
      fewest.positions.length > splitThreshold;
      start++
    ) {
      const others = this.candidatesOf(needle, start)
      if (others.positions.length < fewest.positions.length) {
        fewest = { positions: others.positions, exact: others.positions.length === 0 }
      }
    }
    return fewest
  }

  /** Those of the longest path that the needle spells from a unit of it on; exact where it is spelled to its end. */
  private candidatesOf(needle: string, start: number): Candidates {
    let level: Map<number, TextNode> | null = this.root
    let positions: ReadonlyArray<number> = []
    for (let end = start; end < needle.length; end++) {
      if (level === null) return { positions, exact: false }
      const node: TextNode | undefined = level.get(needle.charCodeAt(end))
      if (node === undefined) return { positions: [], exact: true }
      positions = node.positions
      level = node.next
    }
    return { positions, exact: true }
  }

  private deepen(node: TextNode, path: string): void {
    if (node.positions.length <= splitThreshold || path.length >= depthMax) return
    const next = new Map<number, TextNode>()
    node.next = next
    for (const position of node.positions) {
      const text = this.textAt(position)
      for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
        if (at + path.length < text.length) touch(next, text.charCodeAt(at + path.length), position)
      }
    }
    for (const [unit, child] of next) this.deepen(child, path + String.fromCharCode(unit))
  }
}

const touch = (level: Map<number, TextNode>, unit: number, position: number): TextNode => {
  let node = level.get(unit)
  if (node === undefined) level.set(unit, node = new TextNode())
  if (node.positions.at(-1) !== position) node.positions.push(position)
  return node
}
