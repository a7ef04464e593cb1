/* The rules of a posted group that are independent of the ledger. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { bodyReader, v1, wireContext } from "../../core/contract/mod.ts"
import type { GroupedTransaction, PostedGroup } from "../../core/domain/mod.ts"
import { completeGroup, groupFaults } from "../../core/use_cases/pool/submission/_group_rules.ts"
import { refuseFor } from "../../core/use_cases/pool/submission/_posted_rules.ts"
import { network } from "../clients/_node.ts"
import { groupOf, idOfGroup } from "./_groups.ts"
import { postedOf } from "./_node.ts"

const faultsOf = (group: PostedGroup) =>
  groupFaults(completeGroup(group), refuseFor({ prefix: "zk" }), keccak256).map((
    { parameter, ruleName }
  ) => ruleName === undefined ? parameter : `${parameter} ${ruleName}`)

const three = [
  postedOf(),
  postedOf({ fromAccountIndex: 257, toAccountIndex: 258 }),
  postedOf({ fromAccountIndex: 258, toAccountIndex: 256 })
]
const group = groupOf(three)

/** Returns the group with a changed transaction, and the id of the changed group. */
const changed = (position: number, parts: Partial<GroupedTransaction>): PostedGroup => {
  const transactions = group.transactions.map((each, i) =>
    i === position ? { ...each, ...parts } : each
  )
  return { id: idOfGroup(transactions), transactions }
}
const requestOf = (position: number) => group.transactions[position]!.request!

describe("the rules of a group", () => {
  it("accept exactly the groups of the vectors that the published client and circuit accept", () => {
    const read = bodyReader(v1.bodies.group, wireContext(network, keccak256))
    const { cases } = JSON.parse(
      readFileSync(new URL("../vectors/atomic-groups.json", import.meta.url), "utf8")
    ) as { readonly cases: ReadonlyArray<{ readonly postBody: object; groupAccept: boolean }> }
    for (const [number, { groupAccept, postBody }] of cases.entries()) {
      const posted = Result.getOrThrow(read(JSON.stringify(postBody)))
      // their nonces are random: some could not be forged after each other
      const faults = faultsOf(posted).filter((fault) => !fault.endsWith("/nonce"))
      assert.strictEqual(faults.length === 0, groupAccept, `${number}: ${faults.join(", ")}`)
    }
  })

  it("require two to 32 transactions", () => {
    const one = { ...group.transactions[0]!, requestOffset: 1 }
    assert.deepStrictEqual(faultsOf({ id: idOfGroup([one]), transactions: [one] }), [
      "/transactions singleTransaction",
      "/transactions/0/requestOffset requestOutsideGroup"
    ])
    const many = (length: number) =>
      groupOf(Array.from({ length }, (_, nonce) => postedOf({ nonce: BigInt(nonce) })))
    assert.deepStrictEqual(faultsOf(many(32)), [])
    assert.deepStrictEqual(faultsOf(many(33)), ["/transactions"])
  })

  it("recompute the id from the ids of the transactions in their order", () => {
    assert.deepStrictEqual(faultsOf(group), [])
    const { id } = groupOf(three.toReversed())
    assert.deepStrictEqual(faultsOf({ ...group, id }), ["/atomicGroupId groupId"])
  })

  it("require that the offset names a transaction of the group, and the request its fields", () => {
    for (const requestOffset of [0, 8, 1.5, -1]) {
      assert.deepStrictEqual(faultsOf(changed(0, { requestOffset })), [
        "/transactions/0/requestOffset requestOffset"
      ])
    }
    for (const requestOffset of [3, 4, 7]) {
      assert.deepStrictEqual(faultsOf(changed(0, { requestOffset })), [
        "/transactions/0/requestOffset requestOutsideGroup"
      ])
    }
    const others = {
      fromAccountIndex: 300,
      toAccountIndex: null,
      toAddress: `0x${"1".repeat(40)}`,
      toPublicKey: "1".repeat(64),
      tokenId: 1,
      amount: 7n,
      fee: 1,
      nonce: 7n
    }
    const names = [
      "FromAccountIndex",
      "ToAccountIndex",
      "ToZkEthereumAddress",
      "ToBjj",
      "TokenId",
      "Amount",
      "Fee",
      "Nonce"
    ].map((name) => `/transactions/1/request${name}`)
    assert.deepStrictEqual(faultsOf(changed(1, { request: others })), names)
    for (const [position, [name, value]] of Object.entries(others).entries()) {
      const request = { ...requestOf(1), [name]: value }
      assert.deepStrictEqual(faultsOf(changed(1, { request })), [names[position]])
    }
    // no request is a request of nothing; an empty destination is none
    assert.isNotEmpty(faultsOf(changed(1, { request: null })))
    const request = { ...requestOf(1), toAddress: `0x${"0".repeat(40)}` }
    assert.deepStrictEqual(faultsOf(changed(1, { request })), [])
  })

  it("take the requests from the transactions that the offsets name, if all are missing", () => {
    const transactions = group.transactions.map((each) => ({ ...each, request: null }))
    assert.deepStrictEqual(completeGroup({ ...group, transactions }), completeGroup(group))
    const [one] = transactions
    const alone = { id: group.id, transactions: [one!] }
    assert.isNull(completeGroup(alone).transactions[0]!.request)
  })

  it("require that all transactions are connected", () => {
    const pair = groupOf([three[0]!, three[1]!]).transactions
    const other = groupOf([three[2]!, postedOf({ fromAccountIndex: 259 })]).transactions
    const two = [...pair, ...other]
    assert.deepStrictEqual(faultsOf({ id: idOfGroup(two), transactions: two }), [
      "/transactions notAtomic"
    ])
    // the third requires the second, and nothing requires it
    const tail = [...pair, { ...three[2]!, request: requestOf(2), requestOffset: 7 }]
    assert.deepStrictEqual(faultsOf({ id: idOfGroup(tail), transactions: tail }), [
      "/transactions notAtomic"
    ])
  })

  it("require consecutive nonces of a sender, and no transaction twice", () => {
    const nonces = (...all: ReadonlyArray<bigint>) =>
      faultsOf(groupOf(all.map((nonce) => postedOf({ nonce }))))
    assert.deepStrictEqual(nonces(4n, 5n, 6n), [])
    assert.deepStrictEqual(nonces(4n, 6n), ["/transactions/1/nonce"])
    assert.deepStrictEqual(nonces(5n, 4n), ["/transactions/1/nonce"])
    assert.deepStrictEqual(nonces(4n, 4n), ["/transactions/1/id"])
  })

  it("are those of single transactions, too", () => {
    assert.deepStrictEqual(faultsOf(groupOf([three[0]!, { ...three[1]!, type: "Exit" }])), [
      "/transactions/1/type"
    ])
  })
})
