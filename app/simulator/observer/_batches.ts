import { type BatchFeed, type BlockFeed, l1TransactionType } from "../../../core/domain/mod.ts"
import {
  EMPTY_PUBLIC_KEY,
  EXIT_ACCOUNT,
  INTERNAL_ADDRESS,
  isUserAccount,
  leafKey,
  NO_ACCOUNT,
  publicKeyParts
} from "../../../core/encoding/mod.ts"
import { accountOf, type Occurrences, type World } from "../world/mod.ts"

/** A forged L1 user transaction, and whether its amounts took effect. */
interface Forged {
  readonly fromAccountIndex: number
  readonly toAccountIndex: number
  readonly fromAddress: string | null
  readonly fromPublicKey: string | null
  readonly tokenId: number
  readonly amount: bigint
  readonly depositAmount: bigint
  readonly amountFails: boolean
  readonly depositFails: boolean
}

/** Observes the batches of a block. `before` and `after` are the states before and after it. */
export function observeBatches(
  occurrences: Occurrences,
  block: BlockFeed,
  before: World,
  after: World
): void {
  const batches = block.batches ?? []
  occurrences.addIf(batches.length > 1, "several batches in a block")
  for (const batch of batches) {
    const forged = forgedOf(block, batch, before)
    observeQueue(occurrences, block, batch)
    for (const transaction of forged) observeL1(occurrences, transaction, after)
    observeExits(occurrences, batch, forged)
    observeCreations(occurrences, batch, forged)
    for (const feed of batch.l2) observeL2(occurrences, feed, after)
    observeFeeAccounts(occurrences, batch, after)
  }
}

function forgedOf(
  { l1UserTransactions = [] }: BlockFeed,
  { forgeL1TransactionsNum: queue, l1UserEffects }: BatchFeed,
  before: World
): ReadonlyArray<Forged> {
  const queued = before.queues.find(({ number }) => number === queue)?.transactions ?? []
  const own = l1UserTransactions.filter((feed) => feed.toForgeL1TransactionsNum === queue)
  const all = [
    ...queued.map((row) => ({ ...row, depositAmount: row.l1?.depositAmount ?? 0n })),
    ...own
  ]
  return (l1UserEffects ?? []).flatMap((effect, position) => {
    const transaction = all[position]
    return transaction === undefined ? [] : [{
      ...transaction,
      fromAccountIndex: transaction.fromAccountIndex ?? NO_ACCOUNT,
      amountFails: effect.effectiveAmount !== transaction.amount,
      depositFails: effect.effectiveDepositAmount !== transaction.depositAmount
    }]
  })
}

function observeQueue(
  occurrences: Occurrences,
  { l1UserTransactions = [] }: BlockFeed,
  { forgeL1TransactionsNum: queue, l1UserEffects, l2 }: BatchFeed
): void {
  if (queue === null) occurrences.add(l2.length === 0 ? "empty batch" : "batch without queue")
  else if (l1UserEffects?.length === 0) occurrences.add("empty queue forged")
  else if (l1UserTransactions.some((feed) => feed.toForgeL1TransactionsNum === queue)) {
    occurrences.add("batch of a queue filled in the same block")
  }
}

function observeL1(occurrences: Occurrences, forged: Forged, after: World): void {
  const { amount, amountFails, depositAmount, depositFails, fromAccountIndex } = forged
  const type = l1TransactionType(fromAccountIndex, forged.toAccountIndex, depositAmount)
  if (type === "ForceExit" || type === "ForceTransfer" || type === "Deposit") occurrences.add(type)
  else occurrences.add(type as "CreateAccountDeposit")
  occurrences.addIf(type === "Deposit" && depositFails, "deposit fails")
  occurrences.addIf(type === "ForceTransfer" && amountFails, "forced transfer fails")
  occurrences.addIf(amountFails && depositFails, "everything fails")
  occurrences.addIf(
    amountFails && !depositFails && depositAmount > 0n,
    "amount fails, deposit succeeds"
  )
  occurrences.addIf(
    amountFails && type === "CreateAccountDepositTransfer",
    "new account whose transfer fails"
  )
  if (fromAccountIndex === NO_ACCOUNT && forged.toAccountIndex === EXIT_ACCOUNT) {
    occurrences.add(
      amount === 0n ? "creation with an exit of 0" : "creation with an exit of an amount"
    )
  }
  const account = accountOf(after, fromAccountIndex)
  if (type === "ForceExit" && amountFails && account !== undefined) {
    if (account.tokenId !== forged.tokenId) occurrences.add("forced exit of another token")
    else if (account.address !== forged.fromAddress) occurrences.add("forced exit by another owner")
    else occurrences.add("forced exit of more than the balance")
  }
}

