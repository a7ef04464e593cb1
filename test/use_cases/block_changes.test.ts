import { assert, describe, it } from "@effect/vitest"
import { type BlockFeed, priceUSDMax, valueUSD } from "../../core/domain/mod.ts"
import {
  ann,
  batchOf,
  block101,
  block103,
  block104,
  block105,
  blockOf,
  bob,
  cleo,
  declared,
  exitOf,
  internal,
  l1Of,
  l2Of,
  ledgerBefore
} from "./_chain.ts"
import { addressOf, genesis, hashOf } from "./_network.ts"

const changesOf = (block: BlockFeed) => ledgerBefore(block.number).apply(block)
/** Returns the value of units of ether in dollars. */
const etherUSD = (priceUSD: number, units: number) => priceUSD * units / 10 ** 18
const batch104 = block104.batches![0]!

describe("the changes of a block", () => {
  it("an account-creating transaction has no sender until it is forged", () => {
    const [queued] = changesOf(block101).queued
    assert.strictEqual(queued?.fromAccountIndex, null)
    assert.strictEqual(queued?.fromPublicKey, ann.key)
    assert.deepStrictEqual(
      changesOf(block103).batches[0]?.forged.map(({ fromAccountIndex }) => fromAccountIndex),
      [256, 257, 258]
    )
  })

  it("the sender's key of a queued transaction is that of its account, and null without an account", () => {
    const l1UserTransactions = [
      l1Of(2, 1, { fromAddress: cleo.address }),
      l1Of(2, 2, { fromAccountIndex: 999 })
    ]
    const { queued } = changesOf(blockOf(104n, { l1UserTransactions }))
    assert.deepStrictEqual(
      queued.map(({ fromAddress, fromPublicKey }) => [fromAddress, fromPublicKey]),
      [[cleo.address, ann.key], [ann.address, null]]
    )
  })

  it("the sender's key of a queued transaction is known if a batch of the block creates its account", () => {
    const created = {
      address: internal.address,
      publicKey: internal.key,
      tokenId: 0,
      signature: null
    }
    const l1UserTransactions = [
      l1Of(3, 0, { fromAddress: internal.address, fromAccountIndex: 260 })
    ]
    const { queued } = changesOf({
      ...block104,
      batches: [{ ...batch104, l1Coordinator: [created] }],
      l1UserTransactions
    })
    assert.deepStrictEqual(
      queued.map(({ fromAccountIndex, fromPublicKey }) => [fromAccountIndex, fromPublicKey]),
      [[260, internal.key]]
    )
  })

  it("a queued transaction comes from a user, and has no effect and no value so far, only its deposit has", () => {
    const [queued] = changesOf(
      blockOf(104n, {
        l1UserTransactions: [
          l1Of(2, 1, {
            toAccountIndex: 257,
            amount: 5n,
            depositAmount: 7n,
            ethereumTxHash: hashOf(7n),
            l1Fee: 12n
          })
        ]
      })
    ).queued
    assert.deepStrictEqual([
      queued?.historicUSD,
      queued?.amount,
      queued?.batchNum,
      queued?.position,
      queued?.l2
    ], [null, 5n, null, 1, null])
    assert.deepStrictEqual(queued?.l1, {
      toForgeL1TransactionsNum: 2,
      userOrigin: true,
      depositAmount: 7n,
      amountSuccess: false,
      depositAmountSuccess: false,
      historicDepositAmountUSD: etherUSD(2, 7),
      ethereumBlockNum: 104n,
      ethereumTxHash: hashOf(7n),
      l1Fee: 12n
    })
  })

  it("the receiver has address and key if the block creates it, and always when it is forged", () => {
    const pays = l1Of(3, 0, { toAccountIndex: 260, amount: 5n })
    const created = {
      address: bob.address,
      publicKey: bob.key,
      tokenId: 0,
      signature: `0x${"01".repeat(65)}`
    }
    const batches = [
      { ...batch104, l1Coordinator: [created] },
      batchOf(4, { forgeL1TransactionsNum: 3, l1UserEffects: [declared(pays)] })
    ]
    const changes = changesOf({ ...block104, l1UserTransactions: [pays], batches })
    assert.deepStrictEqual([changes.queued[0]?.toAddress, changes.queued[0]?.toPublicKey], [
      bob.address,
      bob.key
    ])
    assert.deepStrictEqual(changes.batches[1]?.forged, [{
      id: changes.queued[0]!.id,
      fromAccountIndex: 256,
      fromPublicKey: ann.key,
      toAddress: bob.address,
      toPublicKey: bob.key,
      historicUSD: etherUSD(2, 5),
      amountSuccess: true,
      depositAmountSuccess: true
    }])
    assert.deepStrictEqual(changes.batches[1]?.accountUpdates.at(-1), {
      index: 260,
      nonce: 0n,
      balance: 5n
    })
  })

  it("an ineffective amount is marked", () => {
    const ledger = ledgerBefore(104n)
    ledger.apply(
      blockOf(104n, {
        l1UserTransactions: [
          l1Of(2, 1, { toAccountIndex: 257, depositAmount: 7n, amount: 10n ** 6n })
        ]
      })
    )
    const l1UserEffects = [...batch104.l1UserEffects!, {
      effectiveDepositAmount: 7n,
      effectiveAmount: 0n
    }]
    const { batches } = ledger.apply(blockOf(105n, { batches: [{ ...batch104, l1UserEffects }] }))
    assert.deepStrictEqual(
      batches[0]?.forged.map((
        { amountSuccess, depositAmountSuccess }
      ) => [amountSuccess, depositAmountSuccess]),
      [[true, true], [false, true]]
    )
  })

  it("a deposit that was lost with its amount is marked", () => {
    const ledger = ledgerBefore(104n)
    ledger.apply(
      blockOf(104n, {
        l1UserTransactions: [l1Of(2, 1, { toAccountIndex: 999, depositAmount: 7n, amount: 5n })]
      })
    )
    const l1UserEffects = [...batch104.l1UserEffects!, {
      effectiveDepositAmount: 0n,
      effectiveAmount: 0n
    }]
    const { forged } = ledger.apply(blockOf(105n, { batches: [{ ...batch104, l1UserEffects }] }))
      .batches[0]!
    assert.deepStrictEqual(
      forged.map((
        { amountSuccess, depositAmountSuccess }
      ) => [amountSuccess, depositAmountSuccess]),
      [[true, true], [false, false]]
    )
  })

  it("coordinator transactions are successful deposits of 0, each from the account that it creates", () => {
    const [batch] = block103.batches!
    const owned = {
      address: bob.address,
      publicKey: bob.key,
      tokenId: 0,
      signature: `0x${"01".repeat(65)}`
    }
    const { accounts, transactions } = changesOf({
      ...block103,
      batches: [{
        ...batch!,
        l1Coordinator: [...batch!.l1Coordinator, owned],
        ethereumTxHash: hashOf(8n)
      }]
    }).batches[0]!
    assert.deepStrictEqual(accounts.map(({ index, publicKey }) => [index, publicKey]), [
      [256, ann.key],
      [257, bob.key],
      [258, cleo.key],
      [259, internal.key],
      [260, bob.key]
    ])
    assert.deepStrictEqual(
      transactions.map((
        { fromAccountIndex, fromAddress, fromPublicKey, position, tokenId }
      ) => [position, fromAccountIndex, fromAddress, fromPublicKey, tokenId]),
      [[3, 259, internal.address, internal.key, 1], [4, 260, bob.address, bob.key, 0]]
    )
    const {
      amount,
      batchNum,
      historicUSD,
      l1,
      l2,
      timestampMs,
      toAccountIndex,
      toAddress,
      toPublicKey
    } = transactions[0]!
    assert.deepStrictEqual({
      amount,
      batchNum,
      historicUSD,
      l1,
      l2,
      timestampMs,
      toAccountIndex,
      toAddress,
      toPublicKey
    }, {
      amount: 0n,
      batchNum: 2,
      historicUSD: null,
      l2: null,
      timestampMs: 103_000,
      toAccountIndex: 0,
      toAddress: null,
      toPublicKey: null,
      l1: {
        toForgeL1TransactionsNum: null,
        userOrigin: false,
        depositAmount: 0n,
        amountSuccess: true,
        depositAmountSuccess: true,
        historicDepositAmountUSD: null,
        ethereumBlockNum: 103n,
        ethereumTxHash: hashOf(8n),
        l1Fee: null
      }
    })
  })

  it("a transfer names owner and key of both accounts, an exit those of the sender", () => {
    const [transfer, exit] = changesOf(block104).batches[0]!.transactions
    const parties = (
      { fromAddress, fromPublicKey, toAddress, toPublicKey }: NonNullable<typeof transfer>
    ) => [fromAddress, fromPublicKey, toAddress, toPublicKey]
    assert.deepStrictEqual(parties(transfer!), [ann.address, ann.key, bob.address, bob.key])
    assert.deepStrictEqual(parties(exit!), [bob.address, bob.key, null, null])
  })

  it("a batch starts with the accounts, nonces and balances that the one before it in the block leaves", () => {
    const created = {
      address: internal.address,
      publicKey: internal.key,
      tokenId: 0,
      signature: null
    }
    const { batches } = changesOf(blockOf(104n, {
      batches: [
        batchOf(3, { l1Coordinator: [created], l2: [l2Of(256, 257, { amount: 100n })] }),
        batchOf(4, {
          l1Coordinator: [created],
          l2: [l2Of(257, 260, { amount: 600n }), l2Of(256, 261, { amount: 900n, nonce: 1n })]
        })
      ]
    }))
    assert.deepStrictEqual(batches.map(({ accounts }) => accounts.map(({ index }) => index)), [[
      260
    ], [261]])
    assert.deepStrictEqual(batches[1]?.accountUpdates, [
      { index: 256, nonce: 2n, balance: 0n },
      { index: 257, nonce: 1n, balance: 0n },
      { index: 260, nonce: 0n, balance: 600n },
      { index: 261, nonce: 0n, balance: 900n }
    ])
  })

  it("an empty block only advances the last block", () => {
    assert.deepStrictEqual(changesOf(blockOf(104n)), {
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
    })
  })

  it("positions count on from L1 user over coordinator to L2 transactions", () => {
    const l1Coordinator = [{
      address: internal.address,
      publicKey: internal.key,
      tokenId: 0,
      signature: null
    }]
    const { batches } = changesOf({ ...block104, batches: [{ ...batch104, l1Coordinator }] })
    assert.deepStrictEqual(batches[0]?.transactions.map(({ position, type }) => [position, type]), [
      [1, "CreateAccountDeposit"],
      [2, "Transfer"],
      [3, "Exit"]
    ])
  })

  it("values are in dollars at the prices of the block itself", () => {
    const prices = [{ tokenId: 0, priceUSD: 4, timeMs: 104_000 }]
    const { batches } = changesOf({ ...block104, prices })
    const [transfer, exit] = batches[0]!.transactions
    assert.deepStrictEqual([transfer?.historicUSD, transfer?.l2?.historicFeeUSD], [
      etherUSD(4, 100),
      etherUSD(4, 10)
    ])
    assert.deepStrictEqual([exit?.historicUSD, exit?.l2?.historicFeeUSD], [etherUSD(4, 5), null])
    assert.strictEqual(batches[0]?.batch.historicTotalCollectedFeesUSD, etherUSD(4, 10))
    assert.deepStrictEqual(batches[0]?.forged.map((forged) => forged.historicUSD), [
      etherUSD(4, 100)
    ])
  })

  it("deposits have a value too, and none for a token without price", () => {
    const { queued } = changesOf(block101)
    assert.deepStrictEqual(
      queued.map(({ historicUSD, l1 }) => [historicUSD, l1?.historicDepositAmountUSD]),
      [[null, etherUSD(2, 1000)], [null, etherUSD(2, 500)], [null, 77 * 3 / 100]]
    )
    const unknown = changesOf({ ...block101, prices: [] })
    assert.deepStrictEqual(unknown.queued.map(({ l1 }) => l1?.historicDepositAmountUSD), [
      null,
      null,
      null
    ])
    assert.deepStrictEqual(unknown.tokens[0]?.priceUSD, null)
    const forgotten = changesOf({
      ...block104,
      prices: [{ tokenId: 0, priceUSD: null, timeMs: 104_000 }]
    }).batches[0]!
    assert.deepStrictEqual([
      forgotten.transactions[0]?.historicUSD,
      forgotten.transactions[0]?.l2?.historicFeeUSD
    ], [null, null])
    assert.strictEqual(forgotten.batch.historicTotalCollectedFeesUSD, 0)
  })

  it("a batch is in the slot of its block", () => {
    const ledger = ledgerBefore(104n)
    for (let number = 104n; number < 125n; number++) ledger.apply(blockOf(number))
    const { batch } = ledger.apply(blockOf(125n, { batches: [batchOf(3)] })).batches[0]!
    assert.deepStrictEqual([
      batch.slotNum,
      batch.ethereumBlockNum,
      batch.timestampMs,
      batch.numAccounts
    ], [2, 125n, 125_000, 0])
    assert.strictEqual(genesis.constants.auction.blocksPerSlot, 10)
  })

  it("coordinators are sorted by forger, and of two registrations of a bidder the later counts", () => {
    const register = (bidder: string, forger: string) => ({
      bidderAddr: addressOf(bidder),
      forgerAddr: addressOf(forger),
      url: forger
    })
    const { coordinators } = changesOf(
      blockOf(104n, {
        coordinators: [
          register("1", "c"),
          register("2", "b"),
          register("1", "a"),
          register("2", "d")
        ]
      })
    )
    assert.deepStrictEqual(coordinators.map(({ bidderAddr, url }) => [bidderAddr, url]), [[
      addressOf("1"),
      "a"
    ], [addressOf("2"), "d"]])
  })

  it("coordinators that share a forger are sorted by bidder, in any order of registration", () => {
    const register = (bidder: string, forger: string) => ({
      bidderAddr: addressOf(bidder),
      forgerAddr: addressOf(forger),
      url: ""
    })
    const registrations = [
      register("3", "a"),
      register("1", "b"),
      register("4", "c"),
      register("2", "a"),
      register("5", "a")
    ]
    for (const coordinators of [registrations, registrations.toReversed()]) {
      const sorted = changesOf(blockOf(104n, { coordinators })).coordinators.map(({ bidderAddr }) =>
        bidderAddr
      )
      assert.deepStrictEqual(sorted, ["2", "3", "5", "1", "4"].map(addressOf))
    }
  })

  it("the first bid for a slot may be 0", () => {
    const bid = { slotNum: 6, bidderAddr: bob.address, bidValue: 0n }
    assert.deepStrictEqual(
      changesOf(blockOf(104n, { bids: [bid] })).bids.map(({ bidValue }) => bidValue),
      [0n]
    )
  })

  it("a lost bid returns to its bidder unless the feed says otherwise", () => {
    const bid = { slotNum: 6, bidderAddr: bob.address, bidValue: 11n }
    const { bids } = changesOf(
      blockOf(104n, { bids: [bid, { ...bid, bidValue: 12n, withdrawAddr: ann.address }] })
    )
    assert.deepStrictEqual(bids.map(({ withdrawAddr }) => withdrawAddr), [bob.address, ann.address])
  })

  it("variables have the date of the block; a bucket does not change the date", () => {
    const { rollup } = genesis.variables
    const bucketUpdates = [{ bucket: 1, blockStamp: 104n, withdrawals: 2n }]
    const drained = changesOf(blockOf(104n, { bucketUpdates })).variables
    assert.strictEqual(drained.rollup?.ethereumBlockNum, genesis.block.number)
    assert.deepStrictEqual(drained.rollup?.buckets.map(({ withdrawals }) => withdrawals), [3n, 2n])
    const changed = changesOf(
      blockOf(104n, {
        bucketUpdates,
        rollupVariables: { ...rollup, safeMode: true },
        auctionVariables: genesis.variables.auction
      })
    ).variables
    assert.deepStrictEqual(Object.keys(changed).sort(), ["auction", "rollup"])
    assert.deepStrictEqual(changed.auction, {
      ...genesis.variables.auction,
      defaultSlotSetBidFirstSlot: 0,
      ethereumBlockNum: 104n
    })
    const withdrawalDelayerVariables = {
      ...genesis.variables.withdrawalDelayer,
      emergencyMode: true
    }
    assert.deepStrictEqual(changesOf(blockOf(104n, { withdrawalDelayerVariables })).variables, {
      withdrawalDelayer: { ...withdrawalDelayerVariables, ethereumBlockNum: 104n }
    })
    assert.deepStrictEqual([
      changed.rollup?.ethereumBlockNum,
      changed.rollup?.safeMode,
      changed.rollup?.buckets[1]?.blockStamp
    ], [104n, true, 104n])
  })

  it("a collection reconciles every request of earlier blocks with its owner and token", () => {
    const ledger = ledgerBefore(106n)
    const exit = batchOf(4, {
      exitRoot: 66n,
      l2: [l2Of(257, 1, { nonce: 1n })],
      exits: [exitOf(66n, 257, 10n)]
    })
    ledger.apply(
      blockOf(106n, {
        batches: [exit],
        withdrawals: [{ batchNum: 4, accountIndex: 257, instant: false }]
      })
    )
    const { withdrawals } = ledger.apply(
      blockOf(107n, { delayedWithdrawals: [{ owner: bob.address, tokenId: 0 }] })
    )
    assert.deepStrictEqual(withdrawals, [
      { batchNum: 3, accountIndex: 257, field: "delayedWithdrawn" },
      { batchNum: 4, accountIndex: 257, field: "delayedWithdrawn" }
    ])
  })

  it("an exit can be withdrawn in its own block, and a collection of that block leaves it requested", () => {
    const ledger = ledgerBefore(106n)
    const exit = batchOf(4, {
      exitRoot: 66n,
      l2: [l2Of(257, 1, { nonce: 1n })],
      exits: [exitOf(66n, 257, 10n)]
    })
    const { withdrawals } = ledger.apply(blockOf(106n, {
      batches: [exit],
      withdrawals: [{ batchNum: 4, accountIndex: 257, instant: false }],
      delayedWithdrawals: [{ owner: bob.address, tokenId: 0 }]
    }))
    assert.deepStrictEqual(withdrawals, [
      { batchNum: 3, accountIndex: 257, field: "delayedWithdrawn" },
      { batchNum: 4, accountIndex: 257, field: "delayedWithdrawRequest" }
    ])
  })

  it("a collection reconciles requests of its own block if the delay is 0, or as many as it names", () => {
    const withdrawals = [256, 257].map((accountIndex) => ({
      batchNum: 3,
      accountIndex,
      instant: false
    }))
    const collection = { owner: ann.address, tokenId: 0 }
    const fieldsAfter = (delay: number, parts: Partial<BlockFeed>) => {
      const ledger = ledgerBefore(105n)
      const { withdrawalDelayer } = ledger.variables
      ledger.variables = {
        ...ledger.variables,
        withdrawalDelayer: { ...withdrawalDelayer, withdrawalDelay: delay }
      }
      const decision = ledger.decide(blockOf(105n, { withdrawals, ...parts }))
      if (decision._tag === "Failure") return decision.failure.invariant
      return decision.success.kind === "store"
        ? decision.success.changes.withdrawals.map(({ field }) => field)
        : []
    }
    const [requested, collected] = ["delayedWithdrawRequest", "delayedWithdrawn"] as const
    assert.deepStrictEqual(fieldsAfter(0, { delayedWithdrawals: [collection] }), [
      requested,
      requested,
      collected
    ])
    assert.strictEqual(
      fieldsAfter(1, { delayedWithdrawals: [collection] }),
      "withdrawal-requested"
    )
    assert.deepStrictEqual(
      fieldsAfter(1, { delayedWithdrawals: [{ ...collection, afterWithdrawals: 1 }] }),
      [requested, collected, requested]
    )
    for (const afterWithdrawals of [0, 3]) {
      assert.strictEqual(
        fieldsAfter(0, { delayedWithdrawals: [{ ...collection, afterWithdrawals }] }),
        "withdrawal-requested"
      )
    }
  })

  it("new verifiers hold until others are given, and do not change the date of the variables", () => {
    const ledger = ledgerBefore(104n)
    const verifiers = [{ maxTx: 400, nlevels: 40 }]
    const first = ledger.apply(blockOf(104n, { verifiers })).variables.rollup
    assert.deepStrictEqual([first?.verifiers, first?.ethereumBlockNum], [verifiers, 100n])
    const later = ledger.apply(blockOf(105n, { rollupVariables: genesis.variables.rollup }))
    assert.deepStrictEqual(later.variables.rollup?.verifiers, verifiers)
  })

  it("exits carry their owner and the proof without padding", () => {
    const [exit] = changesOf(block104).batches[0]!.exits
    assert.deepStrictEqual([exit?.address, exit?.publicKey, exit?.tokenId, exit?.balance], [
      ann.address,
      ann.key,
      0,
      100n
    ])
    assert.deepStrictEqual(exit?.merkleProof.siblings, [7n, 0n, 8n])
  })

  it("the newest Ethereum block is the block itself unless the feed names a newer one", () => {
    assert.strictEqual(changesOf(block105).lastEthereumBlock, 105n)
    assert.strictEqual(changesOf({ ...block105, lastEthereumBlock: 200n }).lastEthereumBlock, 200n)
  })

  it("the newest Ethereum block never decreases", () => {
    const ledger = ledgerBefore(105n)
    ledger.apply({ ...block105, lastEthereumBlock: 200n })
    assert.strictEqual(ledger.apply(blockOf(106n)).lastEthereumBlock, 200n)
    assert.strictEqual(
      ledger.apply(blockOf(107n, { lastEthereumBlock: 150n })).lastEthereumBlock,
      200n
    )
    assert.strictEqual(
      ledger.apply(blockOf(108n, { lastEthereumBlock: 201n })).lastEthereumBlock,
      201n
    )
  })

  it("the greatest amount at the greatest price with the greatest fee has a finite value in dollars", () => {
    const prices = [{ tokenId: 1, priceUSD: priceUSDMax, timeMs: 0 }]
    const amount = (1n << 127n) / 10n ** 28n * 10n ** 28n
    const ledger = ledgerBefore(104n)
    ledger.tokens.set(1, { ...ledger.tokens.get(1)!, decimals: 0 })
    ledger.accounts.set(258, { ...ledger.accounts.get(258)!, balance: (1n << 192n) - 1n })
    const l2 = [l2Of(258, 259, { amount, fee: 192 })]
    const { batch, transactions } = ledger.apply(
      blockOf(104n, { prices, batches: [batchOf(3, { feeAccounts: [259], l2 })] })
    ).batches[0]!
    const values = [
      transactions[0]?.historicUSD,
      transactions[0]?.l2?.historicFeeUSD,
      batch.historicTotalCollectedFeesUSD
    ]
    assert.isTrue(
      values.every((value) => typeof value === "number" && value > 1e40 && Number.isFinite(value)),
      String(values)
    )
  })

  it("a value is the double nearest to the exact one", () => {
    const valueOf = (priceUSD: number, decimals: number, amount: bigint) =>
      valueUSD({ priceUSD, decimals }, amount)
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

  it("a value that is not a finite number is null", () => {
    assert.isNull(valueUSD({ priceUSD: priceUSDMax, decimals: 0 }, 10n ** 400n))
  })
})
