import type { LedgerReader, PoolStore } from "../../ports/mod.ts"

/** What the pool's use cases work on. */
export interface PoolPorts {
  readonly reader: LedgerReader["Service"]
  readonly pool: PoolStore["Service"]
}

/** Above every batch number. */
export const batchNumLimit = 2 ** 32
