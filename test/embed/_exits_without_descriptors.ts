import { closeSync, openSync, readFileSync } from "node:fs"
import { openNode, readRecord } from "../../app/embed/mod.ts"

/*
 * Applies a feed. The first record with exits is applied while no file can be opened, and again
 * afterwards; the first proof after it is changed. Prints the outcomes of these three. The simulator
 * is not imported, since it imports the hash function.
 */

const [genesisLine, ...lines] = readFileSync(process.argv[2]!, "utf8").trim().split("\n")
const node = await openNode({ genesis: JSON.parse(genesisLine!), log: () => {} })
const proof = /(?<="siblings":\["\d+)\d(?=")/u

const outcomeOf = (line: string): Promise<string> =>
  node.applyRecord(readRecord(line)).then(() => "applied", ({ message }) => message)

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
      console.log(await outcomeOf(line))
    }
    for (const descriptor of open) closeSync(descriptor)
    console.log(await outcomeOf(line))
  } else {
    console.log(await outcomeOf(line.replace(proof, (digit) => digit === "1" ? "2" : "1")))
    break
  }
}
await node.close()
