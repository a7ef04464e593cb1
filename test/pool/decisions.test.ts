/* What the ledger decides about transactions if the pool has not followed its batches. */
import { describe } from "@effect/vitest"
import { pay, story } from "./_story.ts"

describe("a pool that did not follow the ledger", () => {
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
})
