import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { rollupClient } from "../../adapters/client/mod.ts"
import { authorizationTypedData, signAuthorization } from "../../adapters/crypto/mod.ts"
import {
  connect,
  floorAmount,
  InvalidKey,
  InvalidTransaction,
  NoAccount,
  NotForged,
  RequestFailed,
  unitsOf,
  walletFromEthereumKey,
  walletFromSeed
} from "../../adapters/wallet/mod.ts"
import { feeFactor, formatPublicKey } from "../../core/encoding/mod.ts"
import { rejection } from "../_rejection.ts"
import { type LiveNetwork, openLiveNetwork } from "./_live_network.ts"

let live: LiveNetwork
beforeAll(async () => {
  live = await openLiveNetwork()
})
afterAll(() => live.close())

const keyText = (publicKey: string) => formatPublicKey("zk", publicKey)

describe("Sending", () => {
  it("two transfers at once get nonces in order, and both are forged", async () => {
    const { rollup } = live
    const account = await rollup.account(live.demo, "ETH")
    const before = BigInt((await account.read()).balance)
    const receiver = walletFromSeed("11".repeat(32))
    const transactions = await Promise.all([
      account.transfer({ to: "zk:ETH:256", amount: "0.25", fee: 0 }),
      account.transfer({ to: keyText(receiver.publicKey), amount: 10n ** 17n, fee: 0 })
    ])
    const forged = await Promise.all(transactions.map(({ forged }) => forged()))
    assert.isTrue(forged.every(({ batchNum }) => batchNum > 0))
    assert.strictEqual(
      before - BigInt((await account.read()).balance),
      unitsOf("0.35", 18)!
    )
    const [received] = await rollup.accounts(receiver)
    assert.strictEqual((await received!.read()).balance, "100000000000000000")
    // another connection finds the transaction by its id
    assert.deepStrictEqual(await rollup.transaction(transactions[1]!.id).forged(), forged[1])
  })

  it("the fee is worth what the coordinator recommends for the type of transfer", async () => {
    const account = await live.rollup.account(live.demo, "ETH")
    const state = await (await live.fetch(new Request("http://node/state"))).json()
    const { USD } = account.token
    for (
      const [to, wanted] of [
        ["zk:ETH:256", state.recommendedFee.existingAccount],
        [`0x${"12".repeat(20)}`, state.recommendedFee.createAccount],
        [
          keyText(walletFromSeed("12".repeat(32)).publicKey),
          state.recommendedFee.createAccountInternal
        ]
      ]
    ) {
      const { amount, fee } = await account.build({ to, amount: "1" })
      const worth = (selector: number) => feeFactor(selector) * Number(amount) / 1e18 * USD!
      assert.isAtLeast(worth(fee), wanted)
      assert.isBelow(worth(fee - 1), wanted)
    }
  })

  it("a transaction that breaks rules is not posted, and the error has every rule", async () => {
    const account = await live.rollup.account(live.demo, "ETH")
    const { balance } = await account.read()
    const posts = () => live.requests.filter((request) => request.startsWith("POST")).length
    const before = posts()
    const refused: ReadonlyArray<readonly [Parameters<typeof account.transfer>[0], RegExp]> = [
      [
        { to: "nobody", amount: "x" },
        /^Property to has .* expected an account index.*; Property amount has the value x: expected a decimal number of ETH with at most 18 decimals$/u
      ],
      [
        // a call from JavaScript that does not name them
        {} as Parameters<typeof account.transfer>[0],
        /^Property to has the value undefined: expected an account index.*; Property amount has the value undefined: expected a decimal number/u
      ],
      [
        { to: "zk:ETH:256", amount: 10n ** 30n + 1n },
        /at most 35 significant bits times a power of ten$/u
      ],
      [
        { to: "zk:ETH:256", amount: "1", fee: 256 },
        /Property fee has the value 256: expected a fee selector from 0 to 255$/u
      ],
      [
        { to: "zk:ETH:7", amount: "1" },
        /^Property toAccountIndex has the value 7: expected 1 for an exit or 256/u
      ],
      [
        { to: "zk:ETH:99999999", amount: "1" },
        /^Property toAccountIndex .*: expected an account that exists$/u
      ],
      [
        { to: "zk:OTHER:256", amount: "1" },
        /^Property toAccountIndex has the value zk:OTHER:256: expected zk:ETH:256, the account with this number$/u
      ],
      [{ to: "exit", amount: 0n }, /more than 0 units for an exit$/u],
      [
        { to: "zk:ETH:256", amount: 1n, nonce: 0 },
        /Property nonce has the value 0: expected \d+ or more/u
      ],
      [{ to: "zk:ETH:256", amount: 1n, nonce: 1n << 40n }, /a nonce below 2\^40/u],
      [
        { to: "zk:ETH:256", amount: "x", nonce: 1.5 },
        /^Property amount .*; Property nonce has the value 1\.5: expected an integer$/u
      ],
      [
        { to: "zk:ETH:256", amount: -5n },
        /^Property amount has the value -5: expected an amount from 0 to \d+$/u
      ],
      [
        { to: "zk:ETH:256", amount: floorAmount(BigInt(balance)) },
        /expected at most the \d+ units that the account can send, found \d+ with the fee$/u
      ],
      [
        { to: "zk:0x7E5F4552091a69125d5DfCb7b8C2659029395BDf", amount: 1n },
        /the checksum of EIP-55/u
      ],
      [{ to: keyText(`01${"0".repeat(62)}`), amount: 1n }, /a key that can sign/u]
    ]
    for (const [request, message] of refused) {
      const error = await rejection(account.transfer(request))
      assert.instanceOf(error, InvalidTransaction)
      assert.match(error.message, message)
    }
    assert.strictEqual(posts(), before)
  })

  it("a transaction that requires one of another token is posted under the symbols of both", async () => {
    const account = await live.rollup.account(live.demo, "ETH")
    const { index, token } = await live.rollup.account(live.demo, "GOV")
    // it is never forged, and no transfer waits for its nonce
    const nonce = BigInt((await account.read()).nonce) + 1000n
    const built = await account.build({ to: "exit", amount: "0.1", fee: 0, nonce })
    const request = {
      fromAccountIndex: index,
      toAccountIndex: index,
      toAddress: null,
      toPublicKey: null,
      tokenId: token.id,
      amount: 1n,
      fee: 0,
      nonce: 1n << 39n
    }
    const { id } = await account.post(account.sign({ ...built, request }))
    assert.strictEqual(id, built.id)
  })

  it("the balance counts what was sent before and is not forged", async () => {
    const account = await live.rollup.account(live.demo, "GOV")
    const balance = BigInt((await account.read()).balance)
    const most = { to: keyText(walletFromSeed("13".repeat(32)).publicKey), fee: 0 }
    const sent = await account.transfer({ ...most, amount: floorAmount(balance - 1n) })
    const error = await rejection(account.transfer({ ...most, amount: balance }))
    assert.match(error.message, /at most the \d+ units that the account can send/u)
    await sent.forged()
  })

  it("posting a built transaction again changes nothing", async () => {
    const account = await live.rollup.account(live.demo, "ETH")
    const built = await account.build({ to: "zk:ETH:256", amount: "0.1", fee: 0 })
    const [first, second] = [await account.post(built), await account.post(built)]
    assert.strictEqual(first.id, second.id)
    const { nonce } = await account.build({ to: "zk:ETH:256", amount: "0.1", fee: 0 })
    assert.strictEqual(nonce, built.nonce + 1n)
    await first.forged()
  })

  it("a refusal of the server is a failure with its problem", async () => {
    const account = await live.rollup.account(live.demo, "ETH")
    const built = await account.build({ to: "zk:ETH:256", amount: "0.1", fee: 0 })
    const error = await rejection(account.post({ ...built, signature: "0".repeat(128) }))
    assert.instanceOf(error, RequestFailed)
    assert.match(error.message, /^Property signature has the value 0{128}: expected /u)
  })

  it("waiting ends with the signal, or if the transaction is unknown", async () => {
    const unknown = live.rollup.transaction(`0x02${"1".repeat(64)}`)
    assert.instanceOf(await rejection(unknown.forged()), NotForged)
    const account = await live.rollup.account(live.demo, "ETH")
    // a nonce that is never reached
    const { nonce } = await account.build({ to: "zk:ETH:256", amount: "0.1" })
    const waiting = await account.transfer({ to: "zk:ETH:256", amount: "0.1", nonce: nonce + 5n })
    const controller = new AbortController()
    controller.abort()
    const error = await rejection(waiting.forged({ signal: controller.signal }))
    assert.strictEqual((error as RequestFailed).failure._tag, "Aborted")
  })
})

