import type {
  BatchChanges,
  BlockChanges,
  EthereumBlock,
  PriceFeed
} from "../../../core/domain/mod.ts"
import { FIRST_USER_ACCOUNT, type TransactionId } from "../../../core/encoding/mod.ts"
import type { Auction } from "./_auction.ts"
import type { History } from "./_history.ts"
import type { Tokens } from "./_tokens.ts"

/** The parts of the state that the assertions read, before the write. */
interface Stored {
  readonly lastBlock: EthereumBlock
  readonly history: History
  readonly tokens: Tokens
  readonly auction: Auction
}

const assert = (holds: boolean, describe: () => string): void => {
  if (!holds) throw new Error(`Cannot store the block: ${describe()}`)
}

/**
 * Throws if the changes would break an assumption of the tables. Nothing is changed then. An error
 * here is a defect of the caller.
 */
export const assertStorable = (stored: Stored, changes: BlockChanges): void => {
  const { history, tokens } = stored
  const { number } = changes.block
  assert(
    number > stored.lastBlock.number,
    () => `block ${number} does not come after block ${stored.lastBlock.number}`
  )
  const lastTokenId = tokens.lastId + changes.tokens.length
  changes.tokens.forEach(({ id }, i) =>
    assert(id === tokens.lastId + 1 + i, () => `token ${id} is not the next one`)
  )
  assertPrices(stored, changes.prices, lastTokenId)

  const ids = new Set<TransactionId>()
  const assertNew = (id: TransactionId) => {
    assert(
      !ids.has(id) && history.transaction(id) === undefined,
      () => `transaction ${id} is stored already`
    )
    ids.add(id)
  }
  const queued = new Map<number, Array<{ readonly id: TransactionId; readonly position: number }>>()
  for (const row of changes.queued) {
    assertNew(row.id)
    const queue = row.l1?.toForgeL1TransactionsNum
    assert(
      row.batchNum === null && typeof queue === "number",
      () => `transaction ${row.id} is not queued`
    )
    const unforged = queued.get(queue!) ?? [...history.queues.transactionsIn(queue!)]
    assert(
      row.position > (unforged.at(-1)?.position ?? -1),
      () => `transaction ${row.id} is not the last one of its queue`
    )
    unforged.push(row)
    queued.set(queue!, unforged)
  }

  let lastAccount = history.accounts.lastIndex
  changes.batches.forEach(({ batch, ...rows }, i) => {
    const { batchNum } = batch
    assert(batchNum === history.lastBatchNum + 1 + i, () => `batch ${batchNum} is not the next one`)
    for (const { index } of rows.accounts) {
      assert(index === ++lastAccount, () => `account ${index} is not the next one`)
    }
    assertUpdates(rows, lastAccount)
    assertForged(rows.forged, batch.forgeL1TransactionsNum, queued, history)
    if (batch.forgeL1TransactionsNum !== null) queued.set(batch.forgeL1TransactionsNum, [])
    for (const row of rows.transactions) {
      assertNew(row.id)
      assert(
        row.tokenId <= lastTokenId && row.batchNum === batchNum,
        () => `transaction ${row.id} has another batch or an unknown token`
      )
    }
    let lastExit = -1
    for (const exit of rows.exits) {
      assert(
        exit.accountIndex > lastExit && exit.batchNum === batchNum,
        () => `exit of account ${exit.accountIndex} is out of order`
      )
      lastExit = exit.accountIndex
    }
  })
  assertAuction(stored, changes)
  for (const { batchNum, accountIndex } of changes.withdrawals) {
    const exists = history.exit(batchNum, accountIndex) !== undefined
      || changes.batches.some(({ exits }) =>
        exits.some((exit) => exit.batchNum === batchNum && exit.accountIndex === accountIndex)
      )
    assert(
      exists,
      () => `exit of batch ${batchNum} and account ${accountIndex} is withdrawn and does not exist`
    )
  }
}

/** Throws if a price is for an unknown token. */
export const assertPrices = (
  { tokens }: Pick<Stored, "tokens">,
  prices: ReadonlyArray<PriceFeed>,
  lastTokenId = tokens.lastId
): void => {
  for (const { tokenId } of prices) {
    assert(tokenId <= lastTokenId, () => `token ${tokenId} has a price and is not registered`)
  }
}

const assertUpdates = (
  { accounts, accountUpdates }: Pick<BatchChanges, "accounts" | "accountUpdates">,
  lastAccount: number
): void => {
  let last = FIRST_USER_ACCOUNT - 1
  for (const { index } of accountUpdates) {
    assert(index <= lastAccount, () => `account ${index} is updated and does not exist`)
    assert(index > last, () => `the update of account ${index} is out of order`)
    last = index
  }
  // the created accounts are the last ones
  const updated = accountUpdates.slice(Math.max(0, accountUpdates.length - accounts.length))
  for (const [i, { index }] of accounts.entries()) {
    assert(updated[i]?.index === index, () => `account ${index} is created and has no update`)
  }
}

const assertForged = (
  forged: BatchChanges["forged"],
  queue: number | null,
  queued: ReadonlyMap<number, ReadonlyArray<{ readonly id: TransactionId }>>,
  history: History
): void => {
  const unforged = queue === null ? [] : queued.get(queue) ?? history.queues.transactionsIn(queue)
  assert(
    forged.length === unforged.length && unforged.every(({ id }, i) => forged[i]!.id === id),
    () =>
      `queue ${queue} holds ${unforged.length} transactions, which differ from the ${forged.length} that its batch forges`
  )
}

const assertAuction = ({ auction }: Stored, { coordinators, bids }: BlockChanges): void => {
  for (const { bidderAddr } of bids) {
    assert(
      auction.registration(bidderAddr) !== undefined ||
        coordinators.some((each) => each.bidderAddr === bidderAddr),
      () => `bidder ${bidderAddr} is not registered`
    )
  }
}
