import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { arch, platform, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { writeFeedLine } from "../../../core/mod.ts"
import { initialHistory, simulate } from "../../../app/simulator/mod.ts"
import { runInChromium } from "./_chromium.ts"

/*
 * Packs the package, installs the tarball into a project without TypeScript, and runs one scenario
 * there under Node, Deno, Bun and in Chromium. All must give the same result. The program of the
 * package serves the same network beside them.
 */

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, "../../..")
const run = (command: string, args: ReadonlyArray<string>, cwd: string) =>
  execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 26
  })

/** A running program. */
interface Served {
  readonly server: ChildProcess
  readonly url: string
  /** The requests in its log. */
  readonly requests: Array<{
    readonly method: string
    readonly url: string
    readonly status: number
  }>
}

/** Starts the program of the installed package; returns its URL when it has followed the feed. */
const serve = async (
  folder: string,
  lastBlock: bigint
): Promise<Served> => {
  const server = spawn(process.execPath, [
    "node_modules/.bin/rollup-node",
    "serve",
    "--memory",
    "--feed",
    "feed.ndjson",
    "--port",
    "0"
  ], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] })
  const requests: Served["requests"] = []
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(server.stdout!).on("line", (line) => {
      if (line.includes('"message":"Request"')) requests.push(JSON.parse(line))
      const listening = /Listening on (http:\/\/[\w.:[\]]+)/u.exec(line)?.[1]
      if (listening !== undefined) resolve(listening)
    })
    server.once("exit", (code) => reject(new Error(`The program ended with ${code}`)))
  })
  while (
    ((await (await fetch(`${url}/state`)).json()) as State).network.lastSynchedBlock < lastBlock
  ) await new Promise((resolve) => setTimeout(resolve, 50))
  return { server, url, requests }
}
interface State {
  readonly network: { readonly lastSynchedBlock: number }
}

const folder = mkdtempSync(join(tmpdir(), "rollup-node-runtimes-"))
let server: ChildProcess | undefined
try {
  // no lock file: the versions are exact, and a lock made on one platform lacks the binaries of the
  // others
  run("npm", ["install", "--no-package-lock", "--ignore-scripts"], here)
  run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], root)
  const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz"))!
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  run("npm", ["install", "--ignore-scripts", `./${tarball}`], folder)
  for (const file of ["scenario.js", "following.js", "command.js"]) {
    cpSync(join(here, file), join(folder, file))
  }
  const simulation = simulate({ seed: "runtimes", users: 30 })
  const records = [
    { kind: "genesis", genesis: simulation.genesis } as const,
    ...initialHistory(simulation, 400)
  ]
  writeFileSync(join(folder, "feed.ndjson"), records.map(writeFeedLine).join("\n"))

  const last = records.findLast((record) => record.kind === "block" || record.kind === "rollBack")!
  const served = await serve(
    folder,
    last.kind === "block" ? last.block.number : last.kind === "rollBack" ? last.toBlock : 0n
  )
  const { url } = served
  server = served.server

  const deno = join(here, `node_modules/@deno/${platform()}-${arch()}-glibc/deno`)
  const bun = join(here, `node_modules/@oven/bun-${platform()}-${arch()}/bin/bun`)
  const expected = run(process.execPath, ["command.js", url], folder).trim()
  console.log(expected)
  const inChromium = (module: string) =>
    runInChromium(
      folder,
      process.env.CHROMIUM ?? "chromium",
      ["rollup-node-api", "effect", "@noble/hashes", "@noble/curves"],
      url,
      module
    )
  const others: ReadonlyArray<readonly [string, () => string | Promise<string>]> = [
    [
      "Deno",
      () =>
        run(deno, [
          "run",
          "--allow-read",
          `--allow-net=${new URL(url).hostname}`,
          "--no-lock",
          "--node-modules-dir=manual",
          "command.js",
          url
        ], folder)
    ],
    ["Bun", () => run(bun, ["command.js", url], folder)],
    [
      "Chromium",
      () => inChromium("scenario.js")
    ]
  ]
  let failed = 0
  for (const [name, answers] of others) {
    const output = (await answers()).trim()
    if (output !== expected) failed++
    console.log(
      output === expected ? `${name} gives the same result as Node` : `${name} differs:\n${output}`
    )
  }
  const shown = run(bun, [
    "-e",
    `import { openNode } from "rollup-node-api/embed"
    import { simulate } from "rollup-node-api/simulator"
    const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
    console.log(await node.list("tokens"))
    await node.close()`
  ], folder)
  const isDataOnly = shown.includes("Ether") && !shown.includes("toJSON")
  if (!isDataOnly) failed++
  console.log(isDataOnly ? "Bun prints the data of a result only" : `Bun prints: ${shown}`)
  served.requests.length = 0
  const followed = await inChromium("following.js")
  const [preflights, unchanged] = [
    served.requests.filter(({ method }) => method === "OPTIONS"),
    served.requests.filter(({ status }) => status === 304)
  ]
  const isFollowed = followed.startsWith("followed pend pend") && unchanged.length >= 9 &&
    preflights.length === 1 && preflights[0]!.url === "/transactions-pool"
  if (!isFollowed) failed++
  console.log(
    `Chromium, a page that follows its transfer: ${followed}; preflights ${
      JSON.stringify(preflights.map(({ url }) => url))
    }, ${unchanged.length} answers 304${
      isFollowed ? "" : ", expected only that of the post, and 9"
    }`
  )
  console.log(`runtimes: ${others.length + 3 - failed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  if (server !== undefined && server.exitCode === null) {
    server.kill()
    await once(server, "exit")
  }
  rmSync(folder, { recursive: true, force: true })
}
