import { closeSync, openSync, readFileSync } from "node:fs"
import { openNode, readRecord } from "../../app/embed/mod.ts"

/*
 * Applies a feed. No file can be opened while the first exits are applied; the first proof after
 * them is changed. The simulator is not imported, since it imports the hash function.
 */

const [genesisLine, ...lines] = readFileSync(process.argv[2]!, "utf8").trim().split("\n")
const node = await openNode({ genesis: JSON.parse(genesisLine!), log: () => {} })
const proof = /(?<="siblings":\["\d+)\d(?=")/u

let isFirst = true
for (const line of lines) {
  if (!proof.test(line)) {
    await node.applyRecord(readRecord(line))
  } else if (isFirst) {
    isFirst = false
    const open: Array<number> = []
    try {
      for (;;) open.push(openSync("/dev/null", "r"))
    } catch {
      await node.applyRecord(readRecord(line))
    }
    for (const descriptor of open) closeSync(descriptor)
  } else {
    const changed = line.replace(proof, (digit) => digit === "1" ? "2" : "1")
    const applied = node.applyRecord(readRecord(changed))
    console.log(await applied.then(() => "applied", ({ message }) => message))
    break
  }
}
await node.close()
