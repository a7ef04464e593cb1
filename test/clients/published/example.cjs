const { createServer } = require("node:http")
const { default: hermez } = require("@hermeznetwork/hermezjs")
const { CoordinatorAPI, Environment, HermezCompressedAmount, HermezWallet, Providers, Tx } = hermez

const [url, ethereum] = ["http://localhost:8080", "http://localhost:8545"]

// an Ethereum node, of which the library asks only the id of the chain: 1337
const chain = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { id, method } = JSON.parse(Buffer.concat(chunks))
  response.setHeader("content-type", "application/json")
  const result = method === "eth_chainId" ? "0x539" : "1337"
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }))
}).listen(8545)

const send = async () => {
  Providers.setProvider(ethereum)
  Environment.setEnvironment({ baseApiUrl: url })
  const signer = { type: "WALLET", privateKey: process.env.KEY }
  const { hermezEthereumAddress, hermezWallet } = await HermezWallet.createWalletFromEtherAccount(
    ethereum,
    signer
  )
  const { accounts: [{ accountIndex, nonce, token }] } = await CoordinatorAPI.getAccounts(
    hermezEthereumAddress,
    [0]
  )
  const amount = HermezCompressedAmount.compressAmount("250000000000000000")
  const transfer = { from: accountIndex, to: "hez:ETH:256", amount, fee: 0.0005, nonce }
  const { id } = await Tx.generateAndSendL2Tx(transfer, hermezWallet, token)
  for (let state = "pend"; state !== "fged";) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    const transaction = await CoordinatorAPI.getPoolTransaction(id)
    state = transaction.state
    if (state === "fged") console.log(`${id} is in batch ${transaction.batchNum}`)
  }
}

send().finally(() => {
  chain.closeAllConnections()
  chain.close()
})
