import type { BlockReference } from "../../../core/domain/mod.ts"
import type { LedgerRollBack } from "../../../core/ports/mod.ts"
import { firstNot } from "../_binary_search.ts"
import { frozenCopy } from "./_frozen.ts"

/** When a rollback was made. */
export interface RollBackTime extends Pick<LedgerRollBack, "timeMs"> {
  /** The version of the ledger after it, if a replay leaves out writes before it. */
  readonly version?: number | undefined
}

/** The rollbacks that removed blocks. Their serials are consecutive from 1; versions ascend. */
export class RollBacks {
  private rows: Array<LedgerRollBack> = []

  add({ lastBlock, removedBlock, ...row }: Omit<LedgerRollBack, "serial">): void {
    this.rows.push(frozenCopy({
      serial: this.rows.length + 1,
      ...row,
      lastBlock: referenceTo(lastBlock),
      removedBlock: referenceTo(removedBlock)
    }))
  }

  /** Returns the first `limit` rollbacks after a version of the ledger. */
  after(version: number, limit: number): ReadonlyArray<LedgerRollBack> {
    const from = firstNot(0, this.rows.length, (index) => this.rows[index]!.version <= version)
    return this.rows.slice(from, from + limit)
  }

  list(): ReadonlyArray<LedgerRollBack> {
    return [...this.rows]
  }

  restore(rows: ReadonlyArray<LedgerRollBack>): void {
    this.rows = rows.map(frozenCopy)
  }
}

const referenceTo = ({ hash, number }: BlockReference): BlockReference => ({ number, hash })
