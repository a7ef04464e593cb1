/* The bounds of a selection, and the reasons for transactions just beyond them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  derivePublicKey,
  ethereumAddress,
  signAuthorization,
  verifyAuthorization
} from "../../adapters/crypto/mod.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { feeUnits, type PostedTransaction } from "../../core/domain/mod.ts"
import { INTERNAL_ADDRESS, keysOfLeaf } from "../../core/encoding/mod.ts"
import { LedgerReader, PoolStore } from "../../core/ports/mod.ts"
import { Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { requestOf } from "./_groups.ts"
import { batchOf, nodeLayer, openChain, ownerOf, postedOf } from "./_node.ts"
import { exit, pay, story, toAddress, toKey } from "./_story.ts"
import { genesis } from "./_subject.ts"

const stranger = toKey(ownerOf(8).publicKey)
/** The units that a transaction of 1000 with the usual fee costs, and less. */
const debit = 1000n + feeUnits(postedOf())
const balanceMax = 2n ** 192n - 1n
const nonceMax = 2n ** 40n - 1n
const noSpace = "the batch has no space for all transactions that require each other"
const noRoom = (required: string) =>
  `18 The requested transaction ${required} cannot be forged in the same batch: ${noSpace}`
const anotherOwner = (index: number) =>
  `16 Account ${index} has belonged to another owner since a rollback`

