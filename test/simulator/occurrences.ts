import { keccak256 } from "../../adapters/hashing/mod.ts"
import {
  applicableVariables,
  type BlockFeed,
  type Exit,
  type FeedRecord,
  firstBlockOfSlot,
  type GenesisFeed,
  protocol,
  reachesMinimum,
  slotOfBlock,
  type Transaction,
  transactionTypes
} from "../../core/domain/mod.ts"
import {
  EMPTY_PUBLIC_KEY,
  EXIT_ACCOUNT,
  INTERNAL_ADDRESS,
  isUserAccount,
  leafKey,
  publicKeyParts,
  ZERO_ADDRESS
} from "../../core/encoding/mod.ts"
import { type Facts, replay } from "../laws/mod.ts"
import { advance } from "../laws/naive/mod.ts"

/** A record, with the content of the ledger before and after it. */
interface Step {
  readonly record: FeedRecord
  readonly before: Facts
  readonly after: Facts
}

/** A block, with the content of the ledger before and after it. */
interface BlockStep extends Omit<Step, "record"> {
  readonly block: BlockFeed
  /** The transactions that the block forges. */
  readonly forged: ReadonlyArray<Transaction>
}

export const blockStep = (before: Facts, block: BlockFeed, after: Facts): BlockStep => ({
  before,
  after,
  block,
  forged: after.transactions.slice(before.transactions.length)
})

/** Returns which of the occurrences are missing in the records of a network. */
export function missingOccurrences(
  genesis: GenesisFeed,
  records: ReadonlyArray<FeedRecord>
): ReadonlyArray<string> {
  const steps = [...stepsOf(genesis, records)]
  const blocks = steps.flatMap(({ after, before, record }) =>
    record.kind === "block" ? [blockStep(before, record.block, after)] : []
  )
  return [
    ...Object.entries(ofSteps).filter(([, occurs]) => !steps.some(occurs)),
    ...Object.entries(occursInBlock).filter(([, occurs]) => !blocks.some(occurs))
  ].map(([occurrence]) => occurrence)
}

function* stepsOf(genesis: GenesisFeed, records: ReadonlyArray<FeedRecord>): Generator<Step> {
  let after = replay(genesis, [], keccak256)
  let former = [after]
  for (const record of records) {
    const before = after
    if (record.kind === "rollBack") {
      former = former.filter(({ lastEthereumBlock }) => lastEthereumBlock <= record.toBlock)
      after = former.at(-1)!
    } else {
      after = advance(before, record, keccak256)
      former.push(after)
    }
    yield { record, before, after }
  }
}

const ofSteps: { readonly [occurrence: string]: (step: Step) => boolean } = {
  "price between blocks": ({ record }) => record.kind === "prices",
  "rollback of one block": (step) => depthOf(step) === 1n,
  "rollback of several blocks": (step) => depthOf(step) > 1n,
  "leaf of 0 rolled back": ({ after, before, record }) =>
    record.kind === "rollBack" && before.exits.slice(after.exits.length).some(isEmpty)
}

const depthOf = ({ after, before, record }: Step): bigint =>
  record.kind === "rollBack" ? before.lastEthereumBlock - after.lastEthereumBlock : 0n

const isEmpty = ({ balance }: { readonly balance: bigint }): boolean => balance === 0n

type OccursIn<Of> = (item: Of, step: BlockStep) => boolean

type Items<Name extends keyof BlockFeed> = NonNullable<BlockFeed[Name]> extends
  ReadonlyArray<infer Item> ? Item : never

/** Returns whether a block has an item of a list of the feed for which this holds. */
const some =
  <Name extends keyof BlockFeed>(name: Name, occurs: OccursIn<Items<Name>>) => (step: BlockStep) =>
    ((step.block[name] ?? []) as ReadonlyArray<Items<Name>>).some((item) => occurs(item, step))

const someForged = (occurs: OccursIn<Transaction>) => (step: BlockStep) =>
  step.forged.some((transaction) => occurs(transaction, step))

const someL1 = (occurs: (l1: NonNullable<Transaction["l1"]>, of: Transaction) => boolean) =>
  someForged((transaction) =>
    transaction.l1?.userOrigin === true && occurs(transaction.l1, transaction)
  )

