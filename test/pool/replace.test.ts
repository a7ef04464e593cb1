/* Replacing a pending or invalid transaction, by another one or by other content under its id. */
import { describe } from "@effect/vitest"
import { exit, pay, story, toAddress } from "./_story.ts"
import { wrongSignature } from "./_node.ts"

const given = {
  transactions: {
    old: {},
    better: { fee: 140 },
    third: { fee: 150 },
    next: { nonce: 1n },
    fourth: { fee: 160 },
    elsewhere: pay(258, 257, { fee: 140 }),
    unsigned: { fee: 140, signature: wrongSignature },
    rival: { fee: 0 }
  }
}

describe("replacing a transaction", () => {
  story("is possible in a full pool for a pending one, and within the limits for an invalid one", {
    ...given,
    node: { pendingMax: 1 }
  })(`
    post old
    replace old by better
    invalidate better in 2  -> better
    post next
    replace better by third -> poolfull pendingMax
    remove next             -> next
    replace better by third
  `)
  story(
    "refuses another sender or nonce, a wrong signature, and what is not there or is forging",
    given
  )(`
    replace old by better     -> nothingtoreplace
    message                   -> There is no transaction old in the pool
    post old
    replace old by next       -> refused /nonce
    replace old by elsewhere  -> refused /fromAccountIndex:replacedSender
    replace old by unsigned   -> refused /signature
    select 9                  -> old
    start old in 3            -> old
    replace old by better     -> nothingtoreplace
    message -> Transaction old is forging: only a pending or invalid transaction can be replaced
    forge selection
    states old                -> fged3
    replace old by better     -> nothingtoreplace
    message -> Transaction old is forged: only a pending or invalid transaction can be replaced
  `)
  story("finds it by sender and nonce: the newest pending one, then an invalid one", given)(`
    post next elsewhere
    replace 256/0 by better  -> nothingtoreplace
    message -> There is no transaction of account 256 with nonce 0 in the pool
    post old
    replace 256/0 by better
    states old better        -> gone pend
    invalidate better in 2   -> better
    post old third
    replace 256/0 by fourth
    states better old third fourth  -> invl2 pend gone pend
    start old fourth in 3    -> old fourth
    replace 256/0 by third
    states better third      -> gone pend
    start third in 3         -> third
    replace 256/0 by better  -> nothingtoreplace
    states next elsewhere    -> pend pend
  `)
  story("is refused if the account of the sender is gone", {
    transactions: { a: pay(262, 257), b: pay(262, 257, { fee: 140 }) }
  })(`
    forge 3 +8
    post a
    roll back 1
    replace a by b  -> refused /fromAccountIndex
  `)
})

const signed = (digit: string) => ({ toAccountIndex: 258, signature: digit.repeat(128) })
const member = { signature: "e".repeat(128) }
const corrected = {
  transactions: {
    old: {},
    one: signed("1"),
    two: { ...signed("2"), toAccountIndex: 257, maxNumBatch: 9 },
    three: { ...signed("3"), ...toAddress(7) },
    four: { ...signed("4"), ...exit },
    // the same content as others, in other notation or signed again
    oldUpper: { signature: "0".repeat(128) },
    oneAgain: { ...signed("d"), maxNumBatch: 20 },
    a: signed("a"),
    aUpper: { ...signed("A") },
    b: { ...signed("b"), toAccountIndex: 257 },
    c: signed("c"),
    early: { ...signed("6"), maxNumBatch: 3 },
    late: { ...signed("7"), maxNumBatch: 3 },
    unsigned: signed("f"),
    better: { fee: 140 },
    m: { nonce: 5n },
    n: pay(257, 256),
    otherM: { nonce: 5n, toAccountIndex: 258, ...member }
  },
  groups: { g: "m n" }
}

describe("correcting a transaction under its id", () => {
  story(
    "replaces the destination or the last batch, by id and by nonce, each content once",
    corrected
  )(`
    post old
    replace old by one
    replace old by one      -> known
    content old             -> one
    replace 256/0 by two
    replace 256/0 by two    -> known
    replace old by three
    replace old by three    -> known
    replace 256/0 by four
    replace 256/0 by four   -> known
    content old             -> four
    states old              -> pend
    # a post without replacement is a conflict, as before
    post old                -> conflict /id
    pending                 -> 1
    steps old               -> pend - Posted
      ; null - Replaced under the same id: the signature was ${"0".repeat(128)}; pend - Posted
      ; null - Replaced under the same id: the signature was ${"1".repeat(128)}; pend - Posted
      ; null - Replaced under the same id: the signature was ${"2".repeat(128)}; pend - Posted
      ; null - Replaced under the same id: the signature was ${"3".repeat(128)}; pend - Posted
  `)
  story(
    "refuses content that was replaced, so that nobody but its sender can bring it back",
    corrected
  )(`
    post old
    replace old by a
    replace old by b
    replace old by c
    replace old by old      -> conflict /id
    replace 256/0 by a      -> conflict /id
    replace old by aUpper   -> conflict /id
    replace 256/0 by b      -> conflict /id
    content old             -> c
    # the sender signs it again, with another last batch
    replace old by oneAgain
  `)
  story("is not undone by other clients after the correction has left the pool", corrected)(`
    post old
    replace old by one
    replace old by two
    remove old              -> old
    post old                -> conflict /id
    post better
    replace better by one   -> conflict /id
    states old              -> gone
    post two
    content old             -> two
  `)
  story(
    "is selected and forged with its new content, also if a selection has seen the old one",
    corrected
  )(`
    post old
    select 9                 -> old
    replace old by one
    start old in 3           -> -
    start =old in 3          -> -
    select 9                 -> old
    start =old in 3          -> -
    start old in 3           -> old
    replace old by two       -> conflict /id
    message -> Property id has the value old: expected the id of a pending or invalid transaction:
      ... this one is being forged
    forge selection
    states old               -> fged3
    replace 256/0 by three   -> conflict /id
    message -> Property id has the value old: expected the id of a pending or invalid transaction:
      ... this one is forged
    # a rollback reopens the new content
    roll back 1
    states old               -> pend
    content old              -> one
    replace old by four
  `)
  story(
    "is invalid if another node forges the old content, and pending again after a rollback",
    corrected
  )(`
    post old
    replace old by one
    forge 3 old
    states old   -> invl3
    roll back 1
    states old   -> pend
    content old  -> one
  `)
  story("makes an expired one pending again with a later last batch", corrected)(`
    post early
    forge 3
    states early           -> invl3
    replace early by late -> refused /maxNumBatch
    replace early by two
    states early           -> pend
  `)
  story(
    "is refused with a wrong signature, under the id of another one, and in a group",
    corrected
  )(`
    post old better
    replace old by unsigned  -> refused /signature
    replace better by one    -> conflict /id
    post group g
    replace m by otherM      -> conflict /id
    # of two with one nonce, the one of the posted id
    replace 256/0 by one
  `)
})

describe("correcting a transaction compares what it read when it writes", () => {
  story("if forging starts", corrected)(`
    post old
    select 9            -> old
    while it verifies: start old in 3 -> old
    replace old by one  -> conflict /id
    content old         -> old
    pending             -> 0
  `)
  story("if it is removed", corrected)(`
    post old
    while it verifies: remove old -> old
    replace old by one  -> nothingtoreplace
    states old          -> gone
  `)
  story("if the same or a later correction arrives", corrected)(`
    post old
    while it verifies: replace old by one
    replace old by one  -> known
    while it verifies: replace old by two
    replace old by three
    content old         -> three
    pending             -> 1
  `)
})
