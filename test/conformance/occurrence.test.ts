/* Golden files can only check what occurs: their network has items of every kind. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { poolStates, poolTransactionTypes, transactionTypes } from "../../core/domain/mod.ts"
import { openNetwork, readSteps } from "../golden/_network.ts"
import { parseExact } from "../properties/_reading.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

/** The items of all lists, as revision later shows them. */
const recorded = Effect.runSync(Effect.cached(Effect.scoped(Effect.gen(function*() {
  const { handle, submitted } = yield* openNetwork("zk")
  /** Returns the answer of a path; null if it is refused. */
  const read = (url: string): Effect.Effect<Json> =>
    Effect.map(
      handle({ method: "GET", url, headers: {} }),
      ({ body, status }) => status === 200 ? parseExact(Buffer.from(body).toString()) : null
    )
  const listOf = (property: string, path = property) =>
    Effect.map(
      read(`/${path}?limit=2049`),
      (page): ReadonlyArray<Json> => page[property]
    )
  const posted = yield* Effect.forEach(
    submitted.transactions,
    (id) => read(`/transactions-pool/${id}`)
  )
  return {
    transactions: yield* listOf("transactions", "transactions-history"),
    accounts: yield* listOf("accounts"),
    exits: yield* listOf("exits"),
    batches: yield* listOf("batches"),
    tokens: yield* listOf("tokens"),
    coordinators: yield* listOf("coordinators"),
    bids: (yield* Effect.forEach(
      Array.from({ length: 60 }, (_, slot) => slot),
      (slot) => read(`/bids?slotNum=${slot}&limit=2049`)
    )).flatMap(({ bids }) => bids),
    pool: posted.filter((transaction) => transaction !== null)
  }
}))))
type Lists = Effect.Success<typeof recorded>

const some = (list: keyof Lists, which: (item: Json) => boolean) => (lists: Lists): boolean =>
  lists[list].some(which)
/** Returns whether a list has more than this number of different values. */
const differs = (list: keyof Lists, value: (item: Json) => unknown, than = 1) => (lists: Lists) =>
  new Set(lists[list].map(value)).size > than
/** Returns whether two items of a list have the same value. */
const shares = (list: keyof Lists, value: (item: Json) => unknown) => (lists: Lists): boolean =>
  new Set(lists[list].map(value)).size < lists[list].length

const isInternal = (address: string) => /0xf{40}/iu.test(address)
const fees = ({ collectedFees }: Json) => Object.keys(collectedFees).length