describe("a selection", () => {
  story("spends a whole balance and fills an account, and not one unit more", {
    transactions: { a: {} }
  })(`
    post a
    select 9 given 256.balance=${debit}                -> a
    select 9 given 256.balance=${debit - 1n}           -> -
    skipped -> 11 The sender has ${debit - 1n} units, expected ${debit} for amount and fee
    select 9 given 257.balance=${balanceMax - 1000n}   -> a
    select 9 given 257.balance=${balanceMax - 999n}    -> -
    skipped -> 16 Account 257 cannot receive 1000 units: its balance would exceed the maximum
  `)
  story("accepts the last nonce but one, after which there is none", {
    transactions: { a: { nonce: nonceMax - 1n }, b: { nonce: nonceMax, fee: 127 } }
  })(`
    post a b
    select 9 given 256.nonce=${nonceMax - 1n}          -> a
    skipped -> 16 Nonce ${nonceMax} is the greatest one: an account cannot store the next nonce
  `)
  story(
    "skips a transaction if its account is gone, has another token or another owner, and one to such an account",
    { transactions: { a: {}, b: pay(262, 257, { amount: 0n }), c: { toAccountIndex: 262 } } }
  )(`
    post a
    select 9 given 256.key=8      -> -
    skipped                       -> ${anotherOwner(256)}
    select 9 given 256.address=8  -> -
    skipped                       -> ${anotherOwner(256)}
    select 9 given 256.tokenId=1  -> -
    skipped                       -> 16 Account 256 of token 0 does not exist
    select 9 given 257.key=8      -> -
    skipped                       -> ${anotherOwner(257)}
    select 9 given 257.tokenId=1  -> -
    skipped                       -> 15 Account 257 of token 0 does not exist
    remove a                      -> a
    forge 3 +8
    post b c
    roll back 1
    # the same transaction may be posted again if its account is gone
    post b                        -> known
    select 9                      -> -
    skipped -> 15 Account 262 of token 0 does not exist; 16 Account 262 of token 0 does not exist
  `)
  story("sends to the first account of an address, and creates one if none has its token", {
    transactions: { a: toAddress(1), b: pay(260, 257, { ...toAddress(1), tokenId: 1 }) }
  })(`
    authorize 1
    forge 3 +1
    post a b
    select 9   -> b a
    receivers  -> created:0 account:257
    created    -> 1:1
  `)
  story("finds the internal account of a key among any number of others", {
    transactions: { a: stranger }
  })(`
    post a
    forge 3 ${"+8 ".repeat(64)}
    select 9   -> a
    receivers  -> created:0
    forge 4 +i8 ${"+8 ".repeat(64)}
    select 9   -> a
    receivers  -> account:326
  `)
  story("creates an account once, and at most as many as there is space for", {
    transactions: { a: stranger, b: pay(257, 256, stranger), c: pay(258, 256, toAddress(8)) }
  })(`
    post a b c
    select 9        -> a b
    created         -> 0:i8
    skipped c       -> 14 ${ownerOf(8).address} has no account of token 0,
      ... and no authorization to create one
    authorize 8
    select 9 new 2  -> a b c
    receivers       -> created:0 created:0 created:1
    created         -> 0:i8 0:8
    select 9 new 1  -> a b
    skipped         -> 13 The batch cannot create another account: it already creates 1
    select 9 new 0  -> -
    skipped         -> 13 The batch cannot create another account: it already creates 0
      ; 13 The batch cannot create another account: it already creates 0
      ; 13 The batch cannot create another account: it already creates 0
  `)
  story("knows the accounts that the L1 part of the same batch creates and changes", {
    transactions: { a: toAddress(8) }
  })(`
    post a
    select 9 given 262.owner=8                   -> a
    receivers                                    -> account:262
    select 9 given 262.owner=8 256.balance=1000  -> -
    skipped a  -> 11 The sender has 1000 units, expected ${debit} for amount and fee
  `)
  story("skips a transaction after the last batch that may forge it", {
    transactions: { a: { maxNumBatch: 3 } }
  })(`
    post a
    select 9      -> a
    bare forge 3
    select 9      -> -
    skipped       -> 2 Batch 3 is the last one that may forge it
  `)
  story(
    "waits until the nonces of all that require each other are next, before it looks at balances",
    {
      transactions: {
        next: pay(258, 257, { nonce: 1n, fee: 0 }),
        paid: { fee: 150, requires: "next" },
        paying: pay(258, 256, { amount: 10n ** 6n, fee: 0 })
      }
    }
  )(`
    post next paid paying
    select 9 given 256.balance=0  -> paying paid next
    select 2 given 256.balance=0  -> paying next
  `)
  const done = { amount: 10n, fee: 200 }
  const dependent = { nonce: 1n, fee: 190, requires: "notNow" }
  const balance = 10n + feeUnits(postedOf(done)) + 5001n +
    feeUnits(postedOf({ amount: 5001n, fee: 190 }))
  story("leaves no trace of a group that it gives up, and keeps everything before it", {
    transactions: {
      done,
      notNow: pay(258, 257, { fee: 0 }),
      dependent: { ...dependent, amount: 5000n },
      creating: { ...dependent, ...stranger, amount: 5001n },
      // the sender has exactly this amount, and the receiver its former balance
      next: { nonce: 1n, amount: 2000n, fee: 100 },
      poor: pay(257, 256, { amount: 5000n, fee: 1 }),
      created: pay(259, 256, { ...toKey(ownerOf(9).publicKey), amount: 7n, fee: 1 }),
      again: pay(259, 256, { ...stranger, nonce: 1n, fee: 0 })
    }
  })(`
    post done notNow dependent creating next poor created again
    select 9 given 256.balance=${balance} 257.balance=2000 258.balance=9  -> done next created again
    receivers  -> account:257 account:257 created:0 created:1
    created    -> 0:i9 0:i8
    skipped    -> 18 The requested transaction notNow cannot be forged in the same batch:
      ... The sender has 9 units, expected 1000 for amount and fee
      ; 18 The requested transaction notNow cannot be forged in the same batch:
      ... The sender has 9 units, expected 1000 for amount and fee
      ; 11 The sender has 9 units, expected 1000 for amount and fee
      ; 11 The sender has 4010 units, expected 5000 for amount and fee
  `)
  // a transaction has a higher fee than the one that it requires
  const chained = (place: number, requires: string) =>
    pay(256 + place, 259 - place, { amount: 10n ** 6n + BigInt(place), fee: 120 + place, requires })
  story("selects four that require each other, and not five, nor more than there is room for", {
    transactions: {
      last: { amount: 10n ** 6n, fee: 120 },
      third: chained(1, "last"),
      second: chained(2, "third"),
      first: chained(3, "second"),
      fifth: pay(260, 261, { tokenId: 1, fee: 0 }),
      last5: { amount: 10n ** 6n, fee: 120, requires: "fifth" },
      before: { amount: 10n ** 7n, fee: 150 },
      required: pay(257, 256, { fee: 0 }),
      two: chained(2, "required"),
      three: chained(3, "two")
    }
  })(`
    post first second third last
    select 4  -> first second third last
    # with room for three the one with the highest fee fails, and the next one starts a group of three
    select 3  -> second third last
    skipped   -> ${noRoom("last")}
    remove first second third last  -> first second third last
    post first second third last5 fifth
    select 9  -> second third last fifth
    skipped   -> ${noRoom("fifth")}
    remove first second third last fifth  -> first second third last fifth
    # the earlier selection uses the space
    post before three two required
    select 3  -> before second required
    skipped   -> ${noRoom("required")}
    remove required  -> required
    select 3  -> before
    skipped
      -> 18 The requested transaction cannot be forged in the same batch: it is not pending
      ; 18 The requested transaction cannot be forged in the same batch: it is not pending
  `)
  const far = (place: number) => ({ nonce: BigInt(place), fee: 140 })
  const notSeen = "it would be more than 4 positions before or 3 after the one that requires it"
  story(
    "selects a transaction at most four positions after the one that it requires, as far as a circuit sees",
    {
      transactions: {
        required: pay(257, 256, { fee: 150 }),
        ...Object.fromEntries(
          [0, 1, 2, 3].map((place) => [`x${place}`, pay(258, 256, far(place))])
        ),
        requiring: { fee: 130, requires: "required" }
      }
    }
  )(`
    post required x0 x1 x2 requiring
    select 9  -> required x0 x1 x2 requiring
    post x3
    select 9  -> required x0 x1 x2 x3
    skipped   -> 18 The requested transaction cannot be forged in the same batch: ${notSeen}
  `)
  story(
    "reports that the batch is full for as many as it has places, and selects nothing if there are none",
    {
      transactions: {
        a: { fee: 130 },
        b: pay(257, 256, { fee: 129 }),
        c: pay(258, 256, { fee: 128 }),
        d: pay(259, 256, { fee: 127 })
      }
    }
  )(`
    post a b c d
    select 1  -> a
    skipped   -> 17 The batch is full with 1 transactions
    select 0  -> -
    skipped   -> -
    select 4  -> a b c d
    skipped   -> -
  `)
  story("takes transactions with the same fee by arrival, whatever their tokens", {
    transactions: {
      a: { fee: 0 },
      b: pay(260, 261, { tokenId: 1, fee: 0 }),
      c: pay(257, 256, { fee: 0 }),
      d: pay(261, 260, { tokenId: 1, fee: 0 })
    }
  })(`
    post a b c d
    select 9  -> a b c d
    select 1  -> a
  `)
  const spending = {
    leaving: { ...exit, fee: 100 },
    creating: { ...stranger, nonce: 1n, fee: 110 },
    transfer: { nonce: 2n, fee: 120 },
    last: { ...exit, nonce: 3n, fee: 0 }
  }
  const sum = Object.values(spending).map(postedOf)
    .reduce((units, posted) => units + posted.amount + feeUnits(posted), 0n)
  story(
    "spends the balance of a sender in order, and reports only for the first transaction that it is not enough",
    { transactions: spending }
  )(`
    post last transfer creating leaving
    select 9 given 256.balance=${sum}       -> leaving creating transfer last
    select 3                                -> leaving creating transfer
    receivers                               -> exit created:0 account:257
    select 9 given 256.balance=${sum - 1n}  -> leaving creating transfer
    skipped   -> 11 The sender has 999 units, expected 1000 for amount and fee
    select 1  -> leaving
    skipped   -> 12 Nonce 2 is not the next nonce of the sender, 0
      ; 12 Nonce 1 is not the next nonce of the sender, 0; 17 The batch is full with 1 transactions
  `)
  story("updates itself if the ledger forges transactions in the meantime", {
    transactions: { a: {}, rival: { amount: 5n } }
  })(`
    post a rival
    bare forge 3 a
    select 9        -> -
    skipped         -> 12 Nonce 0 is not the next nonce of the sender, 1
      ; 12 Nonce 0 is not the next nonce of the sender, 1
    states a rival  -> fged3 invl3
    reasons rival   -> Nonce 0 of account 256 was used by another transaction in batch 3
  `)
  story(
    "distinguishes internal accounts by key and token, whether they exist, are in the current batch or will be created",
    {
      transactions: Object.fromEntries(
        [8, 7, 9, 10].map((number, place) => [
          `to${number}`,
          pay(256 + place, 256, { ...toKey(ownerOf(number).publicKey), fee: 200 - place })
        ])
      )
    }
  )(`
    forge 3 +i7 +i8
    post to8 to7 to9 to10
    select 9   -> to8 to7 to9 to10
    receivers  -> account:263 account:262 created:0 created:1
    select 9 given 264.address=i 264.key=9 264.tokenId=1 265.address=i 265.key=7
    receivers  -> account:263 account:262 created:0 created:1
    select 9 given 264.address=i 264.key=7 265.address=i 265.key=10
    receivers  -> account:263 account:262 created:0 account:265
  `)

  it.effect("selects the highest fee of any token first, however few rows are read at once", () =>
    Effect.gen(function*() {
      yield* openChain
      const amountOf = (power: number, place: number) => 10n ** BigInt(power - 2 * place)
      const ether = [0, 1, 2].map((place) =>
        postedOf({ fromAccountIndex: 256 + place, toAccountIndex: 259, amount: amountOf(9, place) })
      )
      // a unit of token 1 is worth 700,000 units of ether
      const one = [0, 1].map((place) =>
        postedOf({
          tokenId: 1,
          fromAccountIndex: 260 + place,
          toAccountIndex: 261 - place,
          amount: amountOf(5, place)
        })
      )
      const noPrice = postedOf({ fromAccountIndex: 259, toAccountIndex: 256, amount: 1n, fee: 0 })
      const submission = yield* Submission
      for (const posted of [noPrice, ...one.toReversed(), ...ether.toReversed()]) {
        yield* submission.submitTransaction(posted)
      }
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
    }).pipe(Effect.provide(nodeLayer({}, undefined, {
      pool: (store) => ({ pendingByFee: (query) => store.pendingByFee({ ...query, limit: 2 }) })
    }))))

  it.effect("values the fee of a required transaction, too", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      const required = postedOf({ fromAccountIndex: 257, toAccountIndex: 256 })
      yield* submission.submitTransaction(postedOf({ fee: 130, request: requestOf(required) }))
      yield* submission.submitTransaction(required)
      const { transactions } = yield* (yield* Pool).select({ maxTransactions: 9 })
      assert.lengthOf(transactions, 2)
      for (const { feeUSD, transaction } of transactions) {
        assert.approximately(feeUSD, Number(feeUnits(transaction)) * 1e6 / 1e18, 1e-18)
      }
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("starts again while the ledger changes, and gives up after the fifth time", () =>
    Effect.gen(function*() {
      yield* openChain
      yield* (yield* Submission).submitTransaction(postedOf())
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

  it.effect("creates no more accounts than a batch has L1 transactions", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      for (let nonce = 0; nonce < 300; nonce++) {
        const key = `${"1".repeat(52)}${String(nonce).padStart(10, "0")}00`
        yield* submission.submitTransaction(
          postedOf({ ...toKey(key), amount: 1n, fee: 0, nonce: BigInt(nonce) })
        )
      }
      const { accounts, transactions } = yield* (yield* Pool).select({ maxTransactions: 1000 })
      assert.deepStrictEqual([accounts.length, transactions.length], [256, 256])
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("creates accounts with the low s of their authorizations, which the contract requires", () =>
    Effect.gen(function*() {
      yield* openChain
      const submission = yield* Submission
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
      const low: Array<string> = []
      for (let nonce = 0; nonce < 8; nonce++) {
        const owner = new Uint8Array(32).fill(nonce + 1)
        const address = ethereumAddress(owner)
        const publicKey = derivePublicKey(owner)
        const signature = signAuthorization(owner, publicKey, genesis.network)
        const highS = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16)
        const otherV = signature.endsWith("1b") ? "1c" : "1b"
        const high = `${signature.slice(0, 66)}${highS.padStart(64, "0")}${otherV}`
        assert.isTrue(verifyAuthorization({ address, publicKey, signature: high }, genesis.network))
        const posted = { address, publicKey, signature: nonce % 2 === 0 ? signature : high }
        yield* submission.submitAuthorization(posted)
        yield* submission.submitTransaction(
          postedOf({
            ...toAddress(0),
            toAddress: address,
            amount: 1n,
            fee: 0,
            nonce: BigInt(nonce)
          })
        )
        low.push(signature)
      }
      const { accounts } = yield* (yield* Pool).select({ maxTransactions: 9 })
      assert.deepStrictEqual(accounts.map(({ signature }) => signature), low)
    }).pipe(Effect.provide(nodeLayer())))

  it.effect("sends to the first internal account with the leaf of a key, whichever of its keys either names", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const keys = keysOfLeaf(ownerOf(8).publicKey)
      const l1Coordinator = [keys.at(-1)!, keys[0]!].map((publicKey) => ({
        address: INTERNAL_ADDRESS,
        publicKey,
        tokenId: 0,
        signature: null
      }))
      yield* (yield* Ledger).applyBlock(
        chain.grow({ batches: [batchOf(3, { forgeL1TransactionsNum: 2, l1Coordinator })] })
      )
      const submission = yield* Submission
      for (const [nonce, key] of keys.entries()) {
        yield* submission.submitTransaction(postedOf({ ...toKey(key), nonce: BigInt(nonce) }))
      }
      const { accounts, transactions } = yield* (yield* Pool).select({ maxTransactions: 9 })
      assert.deepStrictEqual(accounts, [])
      assert.isAtLeast(transactions.length, 2)
      assert.deepStrictEqual(
        transactions.map(({ receiver }) => receiver),
        keys.map(() => ({ kind: "account" as const, index: 262 }))
      )
    }).pipe(Effect.provide(nodeLayer())))
})
