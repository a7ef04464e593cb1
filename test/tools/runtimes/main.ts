import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { arch, platform, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { writeFeedLine } from "../../../core/mod.ts"
import { initialHistory, simulate } from "../../../app/simulator/mod.ts"
import { json, killAll, type Running, serveWith, type State } from "../../program/_program.ts"
import { runInChromium } from "./_chromium.ts"

/*
 * Packs the package, installs the tarball into a project without TypeScript, and runs one scenario
 * there under Node, Deno, Bun and in Chromium. All must give the same result. The program of the
 * package serves the same network beside them.
 */

const here = import.meta.dirname
const root = join(here, "../../..")
const run = (command: string, args: ReadonlyArray<string>, cwd: string) =>
  execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 26
  })

/** Starts the program of the installed package, and waits until it has followed the feed. */
const serve = async (folder: string, lastBlock: bigint): Promise<Running> => {
  const served = await serveWith(["--memory", "--feed", "feed.ndjson"], {
    command: [process.execPath, "node_modules/.bin/rollup-node"],
    cwd: folder
  })
  const synchedBlock = async () =>
    (await json<State>(`${served.url}/state`)).network.lastSynchedBlock
  while (await synchedBlock() < lastBlock) await sleep(50)
  return served
}

interface LoggedRequest {
  readonly method: string
  readonly url: string
  readonly status: number
}
/** Returns the requests in a part of the log. */
const requestsIn = (log: string): ReadonlyArray<LoggedRequest> =>
  log.split("\n").filter((line) => line.includes('"message":"Request"'))
    .map((line) => JSON.parse(line) as LoggedRequest)

const folder = mkdtempSync(join(tmpdir(), "rollup-node-runtimes-"))
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
  const { output: log, url } = served

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
    ["Chromium", () => inChromium("scenario.js")]
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
  const before = log().length
  const followed = await inChromium("following.js")
  const requests = requestsIn(log().slice(before))
  const preflights = requests.filter(({ method }) => method === "OPTIONS")
  const unchanged = requests.filter(({ status }) => status === 304)
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
  killAll()
  rmSync(folder, { recursive: true, force: true })
}