const someL2 = (occurs: (fee: number, of: Transaction, after: Facts) => boolean) =>
  someForged((transaction, { after }) =>
    transaction.l2 !== null && occurs(transaction.l2.fee, transaction, after)
  )

/** Returns whether an exit of 0 has an event in the block. */
const emptyExit =
  (event: "instantWithdrawn" | "delayedWithdrawRequest" | "delayedWithdrawn") =>
  ({ after, block }: BlockStep) =>
    after.exits.some((exit) => isEmpty(exit) && exit[event] === block.number)

/** Returns whether a forced exit fails, and this holds for its account. */
const failingExit = (
  occurs: (account: Facts["accounts"][number], of: Transaction) => boolean
) =>
  someForged((transaction, { after }) => {
    const account = accountOf(after, transaction.fromAccountIndex)
    return transaction.type === "ForceExit" && !transaction.l1!.amountSuccess &&
      account !== undefined && occurs(account, transaction)
  })

const isOfOtherToken = (account: Facts["accounts"][number], { tokenId }: Transaction) =>
  account.tokenId !== tokenId
const isOfOtherOwner = (account: Facts["accounts"][number], { fromAddress }: Transaction) =>
  account.address !== fromAddress

const accountOf = ({ accounts }: Facts, index: number | null) =>
  accounts.find((account) => account.index === index)

const BIT_254 = 1n << 254n
const hasBit254 = (key: string | null | undefined): boolean =>
  typeof key === "string" && publicKeyParts(key).y >= BIT_254

const isCreation = ({ type }: Transaction) => type.startsWith("CreateAccount")

const someCreation = (occurs: (key: string) => boolean) =>
  someL1((_, transaction) => isCreation(transaction) && occurs(transaction.fromPublicKey!))

const isUnreduced = (key: string): boolean => {
  const [own, reduced] = [publicKeyParts(key), publicKeyParts(leafKey(key))]
  return own.y % BIT_254 !== reduced.y && own.sign === reduced.sign
}

type AuctionField = keyof Facts["variables"]["auction"]
const changed = (name: AuctionField) => ({ after, before }: BlockStep) =>
  String(before.variables.auction[name]) !== String(after.variables.auction[name])

const minimumChange = ({ after, before }: BlockStep): bigint =>
  after.variables.auction.defaultSlotSetBid[0]! - before.variables.auction.defaultSlotSetBid[0]!

const isBelow = ({ auctionVariables }: Facts, bid: Facts["bids"][number]) =>
  !reachesMinimum(bid, applicableVariables(auctionVariables, bid.slotNum)!)

/** Returns the best bid for a slot before a bid of the block. */
const bestBefore = ({ before, block }: BlockStep, bid: Items<"bids">) =>
  [...before.bids, ...block.bids!.slice(0, block.bids!.indexOf(bid))].findLast(({ slotNum }) =>
    slotNum === bid.slotNum
  )

/** Returns the address of the winner of the block's slot; that of the boot coordinator if none won. */
const expectedForger = ({ after, before, block }: BlockStep) => {
  const slotNum = slotOfBlock(after.genesis.constants.auction, block.number)
  const bid = after.bids.findLast((each) => each.slotNum === slotNum)
  const winner = bid === undefined || isBelow(before, bid) ? undefined : bid.bidderAddr
  const boot = before.variables.auction.bootCoordinator
  return {
    boot,
    address: after.coordinators.findLast(({ bidderAddr }) => bidderAddr === winner)?.forgerAddr ??
      boot
  }
}

const forgers = (
  occurs: (forger: string, expected: ReturnType<typeof expectedForger>) => boolean
) => some("batches", ({ forgerAddr }, step) => occurs(forgerAddr, expectedForger(step)))

const isFilledHere = (queue: number | null, { block }: BlockStep): boolean =>
  (block.l1UserTransactions ?? []).some((feed) => feed.toForgeL1TransactionsNum === queue)

const tokensOf = (after: Facts, feeAccounts: ReadonlyArray<number>) =>
  new Set(feeAccounts.map((index) => accountOf(after, index)?.tokenId))

const someProof = (occurs: (siblings: ReadonlyArray<bigint>) => boolean) =>
  some("batches", ({ exits = [] }) => exits.some((exit) => occurs(exit.merkleProof!.siblings)))

