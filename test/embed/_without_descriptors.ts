import { closeSync, openSync } from "node:fs"
import { openNode } from "../../app/embed/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"

/* Uses a node while no file can be opened, and again when files can be opened. */

const { genesis, live, next, transactionCount } = simulate({ seed: 1, placeholderRoots: true })
const node = await openNode({ genesis, verifierThreads: 1, log: () => {} })
// without a signature or an exit yet
while (transactionCount() < 5) await node.applyRecord(next())
const { transaction } = live.nextSubmissions().entries[0]!

const use = async (): Promise<void> => {
  const submitted = await node.submitTransaction(transaction).then(
    ({ stored }) => stored ? "stored" : "not stored",
    ({ _tag }) => _tag
  )
  const { status } = await node.fetch(new Request("http://node/docs"))
  console.log(submitted, status)
}

const open: Array<number> = []
try {
  for (;;) open.push(openSync("/dev/null", "r"))
} catch {
  await use()
}
for (const descriptor of open) closeSync(descriptor)
await use()
await node.close()
