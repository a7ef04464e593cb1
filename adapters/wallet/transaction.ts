import { RequestFailed } from "../client/mod.ts"
import { type Connection, pause, valueOrNull, type WaitOptions } from "./_requests.ts"

/** A forged transaction. */
export interface ForgedTransaction {
  readonly id: string
  /** The batch that contains it. */
  readonly batchNum: number
}

/** A posted transaction. */
export interface SentTransaction {
  readonly id: string
  /**
   * Resolves when the transaction is forged, in the state `fged` or in the history. Asks the server
   * every `pollMs`, 1000 by default, and continues while the server is unreachable, until `signal`
   * aborts it. Rejects with NotForged if the transaction is invalid or was removed, and with
   * RequestFailed for a permanent failure. A rollback of the chain may undo a forged transaction,
   * which is then pending again.
   */
  readonly forged: (
    options?: WaitOptions & { readonly pollMs?: number }
  ) => Promise<ForgedTransaction>
}

/** Returns the posted transaction with an id. */
export function sentTransaction(
  { client, wait }: Connection,
  id: string,
  onNotForged: () => void = () => {}
): SentTransaction {
  const forgedIn = async (options: WaitOptions): Promise<ForgedTransaction | null> => {
    const pooled = valueOrNull(await client.getPoolTx({ id }, options))
    if (pooled?.state === "invl") {
      throw new NotForged(id, `is invalid: the account or its nonce has changed, send another one`)
    }
    if (pooled !== null) {
      return pooled.state === "fged" ? { id, batchNum: pooled.batchNum! } : null
    }
    // the pool removes forged transactions after some batches
    const batchNum = valueOrNull(await client.getHistoryTx({ id }, options))?.batchNum ?? null
    if (batchNum !== null) return { id, batchNum }
    throw new NotForged(
      id,
      "is neither in the pool nor in the history of the server: send another one"
    )
  }
  return {
    id,
    forged: async ({ pollMs = 1000, signal } = {}) => {
      for (;;) {
        try {
          const forged = await forgedIn(signal === undefined ? {} : { signal })
          if (forged !== null) return forged
        } catch (error) {
          if (error instanceof NotForged) onNotForged()
          if (!(error instanceof RequestFailed && error.failure.retry)) throw error
        }
        await pause(wait, pollMs, signal)
      }
    }
  }
}

/**
 * The transaction will not be forged: it is invalid, or it was removed from the pool. `id` is its
 * id.
 *
 * @example
 * ```ts
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 * import { connect, NotForged } from "rollup-node-api/wallet"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const rollup = await connect({ url: "http://node", fetch: node.fetch })
 * const transaction = rollup.transaction(`0x02${"0".repeat(64)}`)
 * const error = await transaction.forged().catch((error: unknown) => error)
 * if (error instanceof NotForged) console.log(error.id === transaction.id) // => true
 * await node.close()
 * ```
 */
export class NotForged extends Error {
  readonly _tag = "NotForged"
  readonly id: string

  constructor(id: string, reason: string) {
    super(`Transaction ${id} ${reason}`)
    this.id = id
  }
}
