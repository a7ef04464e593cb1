/* What the ledger decides about transactions if the pool has not followed its batches. */
import { describe } from "@effect/vitest"
import { pay, story } from "./_story.ts"

/** A rival has the account and the nonce of `a`. */
const rivals = { a: {}, next: { nonce: 1n }, b: pay(257, 256), rival: { amount: 5n } }

describe("a pool that did not follow the ledger", () => {
  story("finds what was forged, and by which nonces others are invalid", { transactions: rivals })(`
    post a next b
    bare forge 3 rival
    bare forge 4 b
    forget marks
    reconcile             -> a b
    states a next b       -> invl3 pend fged4
    reasons a b           -> Nonce 0 of account 256 was used by another transaction in batch 3
      ; Forged in batch 4
    # nothing is left to decide
    forget marks
    reconcile             -> -
    bare roll back 2
    reconcile             -> b a
    states a next b       -> pend pend pend
  `)
  story("takes a transaction with the id, but another receiver, as another one", {
    transactions: { a: {} }
  })(`
    post a
    bare forge 3 a>258
    forget marks
    reconcile             -> a
    reasons a             -> Nonce 0 of account 256 was used by another transaction in batch 3
  `)
  story("takes the first of several reasons, and a forged transaction before any", {
    transactions: {
      early: { maxNumBatch: 3 },
      rival: { amount: 5n },
      late: pay(257, 256, { maxNumBatch: 4 }),
      other: pay(257, 256, { amount: 5n }),
      last: pay(258, 256, { maxNumBatch: 4 }),
      kept: pay(259, 256, { maxNumBatch: 6 })
    }
  })(`
    post early late last kept
    bare forge 3 other
    bare forge 4 rival last
    bare forge 5
    forget marks
    reconcile                  -> early late last
    states early late last     -> invl3 invl3 fged4
    states kept                -> pend
    reasons early              -> Batch 3 is the last one that may forge it
  `)
  story("finds accounts of senders and receivers that have another owner", {
    transactions: {
      received: pay(256, 262),
      exit: pay(257, 1, { type: "Exit" }),
      stays: pay(258, 263)
    }
  })(`
    bare forge 3 +7 +9
    post received exit stays
    bare roll back 1
    bare forge 3
    bare forge 4 +8 +9
    forget marks
    reconcile                     -> received
    states received exit stays    -> invl4 pend pend
    reasons received              -> Account 262 has belonged to another owner since batch 4
  `)
  story("takes a transaction as forged whose receiver had another owner before", {
    transactions: { a: pay(256, 262) }
  })(`
    bare forge 3 +7
    post a
    bare roll back 1
    bare forge 3 +8
    bare forge 4 a
    forget marks
    reconcile  -> a
    states a   -> fged4
  `)
  const many = Array.from(
    { length: 230 },
    (_, nonce) => [`n${nonce}`, { nonce: BigInt(nonce), amount: 1n }] as const
  )
  const rest = many.slice(1).map(([name]) => name)
  story("finds a nonce before any number of later transactions of the account", {
    transactions: { ...Object.fromEntries(many), a: { amount: 7n } }
  })(`
    post a
    bare forge 3 n0
    bare forge 4 ${rest.slice(0, 115).join(" ")}
    bare forge 5 ${rest.slice(115).join(" ")}
    forget marks
    reconcile             -> a
    reasons a             -> Nonce 0 of account 256 was used by another transaction in batch 3
  `)
  const members = {
    a: {},
    b: pay(257, 256),
    c: pay(258, 256),
    rival: pay(257, 256, { amount: 5n })
  }
  story("decides about a group as a whole, by the first batch that uses a nonce of it", {
    transactions: members,
    groups: { g: "a b c" }
  })(`
    post group g
    bare forge 3 rival
    bare forge 4 a
    forget marks
    reconcile             -> a b c
    states a b c          -> fged4 invl3 invl3
    reasons c             -> Transaction b of its group is invalid since batch 3
    forget marks
    reconcile             -> -
    bare roll back 1
    reconcile             -> a b c
    states a b c          -> invl3 invl3 invl3
    reasons a             -> Transaction b of its group is invalid since batch 3
  `)
  story("decides about a group by a forged transaction, if that is the first one", {
    transactions: members,
    groups: { g: "a b c" }
  })(`
    post group g
    bare forge 3 a
    bare forge 4 rival
    forget marks
    reconcile             -> a b c
    states a b c          -> fged3 invl3 invl3
    reasons b             -> Transaction a of its group is forged since batch 3
  `)
})
