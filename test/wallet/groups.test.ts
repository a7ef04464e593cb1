import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { rollupClient, valueOf } from "../../adapters/client/mod.ts"
import { openNode } from "../../app/embed/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import {
  connect,
  floorAmount,
  InvalidTransaction,
  type SignedGroup,
  walletFromSeed
} from "../../adapters/wallet/mod.ts"
import type { PostedTransaction } from "../../core/domain/mod.ts"
import { formatPublicKey } from "../../core/encoding/mod.ts"
import { rejection } from "../_rejection.ts"
import { type LiveNetwork, openLiveNetwork } from "./_live_network.ts"

/* Atomic groups that the wallet builds and signs, posted to revision v1. */

let live: LiveNetwork
beforeAll(async () => {
  live = await openLiveNetwork()
})
afterAll(() => live.close())

const accountOf = (symbol: string) => live.rollup.account(live.demo, symbol)
const client = () => rollupClient({ url: "http://node/v1", revision: "v1", fetch: live.fetch })
const keyText = (publicKey: string) => formatPublicKey("zk", publicKey)
const receiver = keyText(walletFromSeed("21".repeat(32)).publicKey)

/** Posts a group and returns the batch that contains all of it. */
const forgedIn = async ({ body }: SignedGroup): Promise<number> => {
  const ids = valueOf(await client().postAtomicGroup(body))
  assert.deepStrictEqual(ids, body.transactions.map(({ id }) => id))
  const batches = new Set<number>()
  for (const id of ids) batches.add((await live.rollup.transaction(id).forged()).batchNum)
  assert.strictEqual(batches.size, 1)
  return [...batches][0]!
}

/** Returns the error of a group that is refused before it is posted. */
const refusal = (call: () => unknown): InvalidTransaction => {
  try {
    call()
  } catch (error) {
    if (error instanceof InvalidTransaction) return error
    throw error
  }
  throw new Error("It was signed, expected a refusal")
}

