import type { LedgerStamp } from "../../core/ports/mod.ts"
import type { Answer } from "../../core/use_cases/mod.ts"
import type { HeaderRecord } from "./_headers.ts"

/** An answer as its resource computes it, before it is tagged. */
export interface Computed extends Partial<Pick<Answer, "dependsOn" | "pool">> {
  readonly status: number
  /** Beside those that name the snapshot and the revision. */
  readonly headers: HeaderRecord
  readonly body: string | Uint8Array
  readonly stamp: LedgerStamp | undefined
  /** The batch that is all that is shown, which becomes final; null or absent of others. */
  readonly batch?: number | null
}