const occurrences: { readonly [what: string]: (lists: Lists) => boolean } = {
  // the others occur only in the pool
  ...Object.fromEntries(
    transactionTypes.filter((type) => !type.startsWith("TransferTo")).map((type) => [
      `a transaction of type ${type}`,
      some("transactions", (item) => item.type === type)
    ])
  ),
  ...Object.fromEntries(poolTransactionTypes.map((type) => [
    `a pool transaction of type ${type}`,
    some("pool", (item) => item.type === type)
  ])),
  ...Object.fromEntries(poolStates.map((state) => [
    `a pool transaction in state ${state}`,
    some("pool", (item) => item.state === state)
  ])),
  "a pool transaction that requests another": some(
    "pool",
    (item) => item.requestFromAccountIndex !== null
  ),
  "an L1 transaction that a coordinator sent": some(
    "transactions",
    ({ L1Info }) => L1Info?.userOrigin === false
  ),
  "an L1 transaction of which only the amount failed": some(
    "transactions",
    ({ L1Info }) => L1Info !== null && !L1Info.amountSuccess && L1Info.depositAmountSuccess
  ),
  "an L1 transaction that failed wholly": some(
    "transactions",
    ({ L1Info }) => L1Info !== null && !L1Info.amountSuccess && !L1Info.depositAmountSuccess
  ),
  "a deposit of known value": some(
    "transactions",
    ({ L1Info }) => typeof L1Info?.historicDepositAmountUSD === "number"
  ),
  "a transaction without fee": some("transactions", ({ L2Info }) => L2Info?.fee === 0),
  "a fee of a token without price": some(
    "transactions",
    ({ L2Info }) => L2Info?.fee > 0 && L2Info.historicFeeUSD === null
  ),
  "a fee of known value": some(
    "transactions",
    ({ L2Info }) => typeof L2Info?.historicFeeUSD === "number"
  ),
  "a transaction of an internal account": some(
    "transactions",
    (item) => item.L2Info !== null && isInternal(item.fromZkEthereumAddress)
  ),
  "an account of an Ethereum address": some(
    "accounts",
    (item) => !isInternal(item.zkEthereumAddress)
  ),
  "an internal account": some("accounts", (item) => isInternal(item.zkEthereumAddress)),
  "an exit that was not withdrawn": some(
    "exits",
    (exit) =>
      exit.instantWithdrawn === null && exit.delayedWithdrawRequest === null &&
      exit.delayedWithdrawn === null
  ),
  "an exit that was withdrawn instantly": some("exits", (exit) => exit.instantWithdrawn !== null),
  "an exit whose delayed withdrawal was requested": some(
    "exits",
    (exit) => exit.delayedWithdrawRequest !== null && exit.delayedWithdrawn === null
  ),
  "an exit whose delayed withdrawal was collected": some(
    "exits",
    (exit) => exit.delayedWithdrawn !== null
  ),
  "several exits of one account": shares("exits", (exit) => exit.accountIndex),
  "exits of one account in one batch that became one leaf": ({ transactions }) => {
    const exits = transactions.filter(({ type }) => type === "Exit")
    return new Set(exits.map((item) => `${item.batchNum} ${item.fromAccountIndex}`)).size <
      exits.length
  },
  "an exit proof with siblings": some("exits", (exit) => exit.merkleProof.siblings.length > 0),
  "an exit proof without siblings": some("exits", (exit) => exit.merkleProof.siblings.length === 0),
  "an empty batch": ({ batches, transactions }) =>
    batches.some(({ batchNum }) => transactions.every((item) => item.batchNum !== batchNum)),
  "a batch that forges a queue": some("batches", (item) => item.forgeL1TransactionsNum !== null),
  "a batch that forges no queue": some("batches", (item) => item.forgeL1TransactionsNum === null),
  "a batch that collects fees of several tokens": some("batches", (item) => fees(item) > 1),
  "a batch that collects no fees": some("batches", (item) => fees(item) === 0),
  "several batches in a block": shares("batches", (item) => item.ethereumBlockNum),
  "batches of several forgers": differs("batches", (item) => item.forgerAddr),
  "a past slot without bids": ({ bids }) =>
    [0, 1, 2].some((slot) => bids.every(({ slotNum }) => slotNum !== slot)),
  "a slot with several bids": shares("bids", (bid) => bid.slotNum),
  "a bid that is claimed elsewhere": some("bids", (bid) => bid.bidderAddr !== bid.withdrawAddr),
  "a coordinator that registered again": shares("coordinators", (item) => item.bidderAddr),
  "a token with a price": some("tokens", (token) => token.USD !== null),
  "a token without a price": some("tokens", (token) => token.USD === null),
  "tokens of different decimals": differs("tokens", (token) => token.decimals, 2),
  "a token whose name is not ASCII": some("tokens", ({ name }) => /[^\p{ASCII}]/u.test(name))
}

const steps = readSteps()
const blocks = steps.flatMap((step) => step.kind === "block" ? [step.block] : [])

/** Returns how many blocks each rollback dropped. */
const depths = (): ReadonlyArray<bigint> => {
  let last = 0n
  return steps.flatMap((step) => {
    if (step.kind === "block") last = step.block.number
    if (step.kind !== "rollBack") return []
    const depth = last - step.toBlock
    last = step.toBlock
    return [depth]
  })
}

describe("the recorded network contains", () => {
  for (const [what, occurs] of Object.entries(occurrences)) {
    it.effect(what, () => Effect.map(recorded, (lists) => assert.isTrue(occurs(lists))))
  }

  it("rollbacks of several depths, prices, groups and authorizations between its blocks", () => {
    assert.isAbove(new Set(depths()).size, 1)
    const kinds = steps.map((step) => step.kind === "call" ? step.method : step.kind)
    assert.includeMembers(kinds, ["prices", "head", "submitGroup", "submitAuthorization"])
  })

  it("blocks that change the variables of every contract, and blocks without batches", () => {
    assert.includeMembers(blocks.flatMap((block) => Object.keys(block)), [
      "rollupVariables",
      "auctionVariables",
      "withdrawalDelayerVariables",
      "bucketUpdates",
      "verifiers"
    ])
    assert.isTrue(blocks.some(({ batches = [] }) => batches.length === 0))
  })

  it("a queue of the same block that a second batch forges", () => {
    assert.isTrue(blocks.some(({ batches = [], l1UserTransactions = [] }) =>
      batches.length > 1 &&
      l1UserTransactions.some(({ toForgeL1TransactionsNum: queue }) =>
        batches.some(({ forgeL1TransactionsNum }) => forgeL1TransactionsNum === queue)
      )
    ))
  })
})
