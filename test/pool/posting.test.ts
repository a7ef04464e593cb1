/* Posting transactions: what is stored, refused or full, also while the ledger and others change. */
import { describe } from "@effect/vitest"
import { exit, pay, story, toAddress, toKey } from "./_story.ts"
import { requestOf } from "./_groups.ts"
import { ownerOf, postedOf, wrongSignature } from "./_node.ts"
import { genesis } from "./_subject.ts"

const { publicKey } = ownerOf(7)
const given = {
  transactions: {
    a: {},
    moved: { toAccountIndex: 258 },
    signedAgain: { signature: "1".repeat(128) },
    leaving: exit,
    nothing: { toAddress: `0x${"0".repeat(40)}`, toPublicKey: "0".repeat(64) },
    rival: { amount: 7n },
    next: { nonce: 1n },
    third: { nonce: 2n },
    b: pay(257, 256),
    c: pay(258, 256)
  },
  groups: { g: "rival b" }
}

describe("posting a transaction", () => {
  story("stores it once, and refuses other content for its id", given)(`
    post a
    post a            -> known
    # values for "none" have no effect
    post nothing      -> known
    post moved        -> conflict /id
    post signedAgain  -> conflict /id
    post leaving      -> conflict /id
    message -> Property id has the value a: expected an unused id or the stored transaction:
      ... another transaction is stored under this id
    content a         -> a
    steps a           -> pend - Posted
  `)
  const request = requestOf(postedOf())
  story(
    "takes the values for none of a requested transaction as such, so that it is selected with it",
    {
      transactions: {
        a: {},
        linked: pay(257, 256, { request }),
        nothing: pay(257, 256, {
          request: { ...request, toAddress: `0x${"0".repeat(40)}`, toPublicKey: "0".repeat(64) }
        })
      }
    }
  )(`
    post nothing
    post linked  -> known
    post a
    select 9     -> linked a
  `)
  story("gives the same answer after the transaction was forged", given)(`
    post a
    select 9     -> a
    forge selection
    post a       -> known
    post rival   -> refused /nonce
  `)
  story("stops at the limit of an account and at that of the pool", {
    ...given,
    node: { pendingMax: 3, pendingPerAccountMax: 2, retryAfterSeconds: 7 }
  })(`
    post a next
    post third  -> poolfull pendingPerAccountMax
    message     -> Account 256 has 2 pending transactions, the maximum: try again in 7 seconds
    post b
    post c      -> poolfull pendingMax
    message     -> The pool has 3 pending transactions, the maximum: try again in 7 seconds
    post a      -> known
  `)
  story("reports every rule that a body breaks by itself, and then checks nothing further", {
    transactions: {
      all: {
        type: "Exit",
        toAccountIndex: 77,
        toAddress: ownerOf(7).address,
        toPublicKey: publicKey,
        amount: 2n ** 192n + 1n,
        fee: 256,
        nonce: 2n ** 40n,
        fromAccountIndex: 999,
        request: {
          fromAccountIndex: 256,
          toAccountIndex: null,
          toAddress: null,
          toPublicKey: null,
          tokenId: null,
          amount: 2n ** 40n + 1n,
          fee: 256,
          nonce: null
        }
      },
      typed: { ...exit, type: "Transfer" }
    }
  })(`
    post all -> refused /amount /amount /fee /nonce /toAccountIndex /toZkEthereumAddress /toBjj
      ... /requestTokenId /requestNonce /requestAmount /requestFee
    post typed -> refused /type
    message -> Property type has the value Transfer: expected Exit, the type for this destination
  `)
  story("names its members as the network does", {
    transactions: { named: { toAddress: ownerOf(7).address } },
    node: { network: { ...genesis.network, prefix: "hez" } }
  })(`
    post named -> refused /toHezEthereumAddress
  `)
  story("reports every rule that is broken against the ledger, before it verifies the signature", {
    transactions: {
      spent: { amount: 5n, fee: 0 },
      unknown: pay(999, 998, { tokenId: 44 }),
      otherToken: { tokenId: 1, signature: wrongSignature, amount: 10n ** 7n },
      otherReceiver: { toAccountIndex: 260, nonce: 1n, amount: 10n ** 16n },
      unsigned: { nonce: 1n, signature: wrongSignature, amount: 10n ** 16n },
      // a tenth of the amount, at a million dollars an ether
      low: { nonce: 1n, amount: 10n ** 11n },
      high: { nonce: 1n, amount: 10n ** 19n }
    },
    node: { minFeeUSD: 0.1, maxFeeUSD: 10_000 }
  })(`
    forge 3 spent
    post unknown        -> refused /fromAccountIndex /toAccountIndex /tokenId /fee:feeTooLow
    message -> 4 violations: Property fromAccountIndex has the value 999: expected an account that
      ... exists; Property toAccountIndex has the value 998: expected an account that exists;
      ... Property tokenId has the value 44: expected a registered token; Property fee has the value
      ... 126: expected a fee of at least 0.1 US dollars, not 0
    post otherToken     -> refused /tokenId /nonce /toAccountIndex:accountOfToken
    post otherReceiver  -> refused /toAccountIndex:accountOfToken
    post unsigned       -> refused /signature
    post low high       -> refused /fee:feeTooLow, refused /fee:feeTooBig
  `)
  story("accepts each destination", {
    transactions: {
      a: {},
      b: { ...exit, amount: 1n },
      c: { ...toAddress(7), amount: 2n },
      d: { ...toAddress(7), toAccountIndex: 0, amount: 3n },
      e: { ...toKey(publicKey), amount: 4n },
      f: { ...toKey(publicKey), toAccountIndex: 0, amount: 5n }
    }
  })(`
    post a b c d e f
  `)
})

