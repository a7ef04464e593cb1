import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { later } from "../../adapters/client/mod.ts"
import {
  InvalidExit,
  InvalidTransaction,
  NotForged,
  type WalletAccount,
  walletFromSeed
} from "../../adapters/wallet/mod.ts"
import { formatPublicKey, publicKeyToBigEndianHex } from "../../core/encoding/mod.ts"
import { rejection } from "../_rejection.ts"
import { connectTo, type LiveNetwork, openLiveNetwork } from "./_live_network.ts"

let live: LiveNetwork
let account: WalletAccount
let exit: later.Exit
beforeAll(async () => {
  live = await openLiveNetwork()
  account = await live.rollup.account(live.demo, "ETH")
  await (await account.exit({ amount: "0.5" })).forged()
  exit = (await account.exits())[0]!
})
afterAll(() => live.close())

describe("Withdrawing", () => {
  it("returns the arguments of the contract, after the proof was verified", async () => {
    const exitRoot = BigInt(exit.merkleProof.root)
    const data = await account.withdrawData(exit, { exitRoot })
    assert.deepStrictEqual(Object.values(data), [
      0,
      5n * 10n ** 17n,
      BigInt(`0x${publicKeyToBigEndianHex(live.simulation.demoWallet.publicKey)}`),
      exit.batchNum,
      exit.merkleProof.siblings.map(BigInt),
      account.index,
      true
    ])
    assert.deepStrictEqual(await account.withdrawData(exit, { instant: false }), {
      ...data,
      instant: false
    })
  })

  it("refuses an exit whose proof does not lead to the exit root", async () => {
    const { merkleProof } = exit
    const forged: ReadonlyArray<readonly [later.Exit, { readonly exitRoot?: bigint }]> = [
      [{ ...exit, balance: "500000000000000001" }, {}],
      [{ ...exit, merkleProof: { ...merkleProof, siblings: ["1", ...merkleProof.siblings] } }, {}],
      [{ ...exit, merkleProof: { ...merkleProof, key: "256" } }, {}],
      [exit, { exitRoot: 1n }]
    ]
    for (const [exit, options] of forged) {
      const error = await rejection(account.withdrawData(exit, options))
      assert.instanceOf(error, InvalidExit)
      assert.match(error.message, /does not lead from \d+ units of token 0 to the exit root \d+/u)
    }
  })

  it("an internal account cannot exit, since no Ethereum address could withdraw", async () => {
    const internal = walletFromSeed("16".repeat(32))
    const to = formatPublicKey("zk", internal.publicKey)
    await (await account.transfer({ to, amount: "0.1" })).forged()
    const inside = await live.rollup.account(internal, "ETH")
    const error = await rejection(inside.exit({ amount: "0.05" }))
    assert.instanceOf(error, InvalidTransaction)
    assert.match(error.message, /since an internal account cannot withdraw$/u)
  })
})

describe("Waiting for a batch", () => {
  it("continues while the server is unavailable", async () => {
    let failures = 0
    const rollup = await connectTo(live, {
      retriesMax: 0,
      fetch: async (request) => {
        if (request.url.includes("/transactions-pool/") && failures++ < 3) {
          throw new Error("connection reset")
        }
        return live.fetch(request)
      }
    })
    const { id } = await account.transfer({ to: "zk:ETH:256", amount: "0.1" })
    const { batchNum } = await rollup.transaction(id).forged()
    assert.isAbove(batchNum, 0)
    assert.isAbove(failures, 3)
  })

  it("ends if the transaction is invalid, and its nonce is free again", async () => {
    const rollup = await connectTo(live, {
      fetch: async (request) => {
        const response = await live.fetch(request)
        if (!request.url.includes("/transactions-pool/")) return response
        const { headers } = response
        const body = (await response.text()).replace(/"state":"\w+"/u, '"state":"invl"')
        return new Response(body, { headers })
      }
    })
    const account = await rollup.account(live.demo, "ETH")
    const request = { to: "zk:ETH:256", amount: "0.1", fee: 0 }
    const { nonce } = await account.build(request)
    const sent = await account.transfer(request)
    assert.strictEqual((await account.build(request)).nonce, nonce + 1n)
    const error = await rejection(sent.forged())
    assert.instanceOf(error, NotForged)
    assert.match(error.message, /^Transaction 0x02[0-9a-f]{64} is invalid/u)
    assert.strictEqual((await account.build(request)).nonce, nonce)
  })
})
