import type { EthereumBlock } from "../../../core/domain/mod.ts"
import type { BlockGap } from "../../../core/ports/mod.ts"
import { firstNot } from "../_binary_search.ts"
import type { StoredBlock } from "./ledger_image.ts"

/** The stored blocks, ascending by number. The first one is the genesis block. */
export class Blocks {
  private rows: Array<StoredBlock> = []

  get length(): number {
    return this.rows.length
  }

  /** The last block. There is one: the genesis block is stored when the ledger is opened. */
  get last(): StoredBlock {
    return this.rows.at(-1)!
  }

  at(position: number): StoredBlock | undefined {
    return position < 0 ? undefined : this.rows[position]
  }

  /** Returns the position of a block; −1 if there is no block with this number. */
  positionOf(number: bigint): number {
    const position = this.firstFrom(number)
    return this.rows[position]?.block.number === number ? position : -1
  }

  /** Returns the position of the first block with at least this number, or `length`. */
  firstFrom(number: bigint): number {
    return firstNot(0, this.rows.length, (index) => this.rows[index]!.block.number < number)
  }

  find(number: bigint): EthereumBlock | undefined {
    return this.at(this.positionOf(number))?.block
  }

  /** Returns the blocks around a number that is between two of them; undefined for other numbers. */
  gapAt(number: bigint): BlockGap | undefined {
    const next = this.firstFrom(number)
    const [before, after] = [this.at(next - 1)?.block, this.at(next)?.block]
    return before === undefined || after === undefined || after.number === number
      ? undefined
      : { before, after }
  }

  push(row: StoredBlock): void {
    this.rows.push({ ...row, block: Object.freeze({ ...row.block }) })
  }

  truncate(length: number): void {
    this.rows.length = length
  }

  list(): ReadonlyArray<StoredBlock> {
    return [...this.rows]
  }

  restore(rows: ReadonlyArray<StoredBlock>): void {
    this.rows = []
    for (const row of rows) this.push(row)
  }
}
