import type { BlockFeed } from "../../../core/domain/mod.ts"
import type { Occurrences, OpenExit, World } from "../world/mod.ts"

/**
 * Observes the withdrawals and the withdrawal delayer in a block. `before` and `after` are the
 * states before and after it.
 */
export function observeWithdrawals(
  occurrences: Occurrences,
  block: BlockFeed,
  before: World,
  after: World
): void {
  const { bucketUpdates = [], delayedWithdrawals = [], withdrawals = [] } = block
  const open: ReadonlyArray<OpenExit> = [...before.openExits, ...before.externalExits]
  const requested: Array<OpenExit> = []
  for (const { accountIndex, batchNum, instant } of withdrawals) {
    const exit = open.find((each) =>
      each.accountIndex === accountIndex && each.batchNum === batchNum
    )!
    occurrences.add(instant ? "instant withdrawal" : "delayed request")
    if (!instant) requested.push(exit)
    if (exit.balance > 0n) continue
    occurrences.add(instant ? "leaf of 0 withdrawn instantly" : "leaf of 0 requested")
  }
  const instant = withdrawals.filter((each) => each.instant)
  for (const _ of bucketUpdates) occurrences.add("bucket update")
  occurrences.addIf(
    instant.length > bucketUpdates.length,
    "instant withdrawal without a bucket"
  )
  for (const { owner, tokenId } of delayedWithdrawals) {
    const isOf = (exit: OpenExit) => exit.owner === owner && exit.tokenId === tokenId
    occurrences.add("delayed collection")
    occurrences.addIf(
      requested.some(isOf) && !after.openExits.some(isRequestOf(isOf)),
      "request and collection in one block"
    )
    occurrences.addIf(
      [...open.filter(isRequestOf(isOf)), ...requested.filter(isOf)].some(({ balance }) =>
        balance === 0n
      ),
      "leaf of 0 collected"
    )
  }
  observeVariables(occurrences, block, before)
}

const isRequestOf = (isOf: (exit: OpenExit) => boolean) => (exit: OpenExit): boolean =>
  exit.requestedMs !== null && isOf(exit)

function observeVariables(
  occurrences: Occurrences,
  { rollupVariables: rollup, verifiers, withdrawalDelayerVariables: delayer }: BlockFeed,
  before: World
): void {
  occurrences.addIf(verifiers !== undefined, "verifiers replaced")
  if (rollup !== undefined) {
    occurrences.add("rollup variables")
    occurrences.addIf(rollup.safeMode, "safe mode")
    occurrences.addIf(
      rollup.buckets.some(({ rateWithdrawals = 1n }) => rateWithdrawals > 1n),
      "bucket with several withdrawals per period"
    )
  }
  if (delayer === undefined) return
  const { withdrawalDelay } = delayer
  occurrences.addIf(
    withdrawalDelay !== before.variables.withdrawalDelayer.withdrawalDelay,
    "withdrawal delay changed"
  )
  occurrences.addIf(withdrawalDelay === 0, "withdrawal delay of 0")
  occurrences.addIf(delayer.emergencyMode, "emergency mode")
}
