/* The bounds of a selection, and the reasons for transactions just beyond them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { type Account, feeUnits, type PostedTransaction } from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS, keysOfLeaf } from "../../core/encoding/mod.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import { Ledger, Pool, type SelectOptions, Submission } from "../../core/use_cases/mod.ts"
import { requestOf } from "./_groups.ts"
import { bareLedger, batchOf, nodeLayer, openChain, ownerOf, postedOf, transfer } from "./_node.ts"

const stranger = ownerOf(8)

const submit = (...all: ReadonlyArray<PostedTransaction>) =>
  Effect.flatMap(
    Submission,
    (submission) =>
      Effect.forEach(all, (posted) => submission.submitTransaction(posted), { discard: true })
  )

const account = (index: number) =>
  Effect.map(
    Effect.flatMap(LedgerReader, (reader) => reader.find("account", index)),
    ({ item }) => item!.account
  )

/** The selected ids, and code and reason of each skipped transaction. */
type Selected = readonly [
  ids: ReadonlyArray<string>,
  skippedTransactions: ReadonlyArray<ReadonlyArray<string | number>>
]

const selectedOf = (options: Partial<SelectOptions> = {}) =>
  Effect.map(
    Effect.flatMap(Pool, (pool) => pool.select({ maxTransactions: 9, ...options })),
    ({ skippedTransactions, transactions }): Selected => [
      transactions.map(({ transaction }) => transaction.id),
      skippedTransactions.map(({ code, reason }) => [code, reason])
    ]
  )

/** The same with these accounts, as the current batch leaves them. */
const selectedWith = (...accounts: ReadonlyArray<Account>) => selectedOf({ accounts })

/** Returns a transaction that requires another one. */
const requiring = (
  other: PostedTransaction,
  parts: Partial<PostedTransaction> = {}
): PostedTransaction => postedOf({ ...parts, request: requestOf(other) })

const toStranger = {
  type: "TransferToBJJ",
  toAccountIndex: null,
  toAddress: INTERNAL_ADDRESS,
  toPublicKey: stranger.publicKey
} as const

