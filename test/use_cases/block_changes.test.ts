/*
 * What a block changes, where no golden file shows it: each row is a block, a part of its changes,
 * and what that part is.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import {
  type BlockChanges,
  type BlockFeed,
  priceUSDMax,
  type Transaction,
  valueUSD
} from "../../core/domain/mod.ts"
import {
  l1CoordinatorTransactionId,
  l1UserTransactionId,
  l2TransactionId
} from "../../core/encoding/mod.ts"
import {
  ann,
  batchOf,
  block103,
  block104,
  blockOf,
  bob,
  cleo,
  exitOf,
  l1Of,
  l2Of,
  ledgerBefore
} from "./_chain.ts"
import { addressOf, genesis, hashOf } from "./_network.ts"

const { rollup } = genesis.variables
const queue = (...l1UserTransactions: BlockFeed["l1UserTransactions"] & object) =>
  blockOf(104n, { l1UserTransactions })
const partiesOf = (
  { fromAddress, fromPublicKey, toAddress, toPublicKey }: Partial<Transaction>
) => [fromAddress, fromPublicKey, toAddress, toPublicKey]
/** Returns the value of units of ether in dollars. */
const etherUSD = (priceUSD: number, units: number) => priceUSD * units / 10 ** 18
const register = (bidder: string, forger: string) => ({
  bidderAddr: addressOf(bidder),
  forgerAddr: addressOf(forger),
  url: forger
})
const biddersOf = ({ coordinators }: BlockChanges) =>
  coordinators.map(({ bidderAddr, url }) => bidderAddr[2]! + url).join(" ")
const registrations = ["3a", "1b", "4c", "2a", "5a"].map(([bidder, forger]) =>
  register(bidder!, forger!)
)
const exitOfBob = batchOf(4, {
  exitRoot: 66n,
  l2: [l2Of(257, 1, { nonce: 1n })],
  exits: [exitOf(66n, 257, 10n)]
})
const collection = { owner: bob.address, tokenId: 0 }

type Row = readonly [
  what: string,
  block: BlockFeed,
  part: (changes: BlockChanges) => unknown,
  expected: unknown
]

const rows: ReadonlyArray<Row> = [
  ["an empty block only advances the last block", blockOf(104n), (changes) => changes, {
    block: { number: 104n, hash: blockOf(104n).hash, timestampMs: 104_000 },
    lastEthereumBlock: 104n,
    prices: [],
    coordinators: [],
    bids: [],
    tokens: [],
    batches: [],
    queued: [],
    variables: {},
    withdrawals: []
  }],
  // queued transactions
  [
    "the sender's key is that of its account, and null without an account",
    queue(l1Of(2, 1, { fromAddress: cleo.address }), l1Of(2, 2, { fromAccountIndex: 999 })),
    ({ queued }) => queued.map((row) => partiesOf(row).slice(0, 2)),
    [[cleo.address, ann.key], [ann.address, null]]
  ],
  [
    "a queued transaction has no effect and no value so far",
    queue(l1Of(2, 1, {
      toAccountIndex: 257,
      amount: 5n,
      depositAmount: 7n,
      ethereumTxHash: hashOf(7n),
      l1Fee: 12n
    })),
    ({ queued: [row] }) => [
      row?.historicUSD,
      row?.amount,
      row?.batchNum,
      row?.position,
      row?.l2,
      row?.l1
    ],
    [null, 5n, null, 1, null, {
      toForgeL1TransactionsNum: 2,
      userOrigin: true,
      depositAmount: 7n,
      amountSuccess: false,
      depositAmountSuccess: false,
      historicDepositAmountUSD: etherUSD(2, 7),
      ethereumBlockNum: 104n,
      ethereumTxHash: hashOf(7n),
      l1Fee: 12n
    }]
  ],
  // batches
  [
    "exits carry their owner and the proof without padding",
    block104,
    ({ batches: [batch] }) =>
      batch?.exits.map((exit) => [
        exit.address,
        exit.publicKey,
        exit.tokenId,
        exit.balance,
        exit.merkleProof.siblings
      ])[0],
    [ann.address, ann.key, 0, 100n, [7n, 0n, 8n]]
  ],
  // registrations
  ...[registrations, registrations.toReversed()].map((coordinators): Row => [
    "coordinators are sorted by forger, then by bidder",
    blockOf(104n, { coordinators }),
    biddersOf,
    "2a 3a 5a 1b 4c"
  ]),
  [
    "a new token has the price of the block with its time, and no time without a price",
    blockOf(104n, {
      tokens: [2, 3, 4].map((id) => ({
        id,
        ethereumAddress: addressOf(String(id)),
        name: "",
        symbol: "A",
        decimals: 0
      })),
      prices: [[3, 5], [2, null], [0, 1]].map(([tokenId, priceUSD]) => ({
        tokenId: tokenId!,
        priceUSD: priceUSD!,
        timeMs: 9
      }))
    }),
    ({ tokens }) => tokens.map(({ id, priceTimeMs, priceUSD }) => [id, priceUSD, priceTimeMs]),
    [[2, null, null], [3, 5, 9], [4, null, null]]
  ],
  // variables
  [
    "a bucket does not change the date of the variables",
    blockOf(104n, { bucketUpdates: [{ bucket: 1, blockStamp: 104n, withdrawals: 2n }] }),
    ({ variables: { rollup } }) => [
      rollup?.ethereumBlockNum,
      rollup?.buckets.map(({ blockStamp, withdrawals }) => [blockStamp, withdrawals])
    ],
    [100n, [[0n, 3n], [104n, 2n]]]
  ]
]

