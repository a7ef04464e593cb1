import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type later, rollupClient, valueOf } from "../../adapters/client/mod.ts"
import {
  connect,
  InvalidExit,
  type Rollup,
  type Wallet,
  type WalletAccount,
  walletFromEthereumKey,
  type WithdrawData
} from "../../adapters/wallet/mod.ts"
import { read, root } from "../packaging/_project.ts"
import { killAll, pause, serveLive, start, type StartOptions } from "../program/_program.ts"

/* A wallet and the running program, with only HTTP between them. */

let url: string
let rollup: Rollup
let key: string
let demo: Wallet

beforeAll(async () => {
  const network = ["--transactions", "300", "--pace", "0.4", "--admin-port", "off"]
  const server = await serveLive("--memory", ...network)
  url = server.url
  rollup = await connect({ url })
  key = (await command("wallet", "--export")).trim()
  demo = walletFromEthereumKey(key, rollup.network)
})
afterAll(killAll)

/**
 * Repeats a read until it returns something: blocks take time, and a rollback may undo a result.
 */
async function until<A>(read: () => Promise<A | undefined>): Promise<A> {
  // a delayed withdrawal is collected after at most three minutes, unless an emergency lasts
  for (let attempts = 0; attempts < 9000; attempts++) {
    const found = await read()
    if (found !== undefined) return found
    await pause(50)
  }
  throw new Error("It did not happen")
}

const ofWallet = (wallet: Wallet) => until(async () => (await rollup.accounts(wallet))[0])

interface VerifiedExit {
  readonly exit: later.Exit
  readonly data: WithdrawData
}

/**
 * Returns an exit with its withdrawal data. A rollback may move it into another batch in between;
 * the proof then does not verify, and the exit is read again.
 */
const exitOf = (account: WalletAccount, balance: string, holds: (exit: later.Exit) => boolean) =>
  until(async (): Promise<VerifiedExit | undefined> => {
    const exit = (await account.exits()).find((exit) => exit.balance === balance && holds(exit))
    if (exit === undefined) return undefined
    try {
      return { exit, data: await account.withdrawData(exit) }
    } catch (error) {
      if (error instanceof InvalidExit) return undefined
      throw error
    }
  })

/** Exits small amounts until one of them is withdrawn instantly, and returns that exit. */
async function instantExit(account: WalletAccount): Promise<later.Exit> {
  for (let cents = 1; cents <= 9; cents++) {
    const units = `${cents}0000000000000000`
    await account.exit({ amount: `0.0${cents}` })
    const { exit } = await exitOf(
      account,
      units,
      ({ delayedWithdrawRequest, instantWithdrawn }) =>
        instantWithdrawn !== null || delayedWithdrawRequest !== null
    )
    if (exit.instantWithdrawn !== null) return exit
  }
  throw new Error("No exit was withdrawn instantly")
}

