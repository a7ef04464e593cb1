import { assert, describe, it } from "@effect/vitest"
import { settings } from "../../app/config/mod.ts"
import { defaultNetwork, networkOptions } from "../../app/simulator/mod.ts"
import { command, inDirectory, json, serveLive } from "./_program.ts"

/* The settings that identify the simulated network, as the program serves them. */

const addresses = {
  rollup: "0x000000000000000000000000000000000000ABcd",
  auction: "0x00000000000000000000000000000000000000a1",
  delayer: "0x00000000000000000000000000000000000000d1",
  token: "0x0000000000000000000000000000000000000071"
}
const publicUrl = "http://Node.example:8086/api"
const identity = Object.entries({
  prefix: "hez",
  "network-name": "Hermez Network",
  "chain-id": "5",
  "rollup-address": addresses.rollup,
  "auction-address": addresses.auction,
  "withdrawal-delayer-address": addresses.delayer,
  "governance-token": addresses.token
}).map(([flag, value]) => `--${flag}=${value}`)
const short = ["--transactions", "200", "--pace", "0", "--admin-port", "off"]

interface Answers {
  readonly state: {
    readonly network: { readonly nextForgers: ReadonlyArray<{ readonly coordinator: Named }> }
    readonly auction: { readonly bootCoordinatorUrl: string }
  }
  readonly coordinators: { readonly coordinators: ReadonlyArray<Named> }
  readonly tokens: { readonly tokens: ReadonlyArray<{ readonly ethereumAddress: string }> }
}
interface Named {
  readonly URL: string
}

describe("the identity of the simulated network", () => {
  it("is that of the library by default", () => {
    const { chain, network } = settings
    assert.deepStrictEqual(
      networkOptions({
        seed: network.seed.default,
        prefix: network.prefix.default,
        networkName: network.networkName.default,
        chainId: chain.chainId.default,
        rollupAddress: chain.rollupAddress.default
      }).network,
      defaultNetwork
    )
  })

  it("is configuration: name, chain, contracts, and the public URL as it is spelled", () =>
    inDirectory(async (directory) => {
      const words = [...identity, ...short, "--data", directory]
      const { kill, url } = await serveLive(...words, "--public-url", publicUrl)
      assert.deepInclude(await json<object>(`${url}/network`), {
        prefix: "hez",
        name: "Hermez Network",
        chainId: 5,
        rollupAddress: addresses.rollup.toLowerCase()
      })
      const config = JSON.stringify(await json(`${url}/v1/config`))
      for (
        const part of [
          `"chainId":5`,
          `"hermezRollup":"${addresses.rollup.toLowerCase()}"`,
          `"hermezAuctionContract":"${addresses.auction}"`,
          `"withdrawDelayerContract":"${addresses.delayer}"`,
          `"tokenHEZ":"${addresses.token}"`
        ]
      ) assert.include(config, part)
      const { tokens } = await json<Answers["tokens"]>(`${url}/tokens?ids=1`)
      assert.strictEqual(tokens[0]?.ethereumAddress, addresses.token)

      const { auction, network } = await json<Answers["state"]>(`${url}/v1/state`)
      const { coordinators } = await json<Answers["coordinators"]>(`${url}/coordinators?limit=100`)
      const named = [...network.nextForgers.map(({ coordinator }) => coordinator), ...coordinators]
      assert.isAbove(coordinators.length, 2)
      assert.isAbove(network.nextForgers.length, 2)
      assert.deepStrictEqual(
        [...new Set([auction.bootCoordinatorUrl, ...named.map(({ URL }) => URL)])],
        [publicUrl]
      )
      await kill()

      const other = command("serve", "--port", "0", ...words, "--public-url", "http://other")
      assert.strictEqual(other.status, 4, other.output)
      assert.include(other.output, "with another rollup address, constants or first variables")
    }))

  it("derives the keys of the demo wallet from one Ethereum key and the name", () => {
    const shown = ["Rollup Network", "Hermez Network"].map((name) =>
      command("wallet", "--network-name", name).output
    )
    const [key] = command("wallet", "--export").output.split("\n")
    for (const output of shown) assert.include(output, key!)
    const keys = shown.map((output) => /BabyJubJub key +(\S+)/u.exec(output)?.[1])
    assert.strictEqual(new Set(keys).size, 2)
  })
})
