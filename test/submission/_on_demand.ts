import { registerHooks } from "node:module"

/*
 * Runs as a program: opens an embedded node from a feed, reads, then posts its input; prints before
 * and after whether the hash function of signatures is loaded.
 */

let isLoaded = false
registerHooks({
  load: (url, context, next) => {
    isLoaded ||= url.includes("poseidon")
    return next(url, context)
  }
})

const { openNode } = await import("../../app/embed/mod.ts")
const { readFeedLine } = await import("../../core/mod.ts")
const { Exit } = await import("effect")

const { feed, bodies } = JSON.parse(process.env.SUBMISSION!) as {
  readonly feed: ReadonlyArray<string>
  readonly bodies: ReadonlyArray<string>
}
const [first, ...records] = feed.map((line) => {
  const record = readFeedLine(line)
  if (Exit.isFailure(record)) throw new Error(line)
  return record.value
})
if (first?.kind !== "genesis") throw new Error("A feed begins with its genesis")
const node = await openNode({ genesis: first.genesis })
for (const record of records) await node.applyRecord(record)
console.log((await node.fetch(new Request("http://node/accounts"))).status, isLoaded)
for (const body of bodies) {
  const headers = { "content-type": "application/json" }
  console.log(
    (await node.fetch(
      new Request("http://node/transactions-pool", { method: "POST", headers, body })
    )).status,
    isLoaded
  )
}
await node.close()
