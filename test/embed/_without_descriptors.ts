import { closeSync, openSync } from "node:fs"
import { openNode } from "../../app/embed/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"

/* Uses a node while no file can be opened, and again when files can be opened. */

const { genesis, live, next, transactionCount } = simulate({ seed: 1, users: 20 })
const options = { genesis, log: () => {} }
const node = await openNode({ ...options, verifierThreads: 1 })
const checking = await openNode({ ...options, checkStateRoots: true })
const first = next()
await node.applyRecord(first)
// without a signature or an exit yet
while (transactionCount() < 5) await node.applyRecord(next())
const { transaction } = live.nextSubmissions().entries[0]!

const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(() => "done", ({ _tag }) => _tag)

const use = async (): Promise<void> => {
  const submitted = await outcomeOf(node.submitTransaction(transaction))
  const checked = await outcomeOf(checking.applyRecord(first))
  const { status } = await node.fetch(new Request("http://node/docs"))
  console.log(submitted, checked, status)
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
await checking.close()
