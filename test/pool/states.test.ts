/* The states of transactions: what a coordinator and the ledger change, and the recorded reasons. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { forgingMaxMsDefault, Ledger, Pool, Submission } from "../../core/use_cases/mod.ts"
import { batchOf, nodeLayer, openChain, postedOf, transfer } from "./_node.ts"
import { pay, story } from "./_story.ts"

/** One transaction of each of the first four accounts. */
const four = { a: {}, b: pay(257, 256), c: pay(258, 256), d: pay(259, 256) }
const tooLong = forgingMaxMsDefault + 1

describe("records of a feed", () => {
  it.effect("change the pool as the blocks and rollbacks in them do, and answer with their kind", () =>
    Effect.gen(function*() {
      const chain = yield* openChain
      const [ledger, pool, submission] = [yield* Ledger, yield* Pool, yield* Submission]
      const { id } = yield* submission.submitTransaction(postedOf())
      const block = chain.grow({ batches: [batchOf(3, { l2: [transfer] })] })
      assert.deepInclude(yield* ledger.applyRecord({ kind: "block", block }), {
        kind: "block",
        applied: true
      })
      assert.strictEqual((yield* pool.transaction(id))?.state, "fged")
      const { toBlock } = chain.cut(1)
      assert.deepInclude(yield* ledger.applyRecord({ kind: "rollBack", toBlock }), {
        kind: "rollBack",
        toBlock
      })
      assert.strictEqual((yield* pool.transaction(id))?.state, "pend")
    }).pipe(Effect.provide(nodeLayer())))
})

describe("a coordinator", () => {
  story(
    "moves a transaction through its states; a rollback releases it, and each step is recorded",
    { transactions: { a: {} } }
  )(`
    post a
    select 9             -> a
    start a in 2         -> -
    done a in 2          -> -
    start a in 3         -> a
    start a in 3         -> -
    done a in 4          -> -
    done a in 3          -> a
    forge selection
    states a             -> fged3
    roll back 1
    states a             -> pend
    apply again
    steps a              -> pend - Posted; fing 3 Selected for batch 3; fged 3 Batch 3 was sent
      ; pend - Batches after 2 were rolled back; fged 3 Forged in batch 3
  `)
  story("cannot mark a batch as sent that the ledger has, nor invalid transactions", {
    transactions: { a: {} }
  })(`
    post a
    start a in 3         -> a
    bare forge 3
    done a in 3          -> -
    reconcile            -> a
    reasons a            -> Batch 3 was forged without it
    invalidate a in 4    -> a
    done a in 4          -> -
  `)
  story("invalidates transactions unless they are forged or invalid", { transactions: four })(`
    post a b c d
    forge 3 a
    start c d in 4             -> c d
    done d in 4                -> d
    invalidate a b c d in 4    -> b c d
    states a b c d             -> fged3 invl4 invl4 invl4
    reasons d                  -> No d
    invalidate a b c d in 5    -> -
  `)
  story("invalidates used nonces of the given accounts", {
    transactions: { a: {}, next: { nonce: 1n }, b: pay(257, 256) }
  })(`
    post a next b
    use 256/1 in 7    -> a
    states a next b   -> invl7 pend pend
    reasons a         -> Nonce 0 of account 256 is already used
  `)
  story("releases batches that are not valid, except those that the ledger has", {
    transactions: four
  })(`
    post a b c d
    start b in 4       -> b
    start c in 5       -> c
    done c in 5        -> c
    invalidate d in 6  -> d
    forge 3 a
    release 5          -> d
    reasons d          -> Batches after 5 are not valid
    release 1          -> b c
    reasons c          -> Batches after 3 are not valid
    states a b c d     -> fged3 pend pend pend
  `)
  story("removes pending and invalid transactions, once", { transactions: four })(`
    post a b c
    start c in 3       -> c
    done c in 3        -> c
    invalidate b in 6  -> b
    remove b c a b     -> b a
    states a b c       -> gone gone fged3
    steps b            -> pend - Posted; invl 6 No b; null 6 Removed: Test
  `)
})

describe("purging removes a transaction that", () => {
  story("was pending for too long, or is the oldest of too many", { transactions: four })(`
    post a
    wait 1
    post b
    wait 999
    post c d
    purge 1000 ms batch 9 safety 2 capacity 4  -> -
    wait 1
    purge 1000 ms batch 9 safety 2 capacity 2  -> a b
    reasons a b  -> Purged: pending for more than 1000 ms
      ; Purged: the pool holds more than 2 pending transactions
    purge 1000 ms batch 9 safety 2 capacity 1  -> c
    states d     -> pend
  `)
  story(
    "is forged or invalid for more batches than can be rolled back, by the ledger and by the caller",
    { transactions: { ...four, rival: { amount: 5n } } }
  )(`
    post a b
    invalidate b in 2    -> b
    forge 3 a
    forge 4, 5
    purge 1000 ms batch 4 safety 2 capacity 9  -> -
    purge 1000 ms batch 5 safety 3 capacity 9  -> -
    purge 1000 ms batch 9 safety 3 capacity 9  -> -
    purge 1000 ms batch 4 safety 1 capacity 9  -> b
    purge 1000 ms batch 9 safety 1 capacity 9  -> a
    reasons b a -> Purged: invalid since batch 2, 1 batches ago and more
      ; Purged: forged since batch 3, 1 batches ago and more
  `)
  story("is not in progress", { transactions: four })(`
    post a b
    forge 3 a
    forge 4, 5
    start b in 6         -> b
    remove a b           -> -
    wait 1001
    purge 1000 ms batch 5 safety 9 capacity 0  -> -
  `)
})