describe("A wallet over HTTP", () => {
  it(
    "authorizes an account, receives ether from the demo wallet, exits some of it with a proof that leads to the exit root, and withdraws it",
    async () => {
      const wallet = walletFromEthereumKey(new Uint8Array(32).fill(77), rollup.network)
      await rollup.authorize(wallet)
      await rollup.authorize(wallet)

      const funds = await rollup.account(demo, "ETH")
      const funding = await funds.transfer({ to: wallet.address, amount: "2.5" })
      const { batchNum } = await funding.forged({ pollMs: 50 })
      assert.isAbove(batchNum, 0)
      const client = rollupClient({ url })
      await until(async () => (await client.getHistoryTx({ id: funding.id })).ok || undefined)

      const account = await ofWallet(wallet)
      assert.strictEqual((await account.read()).balance, "2500000000000000000")

      const leaving = await account.exit({ amount: "1" })
      await leaving.forged({ pollMs: 50 })
      const { data } = await exitOf(account, "1000000000000000000", () => true)
      assert.deepStrictEqual([data.tokenId, data.amount, data.accountIndex], [
        0,
        10n ** 18n,
        account.index
      ])

      // withdrawn instantly once its bucket has a withdrawal left; until then each is requested
      const instant = await instantExit(account)
      assert.deepStrictEqual([instant.delayedWithdrawRequest, instant.delayedWithdrawn], [
        null,
        null
      ])
      const batch = valueOf(await client.getBatch({ batchNum: instant.batchNum }))
      assert.isAbove(Number(instant.instantWithdrawn), Number(batch.ethereumBlockNum))

      // above a thousand US dollars: the withdrawal is requested, and collected after the delay
      const { exit: delayed } = await exitOf(
        account,
        "1000000000000000000",
        ({ delayedWithdrawn }) => delayedWithdrawn !== null
      )
      assert.isNull(delayed.instantWithdrawn)
      assert.isAbove(Number(delayed.delayedWithdrawn), Number(delayed.delayedWithdrawRequest))
      await until(async () => (await account.exits({ pending: true })).length === 0 || undefined)
    },
    500_000
  )

  it("signs a group, which is forged in one batch", async () => {
    const [ether, gov] = [await rollup.account(demo, "ETH"), await rollup.account(demo, "GOV")]
    const first = await ether.build({ to: "zk:ETH:256", amount: "0.25" })
    const second = await ether.build({ to: "zk:ETH:256", amount: "0.5" }, { after: [first] })
    const third = await gov.build({ to: `zk:${demo.address}`, amount: "1" })
    const { body } = rollup.signGroup([first, second, third], [ether, gov])
    const client = rollupClient({ url: `${url}/v1`, revision: "v1" })
    const ids = valueOf(await client.postAtomicGroup(body))
    assert.deepStrictEqual(ids, [first.id, second.id, third.id])
    // a rollback of the chain may move it into another batch
    const forged = await until(async () => {
      const group = valueOf(await client.getAtomicGroup({ id: body.atomicGroupId }))
      assert.isFalse(group.some(({ state }) => state === "invl"))
      return group.every(({ state }) => state === "fged") ? group : undefined
    })
    assert.strictEqual(forged.length, 3)
    assert.strictEqual(new Set(forged.map(({ batchNum }) => batchNum)).size, 1)
  })

  it("shows its balances and the paths of its transactions", async () => {
    const walletOutput = await command("wallet")
    assert.match(walletOutput, /zk:ETH:\d+ {2}token 0, funded with 100000000000000000000 units/u)
    const sent = await command("wallet", "--send", "0.5", "--token", "GOV", "--url", url)
    const id = /^0x02[0-9a-f]{64}$/mu.exec(sent)![0]
    for (const path of ["transactions-pool", "transactions-history"]) {
      assert.include(sent, `curl ${url}/${path}/${id}`)
    }
    await rollup.transaction(id).forged({ pollMs: 50 })
  })

  it("sends the transfer of the README", async () => {
    const example = /```js\n(import [\s\S]*?)```/u.exec(read("README.md"))![1]!
    assert.isAtMost(example.trimEnd().split("\n").length, 12)
    // inside the package, so that it finds itself by its name
    const folder = mkdtempSync(join(root, "test/.examples_wallet_"))
    try {
      writeFileSync(join(folder, "example.js"), example.replace("http://localhost:8080", url))
      const output = await printed([join(folder, "example.js")], {
        command: [process.execPath, "--conditions=rollup-node-source"],
        environment: { KEY: key }
      })
      assert.match(output, /^0x02[0-9a-f]{64} is in batch \d+\n$/u)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** Returns what a program prints, which has to exit with 0. */
const printed = async (
  words: ReadonlyArray<string>,
  options?: StartOptions
): Promise<string> => {
  const { ended, output } = start(words, options)
  assert.deepStrictEqual(await ended, [0, null], output())
  return output()
}

const command = (...words: ReadonlyArray<string>) => printed(words)
