import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Exit, FeedRecord, PoolTransaction, Transaction } from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import type { Facts } from "../laws/mod.ts"
import { type Sample, sample } from "./_sample.ts"

/* The other tests can only check what occurs: their sample contains items of every kind. */

const some =
  <Row>(rows: (of: Facts) => ReadonlyArray<Row>, which: (row: Row, of: Facts) => boolean) =>
  (of: Sample): boolean => rows(of.facts).some((row) => which(row, of.facts))
const transaction = (which: (transaction: Transaction) => boolean) =>
  some((facts) => facts.transactions, which)
const queued = (which: (transaction: Transaction) => boolean) =>
  some((facts) => facts.queued, which)
const exit = (which: (exit: Exit) => boolean) => some((facts) => facts.exits, which)
const pool = (which: (transaction: PoolTransaction) => boolean) => (of: Sample): boolean =>
  of.poolTransactions.some(which)
const block =
  (which: (block: Extract<FeedRecord, { kind: "block" }>["block"]) => boolean) =>
  (of: Sample): boolean =>
    of.records.some((record) => record.kind === "block" && which(record.block))

const slotsWith = (facts: Facts) => new Set(facts.bids.map(({ slotNum }) => slotNum))
/** Returns whether two rows have the same key. */
const shared = <Row>(rows: ReadonlyArray<Row>, by: (row: Row) => string): boolean =>
  new Set(rows.map(by)).size < rows.length

/** Returns how many blocks each rollback dropped. */
function depths(records: ReadonlyArray<FeedRecord>): ReadonlyArray<bigint> {
  let last = 0n
  return records.flatMap((record) => {
    if (record.kind === "block") last = record.block.number
    if (record.kind !== "rollBack") return []
    const depth = last - record.toBlock
    last = record.toBlock
    return [depth]
  })
}

const historyTypes = [
  "Exit",
  "Transfer",
  "Deposit",
  "CreateAccountDeposit",
  "CreateAccountDepositTransfer",
  "DepositTransfer",
  "ForceTransfer",
  "ForceExit"
] as const
const poolTypes = ["Exit", "Transfer", "TransferToEthAddr", "TransferToBJJ"] as const