describe("the changes of a block:", () => {
  for (const [what, block, part, expected] of rows) {
    it(what, () => assert.deepStrictEqual(part(ledgerBefore(block.number).apply(block)), expected))
  }

  it("a collection settles every request of earlier blocks with its owner and token, and an exit can be withdrawn in its own block", () => {
    const ledger = ledgerBefore(106n)
    const withdrawals = [{ batchNum: 4, accountIndex: 257, instant: false }]
    const of = <const Field>(batchNum: number, field: Field) => ({
      batchNum,
      accountIndex: 257,
      field
    })
    const requested = blockOf(106n, { batches: [exitOfBob], withdrawals })
    ledger.apply(requested)
    const collected = blockOf(107n, { delayedWithdrawals: [collection] })
    assert.deepStrictEqual(
      ledger.apply(collected).withdrawals,
      [of(3, "delayedWithdrawn"), of(4, "delayedWithdrawn")]
    )
    assert.deepStrictEqual(
      ledgerBefore(106n).apply({ ...requested, delayedWithdrawals: [collection] }).withdrawals,
      [of(3, "delayedWithdrawn"), of(4, "delayedWithdrawRequest")]
    )
    // a collection after the withdrawals of its block leaves those that were instant
    const withoutDelay = ledgerBefore(106n)
    const { withdrawalDelayer } = withoutDelay.variables
    withoutDelay.variables = {
      ...withoutDelay.variables,
      withdrawalDelayer: { ...withdrawalDelayer, withdrawalDelay: 0 }
    }
    const instantly = withdrawals.map((each) => ({ ...each, instant: true }))
    assert.deepStrictEqual(
      withoutDelay.apply({
        ...requested,
        withdrawals: instantly,
        delayedWithdrawals: [collection]
      }).withdrawals,
      [of(4, "instantWithdrawn"), of(3, "delayedWithdrawn")]
    )
  })

  it("a collection settles requests of its own block if the delay is 0, or as many as it names", () => {
    const withdrawals = [256, 257].map((accountIndex) => ({
      batchNum: 3,
      accountIndex,
      instant: false
    }))
    const fieldsAfter = (
      withdrawalDelay: number,
      parts: { readonly afterWithdrawals?: number }
    ) => {
      const ledger = ledgerBefore(105n)
      const { withdrawalDelayer } = ledger.variables
      const variables = { withdrawalDelayer: { ...withdrawalDelayer, withdrawalDelay } }
      ledger.variables = { ...ledger.variables, ...variables }
      const delayedWithdrawals = [{ owner: ann.address, tokenId: 0, ...parts }]
      const decision = ledger.decide(blockOf(105n, { withdrawals, delayedWithdrawals }))
      if (decision._tag === "Failure") return decision.failure.invariant
      return decision.success.kind === "store"
        ? decision.success.changes.withdrawals.map(({ field }) => field)
        : []
    }
    const [requested, collected] = ["delayedWithdrawRequest", "delayedWithdrawn"]
    const refused = "withdrawal-requested"
    for (
      const [delay, parts, expected] of [
        [0, {}, [requested, requested, collected]],
        [1, {}, refused],
        [1, { afterWithdrawals: 1 }, [requested, collected, requested]],
        [0, { afterWithdrawals: 0 }, refused],
        [0, { afterWithdrawals: 3 }, refused]
      ] as const
    ) assert.deepStrictEqual(fieldsAfter(delay, parts), expected as never)
  })

  it("a transaction has the id of its place in the queue or in the batch, or of its content", () => {
    const ledger = ledgerBefore(103n)
    const { batches: [second], queued } = ledger.apply(block103)
    const { batches: [third] } = ledger.apply(block104)
    assert.deepStrictEqual(
      [...queued, ...second!.transactions, ...third!.transactions].map(({ id }) => id),
      [
        l1UserTransactionId({ toForgeL1TransactionsNum: 2, position: 0 }, keccak256),
        l1CoordinatorTransactionId({ batchNum: 2, position: 3 }, keccak256),
        ...block104.batches![0]!.l2.map((feed) =>
          Result.getOrThrow(l2TransactionId({ ...feed, nonce: 0n, tokenId: 0 }, keccak256))
        )
      ]
    )
  })

  it("new verifiers hold until others are given, and do not change the date of the variables", () => {
    const ledger = ledgerBefore(104n)
    const verifiers = [{ maxTx: 400, nlevels: 40 }]
    const first = ledger.apply(blockOf(104n, { verifiers })).variables.rollup
    assert.deepStrictEqual([first?.verifiers, first?.ethereumBlockNum], [verifiers, 100n])
    const later = ledger.apply(blockOf(105n, { rollupVariables: rollup }))
    assert.deepStrictEqual(later.variables.rollup?.verifiers, verifiers)
  })

  it("the greatest amount at the greatest price with the greatest fee has a finite value in dollars", () => {
    const prices = [{ tokenId: 1, priceUSD: priceUSDMax, timeMs: 0 }]
    const amount = (1n << 127n) / 10n ** 28n * 10n ** 28n
    const ledger = ledgerBefore(104n)
    ledger.tokens.set(1, { ...ledger.tokens.get(1)!, decimals: 0 })
    ledger.accounts.set(258, { ...ledger.accounts.get(258)!, balance: (1n << 192n) - 1n })
    const l2 = [l2Of(258, 259, { amount, fee: 192 })]
    const { batch, transactions: [row] } = ledger.apply(
      blockOf(104n, { prices, batches: [batchOf(3, { feeAccounts: [259], l2 })] })
    ).batches[0]!
    for (
      const value of [
        row!.historicUSD,
        row!.l2?.historicFeeUSD,
        batch.historicTotalCollectedFeesUSD
      ]
    ) {
      assert.isTrue(Number.isFinite(value) && value! > 1e40, String(value))
    }
  })
})

