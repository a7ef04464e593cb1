import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { manifest, root } from "../../packaging/_project.ts"
import { listening, start } from "../../program/_program.ts"

/*
 * Starts the built program on the lowest and on the newest Node of each major that `engines`
 * admits: it has to answer `/state` and to exit with 0 after SIGTERM. On Node 20 `openNode` has to
 * say which versions it needs. Prints a table, and exits with 1 if one fails. The versions are
 * installed from npm and removed again.
 */

const program = join(root, manifest.bin["rollup-node"]!)

/** The lowest version of each range, and the range itself, of which npm takes the newest. */
const versions = manifest.engines.node.split(" || ").flatMap((range) => {
  const lowest = /^\^(\d+\.\d+\.\d+)$/u.exec(range)?.[1]
  if (lowest === undefined) throw new Error(`engines: expected ^1.2.3 || ^2.0.0, got "${range}"`)
  return [lowest, range]
})

/** Installs a version into a folder; returns its executable. */
const install = async (folder: string, version: string): Promise<string> => {
  mkdirSync(folder)
  const flags = ["--prefix", folder, "--no-package-lock", "--no-audit", "--no-fund"]
  await promisify(execFile)("npm", ["install", ...flags, `node@${version}`], { cwd: folder })
  return join(folder, "node_modules/node/bin/node")
}

const tryNode = async (node: string) => {
  const { stdout } = await promisify(execFile)(node, ["--version"])
  const flags = ["--memory", "--empty", "--port", "0", "--admin-port", "off"]
  const server = start(["serve", ...flags], { command: [node, program] })
  const answer = await listening(server).then(
    async ({ url }) => String((await fetch(`${url}/state`)).status),
    String
  )
  server.signal("SIGTERM")
  const [code, signal] = await server.ended
  return { version: stdout.trim(), answer, exit: String(code ?? signal) }
}

/** Returns the message of the error with which `openNode` of the built package rejects. */
const errorOnOldNode = async (node: string): Promise<string> => {
  const script = `import { openNode } from "${manifest.name}/embed"
    await openNode({}).catch(({ message }) => console.log(message))`
  const { stdout } = await promisify(execFile)(
    node,
    ["--input-type=module", "--eval", script],
    { cwd: root }
  )
  return stdout.trim()
}

const folder = mkdtempSync(join(tmpdir(), "rollup-node-nodes-"))
try {
  const nodes = await Promise.all(
    versions.map((version, i) => install(join(folder, `${i}`), version))
  )
  const outcomes: Array<Awaited<ReturnType<typeof tryNode>>> = []
  for (const node of nodes) outcomes.push(await tryNode(node))
  console.table(outcomes)
  const failed = outcomes.filter(({ answer, exit }) => answer !== "200" || exit !== "0")
  console.log(`nodes: ${outcomes.length - failed.length} passed, ${failed.length} failed`)
  const refusal = await errorOnOldNode(await install(join(folder, "old"), "^20.0.0"))
  console.log(`openNode on Node 20: ${refusal}`)
  const isRefused = /^Node 20\.[\d.]+ is too old: rollup-node-api needs Node 22\.19/u.test(refusal)
  process.exitCode = failed.length === 0 && isRefused ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