const occurrences: { readonly [what: string]: (of: Sample) => boolean } = {
  ...Object.fromEntries(
    historyTypes.map((type) => [
      `a transaction of type ${type}`,
      transaction((row) => row.type === type)
    ])
  ),
  ...Object.fromEntries(
    poolTypes.map((
      type
    ) => [`a pool transaction of type ${type}`, pool((row) => row.type === type)])
  ),
  ...Object.fromEntries(
    (["pend", "fing", "fged", "invl"] as const).map((
      state
    ) => [`a pool transaction in state ${state}`, pool((row) => row.state === state)])
  ),
  "a pool transaction that requests another": pool(({ request }) => request !== null),
  "an authorization": (of) => of.authorizations.length > 0,
  "an L1 transaction that a coordinator sent": transaction(({ l1 }) => l1?.userOrigin === false),
  "an L1 transaction of which only the amount failed": transaction(({ l1 }) =>
    l1 !== null && !l1.amountSuccess && l1.depositAmountSuccess
  ),
  "an L1 transaction that failed wholly": transaction(({ l1 }) =>
    l1 !== null && !l1.amountSuccess && !l1.depositAmountSuccess
  ),
  "a queued transaction with a sender": queued(({ fromAccountIndex }) => fromAccountIndex !== null),
  "a queued transaction that creates its sender": queued(({ fromAccountIndex }) =>
    fromAccountIndex === null
  ),
  "a transaction without fee": transaction(({ l2 }) => l2?.fee === 0),
  "a fee of a token without price": transaction(({ l2 }) =>
    l2 !== null && l2.fee > 0 && l2.historicFeeUSD === null
  ),
  "a fee of known value": transaction(({ l2 }) => l2 !== null && l2.historicFeeUSD !== null),
  "a deposit of known value": transaction(({ l1 }) =>
    l1 !== null && l1.historicDepositAmountUSD !== null
  ),
  "an account of an Ethereum address": some(
    (facts) => facts.accounts,
    ({ address }) => address !== INTERNAL_ADDRESS
  ),
  "an internal account": some(
    (facts) => facts.accounts,
    ({ address }) => address === INTERNAL_ADDRESS
  ),
  "a transaction of an internal account": transaction(({ fromAddress, l2 }) =>
    l2 !== null && fromAddress === INTERNAL_ADDRESS
  ),
  "an exit that was not withdrawn": exit((row) =>
    row.instantWithdrawn === null && row.delayedWithdrawRequest === null &&
    row.delayedWithdrawn === null
  ),
  "an exit that was withdrawn instantly": exit((row) => row.instantWithdrawn !== null),
  "an exit whose delayed withdrawal was requested": exit((row) =>
    row.delayedWithdrawRequest !== null && row.delayedWithdrawn === null
  ),
  "an exit whose delayed withdrawal was collected": exit((row) => row.delayedWithdrawn !== null),
  "several exits of one account": ({ facts }) =>
    shared(facts.exits, ({ accountIndex }) => String(accountIndex)),
  "exits of one account in one batch that became one leaf": ({ facts }) =>
    shared(
      facts.transactions.filter(({ type }) => type === "Exit"),
      ({ batchNum, fromAccountIndex }) => `${batchNum}:${fromAccountIndex}`
    ),
  "an exit proof with siblings": exit(({ merkleProof }) => merkleProof.siblings.length > 0),
  "an exit proof without siblings": exit(({ merkleProof }) => merkleProof.siblings.length === 0),
  "an empty batch": some(
    (facts) => facts.batches,
    ({ batchNum }, facts) => !facts.transactions.some((row) => row.batchNum === batchNum)
  ),
  "a batch that forges a queue": some(
    (facts) => facts.batches,
    (row) => row.forgeL1TransactionsNum !== null
  ),
  "a batch that forges no queue": some(
    (facts) => facts.batches,
    (row) => row.forgeL1TransactionsNum === null
  ),
  "a batch that collects fees of several tokens": some(
    (facts) => facts.batches,
    ({ collectedFees }) => collectedFees.length > 1
  ),
  "a batch that collects no fees": some(
    (facts) => facts.batches,
    ({ collectedFees }) => collectedFees.length === 0
  ),
  "several batches in a block": ({ facts }) =>
    shared(facts.batches, ({ ethereumBlockNum }) => String(ethereumBlockNum)),
  "batches of several forgers": ({ facts }) =>
    new Set(facts.batches.map(({ forgerAddr }) => forgerAddr)).size > 1,
  "a past slot without bids": ({ facts }) =>
    !slotsWith(facts).has(0) || !slotsWith(facts).has(1) || !slotsWith(facts).has(2),
  "a slot with several bids": ({ facts }) => shared(facts.bids, ({ slotNum }) => String(slotNum)),
  "a bid below the minimum": some(
    (facts) => facts.bids,
    (bid, facts) =>
      facts.auctionVariables.some(({ defaultSlotSetBid }) =>
        bid.bidValue < defaultSlotSetBid[bid.slotNum % 6]!
      )
  ),
  "a bid that is claimed elsewhere": some(
    (facts) => facts.bids,
    ({ bidderAddr, withdrawAddr }) => bidderAddr !== withdrawAddr
  ),
  "a coordinator that registered again": ({ facts }) =>
    shared(facts.coordinators, ({ bidderAddr }) => bidderAddr),
  "a token with a price": some((facts) => facts.tokens, ({ priceUSD }) => priceUSD !== null),
  "a token without a price": some((facts) => facts.tokens, ({ priceUSD }) => priceUSD === null),
  "tokens of different decimals": ({ facts }) =>
    new Set(facts.tokens.map(({ decimals }) => decimals)).size > 2,
  "a token whose name is not ASCII": some(
    (facts) => facts.tokens,
    ({ name }) => /[^\p{ASCII}]/u.test(name)
  ),
  "changed variables of every contract": ({ facts: { genesis, variables } }) =>
    Object.values(variables).every(({ ethereumBlockNum }) =>
      ethereumBlockNum > genesis.block.number
    ),
  "rollbacks of several depths": ({ records }) => new Set(depths(records)).size > 1,
  "prices between two blocks": ({ records }) => records.some(({ kind }) => kind === "prices"),
  "a block without batches": block(({ batches }) => (batches ?? []).length === 0),
  "a queue of the same block that a second batch forges": block((
    { batches = [], l1UserTransactions = [] }
  ) =>
    batches.length > 1 &&
    l1UserTransactions.some(({ toForgeL1TransactionsNum }) =>
      batches.some(({ forgeL1TransactionsNum }) =>
        forgeL1TransactionsNum === toForgeL1TransactionsNum
      )
    )
  )
}

describe("the sample contains", () => {
  for (const [what, occurs] of Object.entries(occurrences)) {
    it.effect(what, () => Effect.map(sample, (of) => assert.isTrue(occurs(of))))
  }
})
