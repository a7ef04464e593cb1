import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { arch, platform, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { writeFeedLine } from "../../core/mod.ts"
import { prehistory, simulate } from "../../app/simulator/mod.ts"
import { runInChromium } from "./_chromium.ts"

/*
 * Packs the package, installs the tarball into a project of its own that has no TypeScript, and runs one scenario there
 * under Node, Deno, Bun and in Chromium. All must say the same.
 */

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, "../..")
const run = (command: string, args: ReadonlyArray<string>, cwd: string) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 26 })

const folder = mkdtempSync(join(tmpdir(), "rollup-node-runtimes-"))
try {
  // no lock file: the versions are exact, and a lock made on one platform lacks the binaries of the others
  run("npm", ["install", "--no-package-lock", "--ignore-scripts"], here)
  run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], root)
  const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz"))!
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  run("npm", ["install", "--ignore-scripts", `./${tarball}`], folder)
  for (const file of ["scenario.js", "command.js"]) cpSync(join(here, file), join(folder, file))
  const simulation = simulate({ seed: "runtimes", users: 30 })
  const records = [{ kind: "genesis", genesis: simulation.genesis } as const, ...prehistory(simulation, 400)]
  writeFileSync(join(folder, "feed.ndjson"), records.map(writeFeedLine).join("\n"))

  const deno = join(here, `node_modules/@deno/${platform()}-${arch()}-glibc/deno`)
  const bun = join(here, `node_modules/@oven/bun-${platform()}-${arch()}/bin/bun`)
  const expected = run(process.execPath, ["command.js"], folder).trim()
  console.log(expected)
  const others: ReadonlyArray<readonly [string, () => string | Promise<string>]> = [
    ["Deno", () => run(deno, ["run", "--allow-read", "--no-lock", "--node-modules-dir=manual", "command.js"], folder)],
    ["Bun", () => run(bun, ["command.js"], folder)],
    ["Chromium", () => runInChromium(folder, process.env.CHROMIUM ?? "chromium", ["rollup-node-api", "effect", "@noble/hashes", "@noble/curves", "poseidon-lite"])]
  ]
  let failed = 0
  for (const [name, answers] of others) {
    const said = (await answers()).trim()
    if (said !== expected) failed++
    console.log(said === expected ? `${name} says the same as Node` : `${name} differs:\n${said}`)
  }
  console.log(`runtimes: ${others.length + 1 - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