const isShared = <Item>(items: ReadonlyArray<Item>, of: (item: Item) => unknown): boolean =>
  new Set(items.map(of)).size < items.length

/** Whether something that a network can contain occurs in a block. */
export const occursInBlock: { readonly [occurrence: string]: (step: BlockStep) => boolean } = {
  ...Object.fromEntries([0, 6, 8, 18].map((digits) => [
    `token of ${digits} decimals`,
    some("tokens", ({ decimals }) => decimals === digits)
  ])),
  "token without price": some(
    "tokens",
    ({ id }, { block }) => !(block.prices ?? []).some(({ tokenId }) => tokenId === id)
  ),
  "token without symbol and name": some("tokens", ({ name, symbol }) => name + symbol === ""),
  "token symbol with a colon": some("tokens", ({ symbol }) => symbol.includes(":")),
  "token name beyond ASCII": some("tokens", ({ name }) => /[^\u0020-\u007e]/u.test(name)),
  "price in a block": some("prices", ({ priceUSD }) => priceUSD !== null),
  "price becomes unknown": some("prices", ({ priceUSD }) => priceUSD === null),
  "several coordinators": ({ after }) =>
    new Set(after.coordinators.map(({ bidderAddr }) => bidderAddr)).size > 3,
  "coordinator registers again": some(
    "coordinators",
    ({ bidderAddr }, { before }) =>
      bidderAddr !== ZERO_ADDRESS &&
      before.coordinators.some((each) => each.bidderAddr === bidderAddr)
  ),
  "coordinator without URL": some("coordinators", ({ url }) => url === ""),
  bid: some("bids", (bid, step) => bestBefore(step, bid) === undefined),
  outbid: some("bids", (bid, step) => bestBefore(step, bid) !== undefined),
  "least possible bid": some("bids", (bid, step) => {
    const { defaultSlotSetBid, outbidding } = step.before.variables.auction
    const base = bestBefore(step, bid)?.bidValue ?? defaultSlotSetBid[bid.slotNum % 6]!
    return bid.bidValue === base + base * BigInt(outbidding) / 10_000n
  }),
  "bid with another withdrawal address": some(
    "bids",
    ({ withdrawAddr }) => withdrawAddr !== undefined
  ),
  "bid below a raised minimum": ({ after, before }) =>
    after.bids.some((bid, position) =>
      isBelow(after, bid) && !isBelow(before, bid) &&
      !after.bids.slice(position + 1).some(({ slotNum }) => slotNum === bid.slotNum)
    ),
  "slot without bid": ({ after, block }) => {
    const { auction } = after.genesis.constants
    const slot = slotOfBlock(auction, block.number)
    return firstBlockOfSlot(auction, slot) === block.number &&
      after.bids.every(({ slotNum }) => slotNum !== slot)
  },
  "batch of the boot coordinator": forgers((forger, { address, boot }) =>
    forger === address && forger === boot
  ),
  "batch of a winner": forgers((forger, { address, boot }) =>
    forger === address && forger !== boot
  ),
  "batch of another coordinator after the slot deadline": forgers((forger, { address }) =>
    forger !== address
  ),
  "minimum bid raised": (step) => minimumChange(step) > 0n,
  "minimum bid lowered": (step) => minimumChange(step) < 0n,
  "minimum bid that an earlier change withholds from a slot": (step) => {
    const { auction } = step.after.variables
    return minimumChange(step) !== 0n &&
      step.after.auctionVariables[0]!.defaultSlotSetBidFirstSlot >
        auction.defaultSlotSetBidSlotNum + 1
  },
  "outbidding changed": changed("outbidding"),
  "slot deadline changed": changed("slotDeadline"),
  "closed slots changed": changed("closedAuctionSlots"),
  "open slots changed": changed("openAuctionSlots"),
  "donation address changed": changed("donationAddress"),
  "allocation ratio changed": changed("allocationRatio"),
  "boot coordinator changed": changed("bootCoordinator"),
  "verifiers replaced": ({ block }) => block.verifiers !== undefined,
  "rollup variables": ({ block }) => block.rollupVariables !== undefined,
  "safe mode": ({ block }) => block.rollupVariables?.safeMode === true,
  "bucket with several withdrawals per period": ({ block }) =>
    block.rollupVariables?.buckets.some(({ rateWithdrawals = 1n }) => rateWithdrawals > 1n) ===
      true,
  "withdrawal delay changed": ({ after, before }) =>
    after.variables.withdrawalDelayer.withdrawalDelay !==
      before.variables.withdrawalDelayer.withdrawalDelay,
  "withdrawal delay of 0": ({ block }) => block.withdrawalDelayerVariables?.withdrawalDelay === 0,
  "emergency mode": ({ block }) => block.withdrawalDelayerVariables?.emergencyMode === true,
  ...Object.fromEntries(
    transactionTypes.filter((type) => !type.startsWith("TransferTo")).map((type) => [
      type,
      someForged((transaction) => transaction.type === type)
    ])
  ),
  "deposit fails": someL1((l1, { type }) => type === "Deposit" && !l1.depositAmountSuccess),
  "forced transfer fails": someL1((l1, { type }) => type === "ForceTransfer" && !l1.amountSuccess),
  "amount fails, deposit succeeds": someL1((l1) =>
    !l1.amountSuccess && l1.depositAmountSuccess && l1.depositAmount > 0n
  ),
  "everything fails": someL1((l1) => !l1.amountSuccess && !l1.depositAmountSuccess),
  "new account whose transfer fails": someL1((l1, { type }) =>
    type === "CreateAccountDepositTransfer" && !l1.amountSuccess
  ),
  "creation with an exit of 0": someL1((_, transaction) =>
    isCreation(transaction) && transaction.toAccountIndex === EXIT_ACCOUNT &&
    transaction.amount === 0n
  ),
  "creation with an exit of an amount": someL1((_, transaction) =>
    isCreation(transaction) && transaction.toAccountIndex === EXIT_ACCOUNT &&
    transaction.amount > 0n
  ),
  "forced exit of another token": failingExit(isOfOtherToken),
  "forced exit by another owner": failingExit((account, of) =>
    !isOfOtherToken(account, of) && isOfOtherOwner(account, of)
  ),
  "forced exit of more than the balance": failingExit((account, of) =>
    !isOfOtherToken(account, of) && !isOfOtherOwner(account, of)
  ),
  "leaf of 0": ({ after, before }) => after.exits.slice(before.exits.length).some(isEmpty),
  "exit without effect beside one with effect": someForged(
    ({ batchNum, fromAccountIndex, l1, toAccountIndex }, { after }) =>
      l1?.amountSuccess === false && toAccountIndex === EXIT_ACCOUNT &&
      after.exits.some((exit) =>
        exit.batchNum === batchNum && exit.accountIndex === fromAccountIndex && !isEmpty(exit)
      )
  ),
  "leaf of 0 withdrawn instantly": emptyExit("instantWithdrawn"),
  "leaf of 0 requested": emptyExit("delayedWithdrawRequest"),
  "leaf of 0 collected": emptyExit("delayedWithdrawn"),
  "account with bit 254 of its key": someCreation(hasBit254),
  "account with an unreduced key": someCreation(isUnreduced),
  "transfer to an account with bit 254 of its key": someL2((_, { toAccountIndex }, after) =>
    hasBit254(accountOf(after, toAccountIndex)?.publicKey)
  ),
  "transfer from an account with bit 254 of its key": someL2((_, { fromAccountIndex }, after) =>
    hasBit254(accountOf(after, fromAccountIndex)?.publicKey)
  ),
  "transfer of 0 to an account that does not exist": someL2((
    _,
    { amount, toAccountIndex },
    after
  ) =>
    amount === 0n && isUserAccount(toAccountIndex) && accountOf(after, toAccountIndex) === undefined
  ),
  "transfer of 0 to an account of another token": someL2(
    (_, { amount, toAccountIndex, tokenId }, after) =>
      amount === 0n && isUserAccount(toAccountIndex) &&
      (accountOf(after, toAccountIndex)?.tokenId ?? tokenId) !== tokenId
  ),
  "fee selector 0": someL2((fee) => fee === 0),
  "fee selector 1 to 31": someL2((fee) => fee >= 1 && fee <= 31),
  "fee selector 32 to 191": someL2((fee) => fee >= 32 && fee <= 191),
  "fee selector 192 to 255": someL2((fee) => fee >= 192),
  ...Object.fromEntries(
    Object.entries<(account: Items<"batches">["l1Coordinator"][number]) => boolean>({
      "coordinator account with signature": ({ address }) => address !== INTERNAL_ADDRESS,
      "internal account": ({ address }) => address === INTERNAL_ADDRESS,
      "internal account with key 0": ({ publicKey }) => publicKey === EMPTY_PUBLIC_KEY,
      "internal account with bit 254 of its key": ({ address, publicKey }) =>
        address === INTERNAL_ADDRESS && hasBit254(publicKey)
    }).map(([name, occurs]) => [
      name,
      some("batches", ({ l1Coordinator }) => l1Coordinator.some(occurs))
    ])
  ),
  "user with accounts of several tokens": ({ after: { accounts } }) =>
    new Set(accounts.map(({ publicKey }) => publicKey)).size <
      new Set(accounts.map(({ publicKey, tokenId }) => `${publicKey} ${tokenId}`)).size,
  "several batches in a block": ({ block }) => (block.batches ?? []).length > 1,
  "empty batch": some(
    "batches",
    ({ forgeL1TransactionsNum: queue, l2 }) => queue === null && l2.length === 0
  ),
  "batch without queue": some(
    "batches",
    ({ forgeL1TransactionsNum: queue, l2 }) => queue === null && l2.length > 0
  ),
  "batch of a queue filled in the same block": some(
    "batches",
    ({ forgeL1TransactionsNum: queue }, step) => queue !== null && isFilledHere(queue, step)
  ),
  "empty queue forged": some(
    "batches",
    ({ forgeL1TransactionsNum: queue, l1UserEffects }) =>
      queue !== null && l1UserEffects?.length === 0
  ),
  "full queue": some(
    "l1UserTransactions",
    ({ position }) => position === protocol.maxL1UserTx - 1
  ),
  "several open queues": ({ after }) =>
    new Set(after.queued.map(({ l1 }) => l1!.toForgeL1TransactionsNum)).size > 1,
  "deposit of known value": someL1((l1) => l1.historicDepositAmountUSD !== null),
  "fee of known value": someForged(({ l2 }) => (l2?.historicFeeUSD ?? 0) > 0),
  "fee of a token without price": someForged(({ l2 }) =>
    l2 !== null && l2.fee > 0 && l2.historicFeeUSD === null
  ),
  "exit proof with siblings": someProof((siblings) => siblings.length > 0),
  "exit proof without siblings": someProof((siblings) => siblings.length === 0),
  "block without batches": ({ block }) => (block.batches ?? []).length === 0,
  "fees collected": some(
    "batches",
    ({ feeAccounts, l2 }) => feeAccounts.length > 0 && l2.some(({ fee }) => fee > 40)
  ),
  "two fee accounts of one token": some(
    "batches",
    ({ feeAccounts }, { after }) => tokensOf(after, feeAccounts).size < new Set(feeAccounts).size
  ),
  "repeated fee account": some(
    "batches",
    ({ feeAccounts }) => isShared(feeAccounts, (index) => index)
  ),
  "several exits of one account in a batch": some("batches", ({ l2 }) =>
    isShared(
      l2.filter(({ toAccountIndex }) => toAccountIndex === EXIT_ACCOUNT),
      ({ fromAccountIndex }) => fromAccountIndex
    )),
  "exits of one account in several batches": ({ after }) =>
    isShared(after.exits, ({ accountIndex }: Exit) => accountIndex),
  "instant withdrawal": some("withdrawals", ({ instant }) => instant),
  "delayed request": some("withdrawals", ({ instant }) => !instant),
  "delayed collection": some("delayedWithdrawals", () => true),
  "bucket update": some("bucketUpdates", () => true),
  "instant withdrawal without a bucket": ({ block: { bucketUpdates = [], withdrawals = [] } }) =>
    withdrawals.filter(({ instant }) => instant).length > bucketUpdates.length,
  "request and collection in one block": ({ after, block }) =>
    after.exits.some(({ delayedWithdrawn, delayedWithdrawRequest }) =>
      delayedWithdrawn === block.number && delayedWithdrawRequest === block.number
    )
}
