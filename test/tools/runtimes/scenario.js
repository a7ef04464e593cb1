// The same program in every runtime: opens a node, applies a feed, asks over `fetch` and through the client, in memory and over a socket,
// and sums up what it was told.
// Plain JavaScript on purpose: it is what a project without TypeScript would write.
import { rollupClient, valueOf } from "rollup-node-api/client"
import { openNode } from "rollup-node-api/embed"
import { toFetchHandler } from "rollup-node-api/http"
import { readFeedLine } from "rollup-node-api"
import { simulate } from "rollup-node-api/simulator"
import { connect, walletFromEthereumKey } from "rollup-node-api/wallet"

const paths = [
  "/state",
  "/config",
  "/tokens",
  "/accounts?limit=50",
  "/exits?onlyPendingWithdraws=true",
  "/transactions-history?order=DESC&limit=100",
  "/batches",
  "/slots?limit=30",
  "/bids?slotNum=4",
  "/coordinators",
  "/nowhere",
  "/tokens?limt=3",
  "/earlier/state",
  "/earlier/slots",
  "/earlier/accounts"
]

/** Requests paths of a node that is served below a path, without a server. */
const askInMemory = (node, basePath, paths) =>
  Promise.all(paths.map(async (path) => {
    const response = await toFetchHandler(node, { basePath })(new Request(`http://node${path}`))
    return [response, await response.text()]
  }))

/**
 * @param {string} feed NDJSON, a genesis record first
 * @param {string} url a server that has followed the same feed
 * @param askBelow requests paths of a node that is served below a path
 */
export const scenario = async (feed, url, askBelow = askInMemory) => {
  const records = feed.trim().split("\n").map((line) => readFeedLine(line).value)
  const node = await openNode({ genesis: records[0].genesis })
  for (const record of records) await node.applyRecord(record)
  const answers = []
  for (const path of paths) {
    const response = await node.fetch(new Request(`http://node${path}`))
    answers.push(`${response.status} ${path} ${fingerprint(await response.text())}`)
  }
  answers.push(...await askedByClient("in memory", "http://node", node.fetch))
  answers.push(await signedByWallet("in memory", "http://node", node.fetch))
  const below = ["/rollup/openapi.json", "/rollup/tokens?limit=20", "/rollup/nowhere"]
  for (const [{ status }, text] of await askBelow(node, "/rollup", below)) {
    answers.push(`below a path: ${status} ${fingerprint(text)} ${text.includes("/rollup")}`)
  }
  await node.close()
  answers.push(...await askedByClient("over a socket", url, (request) => fetch(request)))
  answers.push(await signedByWallet("over a socket", url, (request) => fetch(request)))
  return answers.join("\n")
}

/** What a page with the client would ask: a list to its end, one thing twice, what is not there, and a post that is refused. */
const askedByClient = async (where, url, ask) => {
  const statuses = []
  const client = rollupClient({
    url,
    fetch: async (request) => {
      const response = await ask(request)
      statuses.push(response.status)
      return response
    }
  })
  const items = []
  for await (const item of client.items("getHistoryTxs", { limit: 90 })) items.push(item)
  const batch = valueOf(await client.getBatch({ batchNum: 2 }))
  const isSame = valueOf(await client.getBatch({ batchNum: 2 })) === batch
  const unknown = await client.getToken({ id: 4000000000 })
  const posted = await client.postTx({ id: "0x" })
  return [
    `client ${where}: ${items.length} items ${fingerprint(textOf(items))}, block ${typeof batch
      .ethereumBlockNum} ${batch.ethereumBlockNum}, ${isSame ? "the same" : "another"} batch`,
    `client ${where}: ${unknown.name}, ${posted.name} ${fingerprint(posted.message)}, statuses ${
      statuses.join(" ")
    }`
  ]
}

/** Derives the keys of the demo wallet, and builds and signs a transaction with them. */
const signedByWallet = async (where, url, ask) => {
  const rollup = await connect({ url, fetch: ask })
  const { demoWallet } = simulate({ seed: "runtimes", users: 30 })
  const wallet = walletFromEthereumKey(demoWallet.ethereumKey, rollup.network)
  const [account] = await rollup.accounts(wallet)
  const { id, signature } = await account.build({ to: "exit", amount: "0.5", fee: 30 })
  return `wallet ${where}: ${account.accountIndex}, ${id} ${signature.slice(0, 16)}`
}

const textOf = (value) =>
  JSON.stringify(value, (_, part) => typeof part === "bigint" ? `${part}n` : part)

/** FNV-1a: enough to compare texts, and the same few lines everywhere. */
const fingerprint = (text) => {
  let hash = 2166136261
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
  return `${text.length}:${(hash >>> 0).toString(16)}`
}
