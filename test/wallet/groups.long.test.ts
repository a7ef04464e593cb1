import { assert, describe, it } from "@effect/vitest"
import { rollupClient, valueOf } from "../../adapters/client/mod.ts"
import { connect, walletFromEthereumKey } from "../../adapters/wallet/mod.ts"
import { command, inDirectory, serveLive } from "../program/_program.ts"

/* A group of the wallet and the running program, with only HTTP between them. */

const network = ["--transactions", "300", "--pace", "0.3", "--admin-port", "off"]

describe("A group that a wallet signs", () => {
  it("is accepted by the program and forged in one batch", () =>
    inDirectory(async () => {
      const { url } = await serveLive("--memory", ...network)
      const rollup = await connect({ url })
      const { output } = command("wallet", "--export")
      const wallet = walletFromEthereumKey(output.trim(), rollup.network)
      const [ether, gov] = [
        await rollup.account(wallet, "ETH"),
        await rollup.account(wallet, "GOV")
      ]
      const first = await ether.build({ to: "zk:ETH:256", amount: "0.25" })
      const second = await ether.build({ to: "zk:ETH:256", amount: "0.5" }, { after: [first] })
      const third = await gov.build({ to: `zk:${wallet.address}`, amount: "1" })
      const { body } = rollup.signGroup([first, second, third], [ether, gov])

      const client = rollupClient({ url: `${url}/v1`, revision: "v1" })
      const ids = valueOf(await client.postAtomicGroup(body))
      assert.deepStrictEqual(ids, [first.id, second.id, third.id])
      // a rollback of the chain may move it into another batch
      for (;;) {
        const group = valueOf(await client.getAtomicGroup({ id: body.atomicGroupId }))
        const states = new Set(group.map(({ state }) => state))
        assert.isFalse(states.has("invl"))
        if (states.size === 1 && states.has("fged")) {
          assert.strictEqual(group.length, 3)
          assert.strictEqual(new Set(group.map(({ batchNum }) => batchNum)).size, 1)
          break
        }
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }), 90_000)
})