describe("An account of a wallet", () => {
  it("is found by its token or index, and only if its key is that of the wallet", async () => {
    const { rollup } = live
    const account = await rollup.account(live.demo, "GOV")
    assert.strictEqual((await rollup.account(live.demo, account.accountIndex)).index, account.index)
    const other = await rejection(rollup.account(live.demo, "zk:ETH:256"))
    assert.instanceOf(other, NoAccount)
    assert.match(
      other.message,
      /^The wallet has no account zk:ETH:256: expected one of zk:ETH:\d+, /u
    )
    const none = await rejection(rollup.account(walletFromSeed("14".repeat(32)), "ETH"))
    assert.match(none.message, /it has none yet$/u)
  })

  it("is created for an address whose owner has authorized its key", async () => {
    const { rollup } = live
    const wallet = walletFromEthereumKey("15".repeat(32), rollup.network)
    const browser = { ...wallet, ethereumKey: null }
    assert.match((await rejection(rollup.authorize(browser))).message, /pass the signature/u)
    assert.instanceOf(
      await rejection(rollup.authorize(walletFromSeed("15".repeat(32)))),
      InvalidKey
    )
    const wrong = signAuthorization(wallet.ethereumKey!, wallet.publicKey, {
      ...rollup.network,
      chainId: 1
    })
    assert.match(
      (await rejection(rollup.authorize(browser, { signature: wrong }))).message,
      /^The signature is not one of the authorization by 0x/u
    )
    const { message } = authorizationTypedData(wallet.publicKey, rollup.network)
    assert.strictEqual(message.Provider, "Rollup Network")
    const signature = signAuthorization(wallet.ethereumKey!, wallet.publicKey, rollup.network)
    await rollup.authorize(browser, { signature })
    await rollup.authorize(wallet)

    const sent = await (await rollup.account(live.demo, "ETH")).transfer({
      to: wallet.address,
      amount: "0.5"
    })
    await sent.forged()
    const account = await rollup.account(wallet, "ETH")
    assert.strictEqual((await account.read()).balance, String(unitsOf("0.5", 18)))
  })
})

describe("A connection", () => {
  it("uses the names of the network", async () => {
    const other = await openLiveNetwork("hez")
    try {
      const { demo, rollup } = other
      await rollup.authorize(demo)
      const account = await rollup.account(demo, "ETH")
      assert.match(account.accountIndex, /^hez:ETH:/u)
      const sent = await account.transfer({ to: `hez:${demo.address}`, amount: "0.5" })
      const client = rollupClient({ url: "http://node", prefix: "hez", fetch: other.fetch })
      const pooled = await client.getPoolTx({ id: sent.id })
      assert.isTrue(pooled.ok && pooled.value.toHezEthereumAddress !== null)
      await (await account.exit({ amount: "0.1" })).forged()
      const [exit] = await account.exits()
      assert.strictEqual((await account.withdrawData(exit!)).amount, unitsOf("0.1", 18))
    } finally {
      await other.close()
    }
  })

  it("fails as the client does if there is no server", async () => {
    const fetch = () => Promise.reject(new Error("connection refused"))
    const error = await rejection(connect({ url: "http://node", fetch, retriesMax: 0 }))
    assert.strictEqual((error as RequestFailed).failure._tag, "Unreachable")
  })
})
