// The same program in every runtime: opens a node, applies a feed, asks over `fetch`, and sums up what it was told.
// Plain JavaScript on purpose: it is what a project without TypeScript would write.
import { openNode } from "rollup-node-api/embed"
import { readFeedLine } from "rollup-node-api"

const paths = [
  "/state", "/config", "/tokens", "/accounts?limit=50", "/exits?onlyPendingWithdraws=true", "/transactions-history?order=DESC&limit=100",
  "/batches", "/slots?limit=30", "/bids?slotNum=4", "/coordinators", "/nowhere", "/tokens?limt=3", "/earlier/state", "/earlier/slots", "/earlier/accounts"
]

/** @param {string} feed NDJSON, a genesis record first */
export const scenario = async (feed) => {
  const records = feed.trim().split("\n").map((line) => readFeedLine(line).value)
  const node = await openNode({ genesis: records[0].genesis })
  for (const record of records) await node.applyRecord(record)
  const answers = []
  for (const path of paths) {
    const response = await node.fetch(new Request(`http://node${path}`))
    answers.push(`${response.status} ${path} ${fingerprint(await response.text())}`)
  }
  await node.close()
  return answers.join("\n")
}

/** FNV-1a: enough to compare texts, and the same few lines everywhere. */
const fingerprint = (text) => {
  let hash = 2166136261
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
  return `${text.length}:${(hash >>> 0).toString(16)}`
}
