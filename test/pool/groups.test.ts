/* The life of atomic groups, and of transactions that require others in the same batch. */
import { describe } from "@effect/vitest"
import { pay, story } from "./_story.ts"
import { wrongSignature } from "./_node.ts"

const noSpace = "the batch has no space for all transactions that require each other"
const notSeen = "it would be more than 4 positions before or 3 after the one that requires it"
const two = { a: { fee: 130 }, b: pay(257, 256, { fee: 100 }), rival: { amount: 5n } }
const given = { transactions: two, groups: { g: "a b" } }

describe("an atomic group", () => {
  story("is refused if other content is stored under one of its ids", {
    transactions: { ...two, otherB: { ...two.b, signature: "1".repeat(128) } },
    groups: { g: "a b", other: "a otherB" }
  })(`
    post a
    post group g      -> conflict /atomicGroupId
    states a b        -> pend gone
    remove a          -> a
    post group g
    post group other  -> conflict /atomicGroupId
    # a transaction alone does not replace that of the group
    post b            -> conflict /id
  `)
  story("is refused with the violations of all its transactions, or all invalid signatures", {
    transactions: {
      a: { toAccountIndex: 999 },
      b: pay(998, 256),
      c: { signature: wrongSignature },
      d: pay(257, 256, { signature: wrongSignature })
    },
    groups: { g: "a b", unsigned: "c d" }
  })(`
    post group g -> refused /transactions/0/toAccountIndex /transactions/1/fromAccountIndex
    post group unsigned -> refused /transactions/0/signature /transactions/1/signature
  `)
  story("needs space for all its transactions, which is found before signatures are verified", {
    ...given,
    transactions: { ...two, c: pay(258, 257) },
    node: { pendingMax: 2 }
  })(`
    post c
    verified      -> 1
    post group g  -> poolfull pendingMax
    verified      -> 1
    states a b    -> gone gone
    remove c      -> c
    post group g
  `)
  // fees of nothing and of as many units as the amount, at a million US dollars for 10^18
  story("needs an average fee within the bounds", {
    transactions: {
      free: { fee: 0 },
      free2: pay(257, 256, { fee: 0 }),
      fit: pay(257, 256, { fee: 192, amount: 2_000_000n }),
      dear: pay(257, 256, { fee: 192, amount: 8_000_000n })
    },
    groups: { low: "free free2", high: "free dear", fits: "free fit" },
    node: { minFeeUSD: 0.5e-6, maxFeeUSD: 3e-6 }
  })(`
    post group low   -> refused /transactions:feeTooLow
    post group high  -> refused /transactions:feeTooBig
    post group fits
  `)
  story("is selected in its order at its average fee, or not at all", {
    transactions: {
      ...two,
      between: pay(258, 257, { fee: 120 }),
      dear: pay(258, 257, { fee: 129, nonce: 1n }),
      cheap: pay(259, 258, { fee: 99 })
    },
    groups: { g: "a b" }
  })(`
    post group g
    post between dear cheap
    select 9  -> between dear a b cheap
    select 3  -> between dear cheap
    skipped   -> 18 The transaction b of its group cannot be forged in the same batch: ${noSpace}
      ; 17 ${noSpace}
  `)
  story(
    "is invalid since the first batch that uses a nonce of it, until that batch is rolled back",
    given
  )(`
    post group g
    forge 3 rival
    states a b    -> invl3 invl3
    reasons b     -> Transaction a of its group is invalid since batch 3
    # another node forges the second one alone
    forge 4 b
    states a b    -> invl3 fged4
    roll back 1
    states a b    -> invl3 invl3
    roll back 1
    states a b    -> pend pend
    select 9      -> a b
    # another node forges a part of it
    forge 3 a
    states a b    -> fged3 invl3
    roll back 1
    states a b    -> pend pend
  `)
  story(
    "becomes invalid and leaves the pool as a whole; none of its transactions can be replaced",
    given
  )(`
    post group g
    replace a by rival  -> nothingtoreplace
    message             -> Transaction a belongs to group g: it cannot be replaced alone
    invalidate b in 3   -> b a
    states a b          -> invl3 invl3
    release 2           -> a b
    remove a            -> a b
    states a b          -> gone gone
    post group g
    forge 3 rival
    forge 4 b
    # one of them may still be rolled back to invalid
    purge 1000 ms batch 9 safety 0 capacity 100  -> -
    remove a            -> -
    forge 5
    purge 1000 ms batch 9 safety 0 capacity 100  -> b a
    states a b          -> gone gone
  `)
})

const linked = {
  transactions: {
    m: pay(257, 256, { fee: 121 }),
    n: pay(258, 256, { fee: 120 }),
    dear: { fee: 150, requires: "m" },
    dearer: { fee: 151, requires: "n" },
    cheap: { fee: 90, requires: "m" },
    cheaper: { fee: 89, requires: "n" }
  },
  groups: { g: "m n" }
}

describe("a transaction that requires one of a group", () => {
  story("is selected after it if a circuit does not see that far ahead, also through another one", {
    transactions: {
      ...Object.fromEntries(
        [0, 1, 2, 3, 4, 5, 6, 7].map((
          place
        ) => [`m${place}`, pay(258, 256, { nonce: BigInt(place) })])
      ),
      early: { fee: 150, requires: "m3" },
      late: { fee: 151, requires: "m4" },
      second: pay(257, 256, { fee: 80, requires: "m5" }),
      first: pay(259, 256, { fee: 152, requires: "second" })
    },
    groups: { g: "m0 m1 m2 m3 m4 m5 m6 m7" }
  })(`
    post group g
    post late
    select 9       -> m0 m1 m2 m3 m4 m5 m6 m7 late
    remove late    -> late
    post early
    select 9       -> m0 m1 m2 m3 m4 m5 m6 m7
    skipped early  -> 18 The requested transaction cannot be forged in the same batch: ${notSeen}
    remove early   -> early
    post first second
    select 10      -> m0 m1 m2 m3 m4 m5 m6 m7 second first
  `)
  story("stays pending with a reason if the group has no space, or is not in the pool", linked)(`
    post group g
    post dear
    # the group has space without it
    select 2      -> m n
    skipped dear  -> 18 The requested transaction n cannot be forged in the same batch: ${noSpace}
    remove m      -> m n
    select 9      -> -
    skipped dear
      -> 18 The requested transaction cannot be forged in the same batch: it is not pending
    states dear   -> pend
  `)
})