describe("A group that a wallet signs", () => {
  it("is forged in one batch: transfers of several accounts, and several of one account", async () => {
    const [ether, gov] = [await accountOf("ETH"), await accountOf("GOV")]
    const first = await ether.build({ to: receiver, amount: "0.5", fee: 0 })
    const second = await ether.build({ to: receiver, amount: "0.25", fee: 0 }, { after: [first] })
    assert.strictEqual(second.nonce, first.nonce + 1n)
    const third = await gov.build({ to: receiver, amount: "2", fee: 0 }, { after: [first, second] })
    const signed = live.rollup.signGroup([first, second, third], [ether, gov])
    assert.isAbove(await forgedIn(signed), 0)
    const balances = (await live.rollup.accounts(walletFromSeed("21".repeat(32)))).map(
      async (account) => [account.token.symbol, (await account.read()).balance]
    )
    assert.deepStrictEqual(Object.fromEntries(await Promise.all(balances)), {
      ETH: "750000000000000000",
      GOV: "2000000000000000000"
    })
  })

  it("is signed by each of two parties for itself", async () => {
    const [ether, gov] = [await accountOf("ETH"), await accountOf("GOV")]
    const other = walletFromSeed("22".repeat(32))
    const opening = await ether.transfer({ to: keyText(other.publicKey), amount: "1", fee: 0 })
    await opening.forged()
    const others = await live.rollup.account(other, "ETH")

    const pays = await gov.build({ to: keyText(other.publicKey), amount: "3", fee: 0 })
    const gets = await others.build({ to: ether.accountIndex, amount: "0.5", fee: 0 })
    const ofOther = live.rollup.signGroup([pays, gets], [others])
    // the group is not complete yet: the first transaction is signed without its link
    const incomplete = await client().postAtomicGroup(ofOther.body)
    assert(!incomplete.ok && incomplete._tag === "Refused")
    assert.deepStrictEqual(
      incomplete.problem.errors?.map(({ pointer }) => pointer),
      ["/transactions/0/signature"]
    )
    const complete = live.rollup.signGroup([pays, ofOther.group.transactions[1]!], [gov])
    assert.strictEqual(complete.group.id, ofOther.group.id)
    assert.isAbove(await forgedIn(complete), 0)
    assert.strictEqual((await others.read()).balance, "500000000000000000")
  })

  it("may have from 2 to 32 transactions", async () => {
    const gov = await accountOf("GOV")
    for (const length of [2, 3, 4, 5, 6, 7, 31, 32]) {
      const after: Array<PostedTransaction> = []
      for (let i = 0; i < length; i++) {
        after.push(await gov.build({ to: receiver, amount: 1n, fee: 0 }, { after }))
      }
      const signed = live.rollup.signGroup(after, [gov])
      assert.strictEqual(signed.group.transactions.length, length)
      if (length === 5 || length === 32) await forgedIn(signed)
    }
  })

  it("is refused with every rule that it breaks, and nothing is posted", async () => {
    const [ether, gov] = [await accountOf("ETH"), await accountOf("GOV")]
    const [one, two] = [
      await ether.build({ to: receiver, amount: "0.1", fee: 0 }),
      await gov.build({ to: receiver, amount: "0.1", fee: 0 })
    ]
    const later = await ether.build({ to: receiver, amount: "0.1", nonce: one.nonce + 5n, fee: 0 })
    const before = live.requests.length
    const cases: ReadonlyArray<readonly [call: () => unknown, RegExp]> = [
      [() => live.rollup.signGroup([], []), /expected two or more transactions/u],
      [() => live.rollup.signGroup([one], [ether]), /expected two or more transactions/u],
      [() => live.rollup.signGroup([one, one], [ether]), /an id that no earlier transaction/u],
      [
        () => live.rollup.signGroup([one, later], [ether]),
        /^Item 1 of transactions: Property nonce .*expected \d+, the nonce after that of the sender's previous/u
      ],
      [
        () => live.rollup.signGroup([one, { ...two, amount: 2n ** 40n + 1n }], [ether, gov]),
        /Item 1 of transactions: Property amount .* at most 35 significant bits/u
      ],
      [
        () => live.rollup.signGroup(Array.from({ length: 33 }, () => one), [ether]),
        /expected at most 32 transactions/u
      ],
      [
        () => gov.sign(one),
        /fromAccountIndex has the value \d+: expected \d+, the account that signs/u
      ]
    ]
    for (const [call, message] of cases) assert.match(refusal(call).message, message)
    assert.strictEqual(live.requests.length, before)
  })

  it("leaves the balance and the nonces to transactions after it", async () => {
    const gov = await accountOf("GOV")
    const { balance } = await gov.read()
    const half = await gov.build({
      to: receiver,
      amount: floorAmount(BigInt(balance) / 2n),
      fee: 0
    })
    const again = gov.build(
      { to: receiver, amount: floorAmount(half.amount + 10n ** 18n), fee: 0 },
      { after: [half] }
    )
    const error = await rejection(again)
    assert(error instanceof InvalidTransaction)
    assert.match(error.message, /at most the \d+ units that the account can send/u)
  })
})

describe("The group of a signed group", () => {
  it("is the group that submitGroup of an embedded node takes", async () => {
    const simulation = simulate({ seed: 1, placeholderRoots: true })
    await using node = await openNode({ genesis: simulation.genesis })
    while (simulation.demoAccounts().length < 2) await node.applyRecord(simulation.next())
    const rollup = await connect({ url: "http://node", fetch: node.fetch })
    const accounts = await rollup.accounts(walletFromSeed(simulation.demoWallet.privateKey))
    const transactions = []
    for (const account of accounts) {
      transactions.push(await account.build({ to: receiver, amount: 1n, fee: 0 }))
    }
    const { body, group } = rollup.signGroup(transactions, accounts)
    const ids = transactions.map(({ id }) => id)
    assert.deepStrictEqual(await node.submitGroup(group), { ids, stored: true })
    // the body is the same group
    const client = rollupClient({ url: "http://node/v1", revision: "v1", fetch: node.fetch })
    assert.deepStrictEqual(valueOf(await client.postAtomicGroup(body)), ids)
  })
})

describe("A group with the names of another network", () => {
  it("is accepted by its server", async () => {
    const other = await openLiveNetwork("hez")
    try {
      const { demo, rollup } = other
      const accounts = await rollup.accounts(demo)
      const to = `hez:0x${"23".repeat(20)}`
      const transactions = []
      for (const account of accounts) {
        transactions.push(await account.build({ to, amount: 1n, fee: 0 }))
      }
      const { body } = rollup.signGroup(transactions, accounts)
      assert.property(body.transactions[0], "requestToHezEthereumAddress")
      const response = await other.fetch(
        new Request("http://node/v1/atomic-pool", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(
            body,
            (_, value) => typeof value === "bigint" ? Number(value) : value
          )
        })
      )
      assert.strictEqual(response.status, 200, await response.text())
    } finally {
      await other.close()
    }
  })
})
