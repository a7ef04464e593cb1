import { Context } from "effect"

/**
 * What a process knows of the newest version of its ledger without asking the store; null where its stores do not tell. With it an
 * answer is found to be current before anything is read.
 */
export interface LedgerTip {
  /** Names the ledger: versions of another one, though they are the same numbers, have another content. */
  readonly id: string
  /**
   * Never below a version that this process has shown or written, and not behind the store by more than word of a new version takes to
   * come. Null while nothing is known: then the store has to be asked.
   */
  readonly version: () => number | null
  /** Whether the store is elsewhere: it then pays to ask the same thing only once at a time. */
  readonly isRemote: boolean
}

export const LedgerTip = Context.Reference<LedgerTip | null>("rollup/core/LedgerTip", { defaultValue: () => null })