describe("a pool is reconciled", () => {
  story("if a transaction waits for longer than a proof takes, or its batch exists without it", {
    transactions: four
  })(`
    post a b c d
    forge 3 a
    start b c in 4   -> b c
    done c in 4      -> c
    # as if that batch was applied between the read of the ledger and the write
    set d fing 3
    reconcile        -> d
    reasons d        -> Batch 3 was forged without it
    wait ${forgingMaxMsDefault}
    reconcile        -> -
    wait 1
    reconcile        -> b c
    reasons b c      -> Batch 4 was not forged within ${forgingMaxMsDefault} ms
      ; Batch 4 was not forged within ${forgingMaxMsDefault} ms
    states a         -> fged3
    start b in 9     -> b
    wait ${tooLong}
    reconcile        -> b
  `)
  story(
    "with a batch that forged transactions selected for it or sent for another one, and left out sent ones",
    { transactions: four }
  )(`
    post a b c d
    start a c in 3     -> a c
    start b d in 4     -> b d
    done c in 3        -> c
    done b in 4        -> b
    forge 3 a b d
    states a b c d     -> fged3 fged3 pend fged3
    reasons c          -> Batch 3 was forged without it
    steps a            -> pend - Posted; fing 3 Selected for batch 3; fged 3 Forged in batch 3
  `)
  story(
    "with only the last batch while it is empty, and with each one as soon as it has transactions",
    { transactions: four }
  )(`
    forge 3, 4
    marks              -> 4 2 1
    post a b
    start a b in 9     -> a b
    done b in 9        -> b
    forge 5, 6
    marks              -> 6 5 4 2 1
    invalidate a in 6  -> a
    forge 7, 8
    marks              -> 8 7 6 5 4 2 1
  `)
  story("with a transaction that used a nonce while the other one with this nonce was invalid", {
    transactions: { a: {}, rival: { amount: 5n } }
  })(`
    post rival
    invalidate rival in 4  -> rival
    forge 3 a
    forge 4
    roll back 1
    states rival           -> invl3
    reasons rival          -> Nonce 0 of account 256 was used by another transaction in batch 3
  `)
  story("with any batch that forged, superseded or left out its transactions, each with a reason", {
    transactions: { ...four, beaten: { amount: 5n }, forging: { amount: 6n }, next: { nonce: 1n } }
  })(`
    post a b c d beaten forging next
    start forging c in 3  -> forging c
    start d in 4          -> d
    forge 3 a b>258
    states a b beaten forging c d next  -> fged3 invl3 invl3 invl3 pend fing4 pend
    reasons a b beaten forging c  -> Forged in batch 3
      ; A transaction with the same id and another destination was forged in batch 3
      ; Nonce 0 of account 256 was used by another transaction in batch 3
      ; Nonce 0 of account 256 was used by another transaction in batch 3
      ; Batch 3 was forged without it
  `)
  story("with a ledger whose history it does not know: all transactions are looked up there", {
    transactions: { ...four, next: { nonce: 1n }, rival: { amount: 5n }, later: { nonce: 2n } }
  })(`
    post a b c d next rival later
    bare forge 3 a next b
    forget marks
    set a fged 3
    set b fged 2
    set c fged 2
    set d fing 3
    set next fing 3
    reconcile  -> rival next b d c
    states a b c d next rival later  -> fged3 fged3 pend pend fged3 invl3 pend
    reasons a b c d  -> Set; Forged in batch 3; Batch 2 was forged without it
      ; Batch 3 was forged without it
  `)
  story("with a ledger that was rolled back further than one read covers", { transactions: four })(`
    post a b c
    forge 3 a
    start c in 200       -> c
    forge ${Array.from({ length: 130 }, (_, number) => number + 4).join(", ")}
    invalidate b in 4    -> b
    roll back 1
    states a b           -> fged3 pend
    reasons b c          -> Batches after 3 were rolled back; Batches after 3 were rolled back
    marks                -> 3 2 1
  `)
  story("from the first batch with a ledger that has none of its batches", { transactions: four })(`
    post a b
    forget marks
    bare forge 3 a
    reconcile     -> a
    marks         -> 3
    start b in 4  -> b
    bare roll back 1
    forge 3
    reasons a b   -> Batches after 0 were rolled back; Batches after 0 were rolled back
  `)
})

describe("the last batch of a transaction", () => {
  story(
    "bounds selection and forging; after it the transaction is invalid until a rollback, and then purged",
    {
      transactions: {
        a: { maxNumBatch: 3 },
        other: { nonce: 1n },
        unlimited: pay(257, 256, { maxNumBatch: 0 })
      }
    }
  )(`
    post a unlimited
    select 9       -> a unlimited
    start a in 4   -> -
    forge 3 unlimited
    select 9       -> -
    skipped        -> -
    steps a        -> pend - Posted; invl 3 Batch 3 is the last one that may forge it
    roll back 1
    states a       -> pend
    select 9       -> a unlimited
    forge 3
    forge 4
    purge 1000 ms batch 9 safety 1 capacity 9  -> -
    forge 5
    post other
    purge 1000 ms batch 9 safety 1 capacity 9  -> a
    reasons a      -> Purged: invalid since batch 3, 1 batches ago and more
    states other   -> pend
  `)
  story("is refused if it is forged or is not a batch number", {
    transactions: {
      two: { maxNumBatch: 2 },
      negative: { maxNumBatch: -1 },
      fraction: { maxNumBatch: 1.5 },
      large: { maxNumBatch: 2 ** 32 },
      last: { maxNumBatch: 2 ** 32 - 1 },
      other: { maxNumBatch: 4 }
    }
  })(`
    post two negative fraction large -> refused /maxNumBatch
    post last
    post last      -> known
    content last   -> last
    post other     -> conflict /id
  `)
})
