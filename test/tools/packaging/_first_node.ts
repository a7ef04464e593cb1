import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { manifest } from "../../packaging/_project.ts"

/** What a host without TypeScript and without Effect writes first. */
const host = `import { openNode } from "${manifest.name}/embed"
import { simulate } from "${manifest.name}/simulator"

const { genesis, next } = simulate({ seed: 1 })
await using node = await openNode({ genesis, store: { directory: "./data" } })
const { snapshotId } = await node.state()
const before = snapshotId.ethereumBlockNum - genesis.block.number
for (let i = 0; i < 3; i++) await node.applyRecord(next())
const { url } = await node.listen({ port: 0 })
const { status } = await fetch(url + "/state")
console.log(before + " " + status + " " + JSON.stringify((await node.state()).snapshotId))
`

const expected = [
  `0 200 {"ethereumBlockNum":"18000003","batchNum":3,"version":6}`,
  `3 200 {"ethereumBlockNum":"18000003","batchNum":3,"version":6}`
]

/**
 * Installs the tarball into an empty project and runs a host twice, which opens a durable node,
 * writes, listens and reads. Prints how long the installation and the first run took.
 */
export const firstNodeFaults = (tarball: string, project: string): ReadonlyArray<string> => {
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  writeFileSync(join(project, "host.js"), host)
  const run = (command: string, args: ReadonlyArray<string>) => {
    const startMs = performance.now()
    const output = execFileSync(command, args, { cwd: project, encoding: "utf8" }).trim()
    return { output, seconds: (performance.now() - startMs) / 1000 }
  }
  const install = run("npm", ["install", "--no-audit", "--no-fund", tarball])
  const first = run(process.execPath, ["host.js"])
  const second = run(process.execPath, ["host.js"])
  console.log(
    `npm install ${install.seconds.toFixed(1)} s, a durable node ${
      first.seconds.toFixed(1)
    } s later`
  )
  return [first, second].flatMap(({ output }, i) =>
    output === expected[i] ? [] : [`run ${i + 1} said ${output}, expected ${expected[i]}`]
  )
}