describe("a selection", () => {
  it.effect("spends a whole balance and fills an account, and not one unit more", () =>
    Effect.gen(function*() {
      yield* openChain
      const posted = postedOf()
      yield* submit(posted)
      const [sender, receiver] = [yield* account(256), yield* account(257)]
      const debit = 1000n + feeUnits(posted)
      assert.deepStrictEqual(yield* selectedWith({ ...sender, balance: debit }), [[posted.id], []])
      assert.deepStrictEqual(yield* selectedWith({ ...sender, balance: debit - 1n }), [[], [[
        11,
        `The sender has ${debit - 1n} units, expected ${debit} for amount and fee`
      ]]])
      assert.deepStrictEqual(yield* selectedWith({ ...receiver, balance: 2n ** 192n - 1001n }), [[
        posted.id
      ], []])
      assert.deepStrictEqual(yield* selectedWith({ ...receiver, balance: 2n ** 192n - 1000n }), [
        [],
        [[16, "Account 257 cannot receive 1000 units: its balance would exceed the maximum"]]
      ])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("accepts the last nonce but one, after which there is none", () =>
    Effect.gen(function*() {
      yield* openChain
      const last = 2n ** 40n - 1n
      const [first, second] = [postedOf({ nonce: last - 1n }), postedOf({ nonce: last, fee: 127 })]
      yield* submit(first, second)
      assert.deepStrictEqual(yield* selectedWith({ ...yield* account(256), nonce: last - 1n }), [[
        first.id
      ], [[16, `Nonce ${last} is the greatest one: an account cannot store the next nonce`]]])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("skips a transaction if its account is gone, has another token or another owner, and one to such an account", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [sender, receiver] = [yield* account(256), yield* account(257)]
      const posted = postedOf()
      yield* submit(posted)
      const signer: Selected = [[], [[
        16,
        "Account 256 has belonged to another owner since a rollback"
      ]]]
      assert.deepStrictEqual(
        yield* selectedWith({ ...sender, publicKey: stranger.publicKey }),
        signer
      )
      assert.deepStrictEqual(yield* selectedWith({ ...sender, address: stranger.address }), signer)
      assert.deepStrictEqual(yield* selectedWith({ ...sender, tokenId: 1 }), [[], [[
        16,
        "Account 256 of token 0 does not exist"
      ]]])
      assert.deepStrictEqual(
        yield* selectedWith({ ...receiver, publicKey: stranger.publicKey }),
        [[], [[16, "Account 257 has belonged to another owner since a rollback"]]]
      )
      assert.deepStrictEqual(yield* selectedWith({ ...receiver, tokenId: 1 }), [[], [[
        15,
        "Account 257 of token 0 does not exist"
      ]]])
      yield* (yield* Pool).remove([posted.id], "Test")
      const ledger = yield* Ledger
      yield* ledger.applyBlock(
        chain.grow({ batches: [batchOf(3, { l1Coordinator: [{ tokenId: 0, ...stranger }] })] })
      )
      yield* submit(
        postedOf({ fromAccountIndex: 262, amount: 0n }),
        postedOf({ toAccountIndex: 262 })
      )
      yield* ledger.rollBack(chain.cut(1).toBlock)
      // the same transaction may be posted again if its account is gone
      yield* submit(postedOf({ fromAccountIndex: 262, amount: 0n }))
      assert.deepStrictEqual(yield* selectedOf(), [[], [[
        15,
        "Account 262 of token 0 does not exist"
      ], [16, "Account 262 of token 0 does not exist"]]])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("sends to the first account of an address, and creates one if none has its token", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const submission = yield* Submission
      yield* submission.submitAuthorization(ownerOf(1))
      yield* (yield* Ledger).applyBlock(
        chain.grow({ batches: [batchOf(3, { l1Coordinator: [{ tokenId: 0, ...ownerOf(1) }] })] })
      )
      const toAddress = {
        type: "TransferToEthAddr",
        toAccountIndex: null,
        toAddress: ownerOf(1).address
      } as const
      yield* submit(
        postedOf(toAddress),
        postedOf({ ...toAddress, tokenId: 1, fromAccountIndex: 260 })
      )
      const { accounts, transactions } = yield* (yield* Pool).select({ maxTransactions: 9 })
      assert.deepStrictEqual(transactions.map(({ receiver }) => receiver), [{
        kind: "created",
        position: 0
      }, { kind: "account", index: 257 }])
      assert.deepStrictEqual(accounts, [{ tokenId: 1, ...ownerOf(1) }])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("finds the internal account of a key among any number of others", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const l1Coordinator = [...Array<object>(64).fill(stranger), {
        address: INTERNAL_ADDRESS,
        publicKey: stranger.publicKey,
        signature: null
      }].map((owner) => ({ tokenId: 0, ...owner }) as never)
      yield* submit(postedOf(toStranger))
      const receiverOf = Effect.map(
        Effect.flatMap(Pool, (pool) => pool.select({ maxTransactions: 9 })),
        ({ transactions }) => transactions[0]?.receiver
      )
      yield* (yield* Ledger).applyBlock(
        chain.grow({ batches: [batchOf(3, { l1Coordinator: l1Coordinator.slice(0, 64) })] })
      )
      assert.deepStrictEqual(yield* receiverOf, { kind: "created", position: 0 })
      yield* (yield* Ledger).applyBlock(
        chain.grow({ batches: [batchOf(4, { l1Coordinator: l1Coordinator.toReversed() })] })
      )
      assert.deepStrictEqual(yield* receiverOf, { kind: "account", index: 326 })
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("creates an account once, and at most as many as there is space for", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      yield* submission.submitAuthorization(stranger)
      const toAddress = {
        type: "TransferToEthAddr",
        toAccountIndex: null,
        toAddress: stranger.address
      } as const
      const all = [
        postedOf(toStranger),
        postedOf({ ...toStranger, fromAccountIndex: 257 }),
        postedOf({ ...toAddress, fromAccountIndex: 258 })
      ]
      yield* submit(...all)
      const noSpace = [13, "The batch cannot create another account: it already creates 1"]
      assert.deepStrictEqual(yield* selectedOf({ maxNewAccounts: 1 }), [
        all.slice(0, 2).map(({ id }) => id),
        [noSpace]
      ])
      assert.deepStrictEqual(yield* selectedOf({ maxNewAccounts: 0 }), [
        [],
        all.map(() => [13, "The batch cannot create another account: it already creates 0"])
      ])
      assert.deepStrictEqual((yield* selectedOf({ maxNewAccounts: 2 }))[0], all.map(({ id }) => id))
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("leaves no trace of a group that it gives up, and keeps everything before it", () =>
    Effect.gen(function*() {
      yield* openChain
      const [sender, receiver] = [yield* account(256), yield* account(257)]
      const done = postedOf({ amount: 10n, fee: 200 })
      const notNow = postedOf({ fromAccountIndex: 258, toAccountIndex: 257, nonce: 5n, fee: 0 })
      const dependent = requiring(notNow, { nonce: 1n, amount: 5000n, fee: 190 })
      const creating = requiring(notNow, { ...toStranger, nonce: 1n, amount: 5001n, fee: 190 })
      // the sender has exactly this amount, and the receiver its former balance
      const next = postedOf({ nonce: 1n, amount: 2000n, fee: 100 })
      const poor = postedOf({ fromAccountIndex: 257, toAccountIndex: 256, amount: 5000n, fee: 1 })
      const created = postedOf({
        ...toStranger,
        toPublicKey: ownerOf(9).publicKey,
        fromAccountIndex: 259,
        amount: 7n,
        fee: 1
      })
      const again = postedOf({ ...toStranger, fromAccountIndex: 259, nonce: 1n, fee: 0 })
      yield* submit(done, notNow, dependent, creating, next, poor, created, again)
      const balance = 10n + feeUnits(done) + 5001n + feeUnits(creating)
      const [ids, skippedTransactions] = yield* selectedWith({ ...sender, balance }, {
        ...receiver,
        balance: 2000n
      })
      assert.deepStrictEqual(ids, [done.id, next.id, created.id, again.id])
      const requested = [
        18,
        `The requested transaction ${notNow.id} cannot be forged in the same batch: Nonce 5 is not the next nonce of the sender, 0`
      ]
      assert.sameDeepMembers([...skippedTransactions], [
        [12, "Nonce 5 is not the next nonce of the sender, 0"],
        requested,
        requested,
        [11, `The sender has 4010 units, expected ${5000n + feeUnits(poor)} for amount and fee`]
      ])
      const { accounts, transactions } = yield* (yield* Pool).select({
        maxTransactions: 9,
        accounts: [{ ...sender, balance }, { ...receiver, balance: 2000n }]
      })
      assert.deepStrictEqual(accounts.map(({ publicKey }) => publicKey), [
        ownerOf(9).publicKey,
        stranger.publicKey
      ])
      assert.deepStrictEqual(transactions.slice(2).map(({ receiver }) => receiver), [{
        kind: "created",
        position: 0
      }, { kind: "created", position: 1 }])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("selects four that require each other, and not five, nor more than there is room for", () =>
    Effect.gen(function*() {
      yield* openChain
      const pool = yield* Pool
      // a transaction has a higher fee than the one that it requires
      const linked = (required: PostedTransaction, place: number) =>
        requiring(required, {
          fromAccountIndex: 256 + place,
          toAccountIndex: 259 - place,
          amount: 10n ** 6n + BigInt(place),
          fee: 120 + place
        })
      const groupOver = (last: PostedTransaction) => {
        const third = linked(last, 1)
        const second = linked(third, 2)
        return [linked(second, 3), second, third, last]
      }
      const four = groupOver(postedOf({ amount: 10n ** 6n, fee: 120 }))
      yield* submit(...four)
      assert.deepStrictEqual(
        (yield* pool.select({ maxTransactions: 4 })).transactions.map(({ transaction }) =>
          transaction.id
        ),
        four.map(({ id }) => id)
      )
      // with room for three the one with the highest fee fails, and the next one starts a group of
      // three
      const noRoom = (
        id: string
      ) => [[
        18,
        `The requested transaction ${id} cannot be forged in the same batch: the batch has no space for all transactions that require each other`
      ]]
      assert.deepStrictEqual(yield* selectedOf({ maxTransactions: 3 }), [
        four.slice(1).map(({ id }) => id),
        noRoom(four[3]!.id)
      ])
      yield* pool.remove(four.map(({ id }) => id), "Test")
      const fifth = postedOf({ fromAccountIndex: 260, toAccountIndex: 261, tokenId: 1, fee: 0 })
      const five = [...groupOver(requiring(fifth, { amount: 10n ** 6n, fee: 120 })), fifth]
      yield* submit(...five)
      assert.deepStrictEqual(yield* selectedOf(), [
        five.slice(1).map(({ id }) => id),
        noRoom(fifth.id)
      ])
      // the earlier selection uses the space
      yield* pool.remove(five.map(({ id }) => id), "Test")
      const [before, required] = [
        postedOf({ fromAccountIndex: 256, toAccountIndex: 257, amount: 10n ** 7n, fee: 150 }),
        postedOf({ fromAccountIndex: 257, toAccountIndex: 256, fee: 0 })
      ]
      const [two, three] = [linked(required, 2), linked(linked(required, 2), 3)]
      yield* submit(before, three, two, required)
      assert.deepStrictEqual(yield* selectedOf({ maxTransactions: 3 }), [
        [before, two, required].map(({ id }) => id),
        noRoom(required.id)
      ])
      yield* pool.remove([required.id], "Test")
      assert.deepInclude((yield* selectedOf({ maxTransactions: 3 }))[1], [
        18,
        "The requested transaction cannot be forged in the same batch: it is not pending"
      ])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("reports that the batch is full for as many as it has places, and selects nothing if there are none", () =>
    Effect.gen(function*() {
      yield* openChain
      const all = [0, 1, 2, 3].map((place) =>
        postedOf({ fromAccountIndex: 256 + place, toAccountIndex: 256, fee: 130 - place })
      )
      yield* submit(...all)
      const full = [17, "The batch is full with 1 transactions"]
      assert.deepStrictEqual(yield* selectedOf({ maxTransactions: 1 }), [[all[0]!.id], [full]])
      assert.deepStrictEqual(yield* selectedOf({ maxTransactions: 0 }), [[], []])
      assert.deepStrictEqual(yield* selectedOf({ maxTransactions: 4 }), [
        all.map(({ id }) => id),
        []
      ])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("selects the highest fee of any token first, however few rows are read at once", () =>
    Effect.gen(function*() {
      yield* openChain
      const ether = [0, 1, 2].map((place) =>
        postedOf({
          fromAccountIndex: 256 + place,
          toAccountIndex: 259,
          amount: 10n ** (9n - 2n * BigInt(place)),
          fee: 126
        })
      )
      // a unit of token 1 is worth 700,000 units of ether
      const one = [0, 1].map((place) =>
        postedOf({
          tokenId: 1,
          fromAccountIndex: 260 + place,
          toAccountIndex: 261 - place,
          amount: 10n ** (5n - 2n * BigInt(place)),
          fee: 126
        })
      )
      const noPrice = postedOf({ fromAccountIndex: 259, toAccountIndex: 256, amount: 1n, fee: 0 })
      yield* submit(noPrice, ...one.toReversed(), ...ether.toReversed())
      const { transactions } = yield* (yield* Pool).select({ maxTransactions: 9 })
      const worth = (posted: PostedTransaction) =>
        Number(feeUnits(posted)) * (posted.tokenId === 0 ? 1e6 / 1e18 : 0.7 / 1e6)
      const byFee = [...ether, ...one, noPrice].sort((a, b) => worth(b) - worth(a))
      assert.deepStrictEqual(
        transactions.map(({ transaction }) => transaction.id),
        byFee.map(({ id }) => id)
      )
      for (const { feeUSD, transaction } of transactions) {
        assert.approximately(feeUSD, worth(transaction), worth(transaction) * 1e-9)
      }
    }).pipe(
      Effect.provide(nodeLayer({}, undefined, {
        pool: (store) => ({ pendingByFee: (query) => store.pendingByFee({ ...query, limit: 2 }) })
      }))
    ))

  it.effect("spends the balance of a sender in order, and reports only for the first transaction that it is not enough", () =>
    Effect.gen(function*() {
      yield* openChain
      const sender = yield* account(256)
      const exit = postedOf({ type: "Exit", toAccountIndex: 1, fee: 100 })
      const creating = postedOf({ ...toStranger, nonce: 1n, fee: 110 })
      const transfer = postedOf({ nonce: 2n, fee: 120 })
      const last = postedOf({ type: "Exit", toAccountIndex: 1, nonce: 3n, fee: 0 })
      const all = [exit, creating, transfer, last]
      yield* submit(...all.toReversed())
      const sum = all.reduce((units, posted) => units + posted.amount + feeUnits(posted), 0n)
      assert.deepStrictEqual(yield* selectedWith({ ...sender, balance: sum }), [
        all.map(({ id }) => id),
        []
      ])
      assert.deepStrictEqual(
        (yield* (yield* Pool).select({ maxTransactions: 3 })).transactions.map(({ receiver }) =>
          receiver
        ),
        [{ kind: "exit" }, { kind: "created", position: 0 }, { kind: "account", index: 257 }]
      )
      assert.deepStrictEqual(yield* selectedWith({ ...sender, balance: sum - 1n }), [
        all.slice(0, 3).map(({ id }) => id),
        [[11, "The sender has 999 units, expected 1000 for amount and fee"]]
      ])
      const waits = (
        nonce: bigint
      ) => [12, `Nonce ${nonce} is not the next nonce of the sender, 0`]
      assert.deepStrictEqual(yield* selectedOf({ maxTransactions: 1 }), [[exit.id], [
        waits(2n),
        waits(1n),
        [17, "The batch is full with 1 transactions"]
      ]])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("updates itself if the ledger forges transactions in the meantime", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [posted, rival] = [postedOf(), postedOf({ amount: 5n })]
      yield* submit(posted, rival)
      const ledger = yield* bareLedger
      yield* ledger.applyBlock(
        chain.grow({
          batches: [
            batchOf(3, {
              l2: [transfer]
            })
          ]
        })
      )
      const late = [12, "Nonce 0 is not the next nonce of the sender, 1"]
      assert.deepStrictEqual(yield* selectedOf(), [[], [late, late]])
      const pool = yield* Pool
      assert.deepStrictEqual([
        (yield* pool.transaction(posted.id))?.state,
        (yield* pool.transaction(rival.id))?.state
      ], ["fged", "invl"])
      assert.strictEqual(
        (yield* pool.transitions(rival.id)).at(-1)?.reason,
        "Nonce 0 of account 256 was used by another transaction in batch 3"
      )
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("distinguishes internal accounts by key and token, whether they exist, are in the current batch or will be created", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const internal = (number: number) => ({
        tokenId: 0,
        address: INTERNAL_ADDRESS,
        publicKey: ownerOf(number).publicKey,
        signature: null
      })
      yield* (yield* Ledger).applyBlock(
        chain.grow({ batches: [batchOf(3, { l1Coordinator: [internal(7), internal(8)] })] })
      )
      const to = (number: number) => ({ ...toStranger, toPublicKey: ownerOf(number).publicKey })
      yield* submit(
        ...[8, 7, 9, 10].map((number, place) =>
          postedOf({ ...to(number), fromAccountIndex: 256 + place, fee: 200 - place })
        )
      )
      const receivers = (accounts: ReadonlyArray<Account>) =>
        Effect.map(
          Effect.flatMap(Pool, (pool) => pool.select({ maxTransactions: 9, accounts })),
          ({ transactions }) => transactions.map(({ receiver }) => receiver)
        )
      const there = [{ kind: "account", index: 263 }, { kind: "account", index: 262 }] as const
      const created = [{ kind: "created", position: 0 }, { kind: "created", position: 1 }] as const
      assert.deepStrictEqual(yield* receivers([]), [...there, ...created])
      const template = { ...yield* account(262), index: 264, balance: 0n, nonce: 0n }
      assert.deepStrictEqual(
        yield* receivers([{ ...template, tokenId: 1, publicKey: ownerOf(9).publicKey }, template]),
        [...there, ...created]
      )
      assert.deepStrictEqual(
        yield* receivers([template, { ...template, index: 265, publicKey: ownerOf(10).publicKey }]),
        [...there, created[0], { kind: "account", index: 265 }]
      )
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("starts again while the ledger changes, and gives up after the fifth time", () =>
    Effect.gen(function*() {
      yield* openChain
      yield* submit(postedOf())
      const [reader, store] = [yield* LedgerReader, yield* PoolStore]
      const snapshotIds = (movesUntil: number) => {
        let calls = 0
        const snapshotId = Effect.map(
          reader.snapshotId,
          (now) => ({ ...now, version: Math.min(++calls, movesUntil) })
        )
        const moving = Layer.mergeAll(
          Layer.succeed(LedgerReader, { ...reader, snapshotId }),
          Layer.succeed(PoolStore, store)
        )
        return Effect.map(
          Effect.provide(
            Effect.flatMap(Pool, (pool) => pool.select({ maxTransactions: 9 })),
            Layer.fresh(Pool.layer({ keccak256 })).pipe(Layer.provide(moving))
          ),
          ({ snapshotId: { version }, transactions }) => [calls, version, transactions.length]
        )
      }
      assert.deepStrictEqual(yield* snapshotIds(1), [2, 1, 1])
      assert.deepStrictEqual(yield* snapshotIds(4), [6, 4, 1])
      assert.deepStrictEqual(yield* snapshotIds(Infinity), [10, 9, 1])
    }).pipe(Effect.provide(nodeLayer())))
})

const [own, ...others] = keysOfLeaf(ownerOf(8).publicKey)
const to = (toPublicKey: string) => ({
  type: "TransferToBJJ" as const,
  toAccountIndex: null,
  toAddress: INTERNAL_ADDRESS,
  toPublicKey
})

describe("a transfer to a key", () => {
  it.effect("reaches the internal account with the same leaf, whichever of its keys either names", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const ledger = yield* Ledger
      // a key with bit 254, then the reduced key: the first account of the leaf receives
      const l1Coordinator = [others.at(-1)!, own!].map((publicKey) => ({
        address: INTERNAL_ADDRESS,
        publicKey,
        tokenId: 0,
        signature: null
      }))
      yield* ledger.applyBlock(
        chain.grow({ batches: [batchOf(3, { forgeL1TransactionsNum: 2, l1Coordinator })] })
      )
      const submission = yield* Submission
      for (const [nonce, key] of [own!, ...others].entries()) {
        yield* submission.submitTransaction(postedOf({ ...to(key), nonce: BigInt(nonce) }))
      }
      const { accounts, transactions } = yield* (yield* Pool).select({ maxTransactions: 9 })
      assert.deepStrictEqual(accounts, [])
      assert.isAtLeast(transactions.length, 2)
      assert.deepStrictEqual(
        transactions.map(({ receiver }) => receiver),
        [own!, ...others].map(() => ({ kind: "account" as const, index: 262 }))
      )
    }).pipe(Effect.provide(nodeLayer())))
})
