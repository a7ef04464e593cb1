// A page of another origin that posts a transfer and follows it, with the client's own `fetch`.
import { rollupClient, valueOf } from "rollup-node-api/client"
import { simulate } from "rollup-node-api/simulator"
import { connect, walletFromEthereumKey } from "rollup-node-api/wallet"

/**
 * @param {string} _ unused: the server follows the feed
 * @param {string} url the server
 */
export const scenario = async (_, url) => {
  const rollup = await connect({ url })
  const { demoWallet } = simulate({ seed: "runtimes", users: 30 })
  const wallet = walletFromEthereumKey(demoWallet.ethereumKey, rollup.network)
  const [account] = await rollup.accounts(wallet)
  const { id } = await account.post(await account.build({ to: "exit", amount: "0.25", fee: 30 }))
  const client = rollupClient({ url })
  const states = []
  for (let i = 0; i < 10; i++) states.push(valueOf(await client.getPoolTx({ id })).state)
  return `followed ${states.join(" ")}`
}
