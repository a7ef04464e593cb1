import type { BlockFeed } from "../../../core/domain/mod.ts"
import type { Facts } from "../../laws/mod.ts"

/** What blocks contain by the rules of the contracts; each must occur in some of the seeds. */
export const chainOccurrences = [
  "leaf of 0",
  "exit without effect beside one with effect",
  "leaf of 0 withdrawn",
  "forced exit without effect",
  "creation with an exit of 0",
  "creation with an exit of an amount",
  "account with bit 254 of its key",
  "internal account with key 0",
  "two fee accounts of one token",
  "repeated fee account",
  "transfer of 0 to an account that does not exist",
  "transfer of 0 to an account of another token",
  "default minimum bids changed",
  "closed slots changed",
  "winner by a changed minimum",
  "request and collection in one block",
  "verifiers replaced",
  "block without effects",
  "block without nonces",
  "block without exits",
  "block without proofs"
] as const

type Occurrence = typeof chainOccurrences[number]

/** Calls `count` for what a block, as it was sent, has changed. */
export function countOccurrences(
  before: Facts,
  after: Facts,
  sent: BlockFeed,
  count: (occurrence: Occurrence) => void
): void {
  const countIf = (isOccurring: boolean, occurrence: Occurrence) => {
    if (isOccurring) count(occurrence)
  }
  countBatches(before, after, sent, countIf)
  const { auction } = before.variables
  const changed = after.variables.auction
  const isMinimumChanged = String(auction.defaultSlotSetBid) !== String(changed.defaultSlotSetBid)
  countIf(isMinimumChanged, "default minimum bids changed")
  countIf(auction.closedAuctionSlots !== changed.closedAuctionSlots, "closed slots changed")
  const initial = after.genesis.variables.auction.defaultSlotSetBid
  countIf(
    isMinimumChanged &&
      after.bids.some(({ bidValue, slotNum }) =>
        bidValue >= changed.defaultSlotSetBid[slotNum % 6]! && bidValue < initial[slotNum % 6]!
      ),
    "winner by a changed minimum"
  )
  countIf(sent.verifiers !== undefined, "verifiers replaced")
  for (
    const { balance, delayedWithdrawn, delayedWithdrawRequest, instantWithdrawn } of after.exits
  ) {
    const { number } = sent
    countIf(
      delayedWithdrawn === number && delayedWithdrawRequest === number,
      "request and collection in one block"
    )
    countIf(
      balance === 0n && (instantWithdrawn === number || delayedWithdrawn === number),
      "leaf of 0 withdrawn"
    )
  }
}

function countBatches(
  before: Facts,
  after: Facts,
  { batches = [] }: BlockFeed,
  countIf: (isOccurring: boolean, occurrence: Occurrence) => void
): void {
  const tokenOf = (index: number) =>
    after.accounts.find((account) => account.index === index)?.tokenId
  for (const { publicKey } of after.accounts.slice(before.accounts.length)) {
    countIf(
      (Number.parseInt(publicKey.slice(-2), 16) & 0x40) > 0,
      "account with bit 254 of its key"
    )
    countIf(publicKey === "0".repeat(64), "internal account with key 0")
  }
  const transactions = after.transactions.slice(before.transactions.length)
  for (const { amount, fromAccountIndex, l1, toAccountIndex, tokenId, type } of transactions) {
    if (l1 !== null) {
      const isCreation = type === "CreateAccountDeposit" && toAccountIndex === 1
      countIf(type === "ForceExit" && !l1.amountSuccess, "forced exit without effect")
      countIf(isCreation && amount === 0n, "creation with an exit of 0")
      countIf(isCreation && amount > 0n, "creation with an exit of an amount")
      const leaf = after.exits.findLast(({ accountIndex }) => accountIndex === fromAccountIndex)
      countIf(
        type === "ForceExit" && !l1.amountSuccess && leaf !== undefined && leaf.balance > 0n &&
          leaf.batchNum === after.batches.length,
        "exit without effect beside one with effect"
      )
    } else if (amount === 0n && toAccountIndex >= 256) {
      const token = tokenOf(toAccountIndex)
      countIf(token === undefined, "transfer of 0 to an account that does not exist")
      countIf(
        token !== undefined && token !== tokenId,
        "transfer of 0 to an account of another token"
      )
    }
  }
  for (const { balance } of after.exits.slice(before.exits.length)) {
    countIf(balance === 0n, "leaf of 0")
  }
  for (const { batchNum, exits, feeAccounts, l1UserEffects, l2 } of batches) {
    const hasExits = after.exits.some((exit) => exit.batchNum === batchNum)
    const hasEffects = transactions.some(({ l1 }) => l1?.userOrigin === true)
    const accounts = new Set(feeAccounts)
    countIf(accounts.size < feeAccounts.length, "repeated fee account")
    countIf(
      new Set([...accounts].map(tokenOf)).size < accounts.size,
      "two fee accounts of one token"
    )
    countIf(hasEffects && l1UserEffects === undefined, "block without effects")
    countIf(l2.some(({ nonce }) => nonce === undefined), "block without nonces")
    countIf(hasExits && exits === undefined, "block without exits")
    countIf(
      exits?.some(({ merkleProof }) => merkleProof === undefined) ?? false,
      "block without proofs"
    )
  }
}