function observeExits(
  occurrences: Occurrences,
  { exits, l2 }: BatchFeed,
  forged: ReadonlyArray<Forged>
): void {
  const left = new Set<number>()
  for (const { fromAccountIndex, toAccountIndex } of l2) {
    if (toAccountIndex !== EXIT_ACCOUNT) continue
    occurrences.addIf(left.has(fromAccountIndex), "several exits of one account in a batch")
    left.add(fromAccountIndex)
  }
  const nullified = new Set(
    forged.filter(({ amountFails, toAccountIndex }) =>
      amountFails && toAccountIndex === EXIT_ACCOUNT
    ).map(({ fromAccountIndex }) => fromAccountIndex)
  )
  for (const { accountIndex, balance } of exits ?? []) {
    if (balance === 0n) occurrences.add("leaf of 0")
    else {occurrences.addIf(
        nullified.has(accountIndex),
        "exit without effect beside one with effect"
      )}
  }
}

function observeCreations(
  occurrences: Occurrences,
  { l1Coordinator }: BatchFeed,
  forged: ReadonlyArray<Forged>
): void {
  for (const { address, publicKey } of l1Coordinator) {
    const isInternal = address === INTERNAL_ADDRESS
    occurrences.add(isInternal ? "internal account" : "coordinator account with signature")
    occurrences.addIf(publicKey === EMPTY_PUBLIC_KEY, "internal account with key 0")
    occurrences.addIf(
      isInternal && hasBit254(publicKey),
      "internal account with bit 254 of its key"
    )
  }
  for (const { fromPublicKey: key, fromAccountIndex } of forged) {
    if (fromAccountIndex !== NO_ACCOUNT || key === null) continue
    occurrences.addIf(hasBit254(key), "account with bit 254 of its key")
    const { sign, y } = publicKeyParts(key)
    const { y: reduced } = publicKeyParts(leafKey(key))
    occurrences.addIf(
      y % BIT_254 !== reduced && sign === publicKeyParts(leafKey(key)).sign,
      "account with an unreduced key"
    )
  }
}

const BIT_254 = 1n << 254n

const hasBit254 = (key: string): boolean => publicKeyParts(key).y >= BIT_254

function observeL2(
  occurrences: Occurrences,
  { amount, fee, fromAccountIndex, toAccountIndex }: BatchFeed["l2"][number],
  after: World
): void {
  occurrences.add(toAccountIndex === EXIT_ACCOUNT ? "Exit" : "Transfer")
  occurrences.add(
    fee === 0
      ? "fee selector 0"
      : fee < 32
      ? "fee selector 1 to 31"
      : fee < 192
      ? "fee selector 32 to 191"
      : "fee selector 192 to 255"
  )
  const sender = accountOf(after, fromAccountIndex)
  const receiver = accountOf(after, toAccountIndex)
  if (sender !== undefined && hasBit254(sender.publicKey)) {
    occurrences.add("transfer from an account with bit 254 of its key")
  }
  if (receiver !== undefined && hasBit254(receiver.publicKey)) {
    occurrences.add("transfer to an account with bit 254 of its key")
  }
  if (amount > 0n || !isUserAccount(toAccountIndex)) return
  if (receiver === undefined) occurrences.add("transfer of 0 to an account that does not exist")
  else if (receiver.tokenId !== sender?.tokenId) {
    occurrences.add("transfer of 0 to an account of another token")
  }
}

function observeFeeAccounts(
  occurrences: Occurrences,
  { feeAccounts, l2 }: BatchFeed,
  after: World
): void {
  const distinct = [...new Set(feeAccounts)]
  occurrences.addIf(feeAccounts.length > 0 && l2.some(({ fee }) => fee > 40), "fees collected")
  occurrences.addIf(distinct.length < feeAccounts.length, "repeated fee account")
  const tokens = new Set(distinct.map((index) => accountOf(after, index)?.tokenId))
  occurrences.addIf(tokens.size < distinct.length, "two fee accounts of one token")
}