describe("a value in dollars", () => {
  const valueOf = (priceUSD: number, decimals: number, amount: bigint) =>
    valueUSD({ priceUSD, decimals }, amount)

  it("is the double nearest to the exact one", () => {
    assert.strictEqual(valueOf(2000, 18, 10n ** 18n), 2000)
    assert.strictEqual(valueOf(0.1, 0, 3n), 0.30000000000000004)
    assert.strictEqual(valueOf(1, 6, 123_456_789n), 123.456789)
    // 2^53 + 1 and 2^53 + 3 are ties, and go to the even neighbour
    assert.strictEqual(valueOf(1, 0, 2n ** 53n + 1n), 2 ** 53)
    assert.strictEqual(valueOf(1, 0, 2n ** 53n + 3n), 2 ** 53 + 4)
    assert.strictEqual(valueOf(1, 1, 10n * 2n ** 53n + 11n), 2 ** 53 + 2)
    assert.strictEqual(valueOf(2 ** -1074, 0, 3n), 3 * 2 ** -1074)
    assert.strictEqual(valueOf(2 ** -1074, 1, 25n), 2 * 2 ** -1074)
    assert.strictEqual(valueOf(2 ** -1074, 1, 4n), 0)
    assert.strictEqual(valueOf(2 ** -1022, 1, 15n), 1.5 * 2 ** -1022)
  })

  it("is null if it is not a finite number", () => {
    assert.isNull(valueOf(priceUSDMax, 0, 10n ** 400n))
  })
})
