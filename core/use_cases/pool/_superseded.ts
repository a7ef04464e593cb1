import { Effect } from "effect"
import type { PoolTransaction } from "../../domain/mod.ts"
import type { AccountIndex } from "../../encoding/mod.ts"
import type { PoolChange } from "../../ports/mod.ts"
import { changeIfUnsettled, type PoolPorts } from "./_optimistic_change.ts"
import { isForgedAs } from "./_equality.ts"

/**
 * Returns the changes for pending transactions with a nonce that the ledger has used: the
 * transaction itself was forged, or another one superseded it.
 */
export const findSuperseded = Effect.fnUntraced(
  function*({ reader }: Pick<PoolPorts, "reader">, transactions: ReadonlyArray<PoolTransaction>) {
    const nonces = new Map<AccountIndex, bigint>()
    const changes: Array<PoolChange> = []
    for (const transaction of transactions) {
      if (transaction.state !== "pend") continue
      const { fromAccountIndex, id, nonce } = transaction
      if (!nonces.has(fromAccountIndex)) {
        nonces.set(
          fromAccountIndex,
          (yield* reader.find("account", fromAccountIndex)).item?.account.nonce ?? 0n
        )
      }
      const current = nonces.get(fromAccountIndex)!
      if (nonce >= current) continue
      const { item, stamp } = yield* reader.find("transaction", id)
      const forged = item?.transaction
      const common = { id, from: "pend", fromBatchNum: null } as const
      changes.push(
        forged !== undefined && forged.batchNum !== null && isForgedAs(transaction, forged)
          ? {
            ...common,
            to: "fged",
            batchNum: forged.batchNum,
            reason: forgedReason(forged.batchNum)
          }
          : {
            ...common,
            to: "invl",
            batchNum: stamp.batchNum ?? 0,
            reason:
              `Nonce ${nonce} of account ${fromAccountIndex} is used: its current one is ${current}`
          }
      )
    }
    return changes
  }
)

/** Settles transactions that became pending after the settlement of the batch with their nonce. */
export const reconcileWithLedger = Effect.fnUntraced(
  function*(ports: PoolPorts, ...transactions: ReadonlyArray<PoolTransaction>) {
    const superseded = findSuperseded(ports, transactions)
    if ((yield* superseded).length > 0) yield* changeIfUnsettled(ports, () => superseded)
  }
)

export const forgedReason = (batchNum: number): string => `Forged in batch ${batchNum}`