describe("while a signature is verified", () => {
  const node = { pendingMax: 3, pendingPerAccountMax: 2 }
  const others = { ...given, node }
  story("the same or another transaction with its id is posted", others)(`
    while it verifies: post a
    post a -> known
    while it verifies: post leaving -> conflict /id
    post b
  `)
  story("another content takes its id", others)(`
    while it verifies: post moved
    post a  -> conflict /id
  `)
  story("others leave room, or fill the account", others)(`
    while it verifies: post next
    post a
    remove a next -> a next
    while it verifies: post next third
    post a  -> poolfull pendingPerAccountMax
  `)
  story("nothing is verified that is known, or that there is no room for", others)(`
    post a next
    verified    -> 2
    post a      -> known
    post third  -> poolfull pendingPerAccountMax
    post b
    verified    -> 3
    post c      -> poolfull pendingMax
    verified    -> 3
  `)
  story("another coordinator forges or supersedes it", {
    transactions: { a: {}, rival: { amount: 5n, nonce: 1n }, next: { nonce: 1n } }
  })(`
    while it verifies: forge 3 a
    post a
    while it verifies: forge 4 next
    post rival
    states a rival -> fged3 invl4
  `)
})

describe("a transaction that was posted while a batch used its nonce", () => {
  story(
    "is invalid, and pending again if the batch is rolled back before the pool is reconciled",
    given
  )(`
    while it verifies: bare forge 3 a
    post rival
    states rival  -> invl3
    bare roll back 1
    reconcile     -> rival
    states rival  -> pend
  `)
  story(
    "is forged, and pending again if the batch is rolled back before the pool is reconciled",
    given
  )(`
    while it verifies: bare forge 3 a
    post a
    states a   -> fged3
    bare roll back 1
    reconcile  -> a
    states a   -> pend
  `)
  story("is invalid with its group, and pending again if the batch is rolled back", given)(`
    while it verifies: bare forge 3 a
    post group g
    states rival b  -> invl3 invl3
    bare roll back 1
    reconcile       -> rival b
    states rival b  -> pend pend
  `)
  story(
    "stays pending if the batch is reconciled and rolled back before the result is written",
    given
  )(`
    while it verifies: bare forge 3 a
    before a write of rival: reconcile & bare roll back 1 & reconcile
    post rival
    reconcile     -> -
    states rival  -> pend
  `)
  story(
    "is invalid with the same block again, after a rollback whose reconciliation failed",
    given
  )(`
    forge 3 a
    break
    roll back 1     -> fails StoreFailure
    mend
    post rival a
    apply again
    states rival a  -> invl3 fged3
  `)
})

describe("a transaction that its coordinator reports as sent", () => {
  story("while a batch without it is reconciled is pending again", given)(`
    post a
    start a in 3  -> a
    # the coordinator has read the ledger before the batch
    before a write: set a fged 3
    forge 3
    states a      -> pend
  `)
})
