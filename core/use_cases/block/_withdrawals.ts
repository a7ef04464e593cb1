import type { BlockChanges, Exit, New } from "../../domain/mod.ts"
import { type BlockViolation, makeViolation, violationsIn } from "../violation/mod.ts"
import type { StagedBlock } from "./_staged_block.ts"

/**
 * Applies withdrawals of exits, instant ones and requests to the delayer, and collections from the
 * delayer in between.
 */
export function withdrawExits(staged: StagedBlock): BlockViolation | undefined {
  const { delayedWithdrawals = [], withdrawals = [] } = staged.block
  const places = collectionPlaces(staged)
  if (!Array.isArray(places)) return places
  for (let place = 0; place <= withdrawals.length; place++) {
    for (let position = 0; position < delayedWithdrawals.length; position++) {
      const violation = places[position] === place ? collect(staged, position) : undefined
      if (violation !== undefined) return violation
    }
    const violation = place < withdrawals.length ? withdraw(staged, place) : undefined
    if (violation !== undefined) return violation
  }
  return undefined
}

/**
 * Returns for each collection the number of withdrawals before it. If the delay is 0, a collection
 * can settle requests of its own block; if the feed does not say which, it settles all.
 */
function collectionPlaces(
  { block, variables, prior }: StagedBlock
): Array<number> | BlockViolation {
  const { delayedWithdrawals = [], withdrawals = [] } = block
  const isDelayZero = [variables.withdrawalDelayer, prior.variables.withdrawalDelayer].some((set) =>
    set?.withdrawalDelay === 0
  )
  const places: Array<number> = []
  for (const [position, { afterWithdrawals }] of delayedWithdrawals.entries()) {
    const place = afterWithdrawals ?? (isDelayZero ? withdrawals.length : 0)
    if (place > withdrawals.length) {
      const expected = `at most ${withdrawals.length}, the withdrawals of the block`
      const pointer = `/delayedWithdrawals/${position}/afterWithdrawals`
      return makeViolation("withdrawal-requested", place, expected, pointer)
    }
    places.push(place)
  }
  return places
}

function withdraw(staged: StagedBlock, position: number): BlockViolation | undefined {
  const withdrawal = staged.block.withdrawals![position]!
  const { accountIndex, batchNum, instant } = withdrawal
  const exit = staged.exit(batchNum, accountIndex)
  const refuse = violationsIn(withdrawal, `/withdrawals/${position}`)
  if (exit === undefined) {
    return refuse("exit-exists", "accountIndex", `an account with an exit in batch ${batchNum}`)
  }
  if (exit.instantWithdrawn !== null || exit.delayedWithdrawRequest !== null) {
    const block = exit.instantWithdrawn ?? exit.delayedWithdrawRequest
    const expected = `an exit of batch ${batchNum} that was not withdrawn in block ${block} already`
    return refuse("exit-open", "accountIndex", expected)
  }
  setWithdrawn(staged, exit, instant ? "instantWithdrawn" : "delayedWithdrawRequest")
  return undefined
}

/** Settles every exit that the owner has requested for a token so far. */
function collect(staged: StagedBlock, position: number): BlockViolation | undefined {
  const { owner, tokenId } = staged.block.delayedWithdrawals![position]!
  const requested = [
    ...staged.prior.requestedExits(owner, tokenId),
    ...staged.withdrawals.filter(({ field }) => field === "delayedWithdrawRequest")
  ]
    .map(({ accountIndex, batchNum }) => staged.exit(batchNum, accountIndex)!)
    .filter((exit) =>
      // an earlier collection of the block may have settled it
      exit.address === owner && exit.tokenId === tokenId && exit.delayedWithdrawn === null
    )
  if (requested.length === 0) {
    const expected = `an owner with a withdrawal of token ${tokenId} that was requested before`
    return makeViolation("withdrawal-requested", owner, expected, `/delayedWithdrawals/${position}`)
  }
  for (const exit of requested) setWithdrawn(staged, exit, "delayedWithdrawn")
  return undefined
}

function setWithdrawn(
  staged: StagedBlock,
  exit: New<Exit>,
  field: BlockChanges["withdrawals"][number]["field"]
): void {
  staged.setExit({ ...exit, [field]: staged.block.number })
  staged.withdrawals.push({ batchNum: exit.batchNum, accountIndex: exit.accountIndex, field })
}
