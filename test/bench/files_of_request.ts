import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { startCluster } from "../postgres/cluster.ts"
import { inDirectory, program, serveWith } from "../program/_program.ts"
import { Inspector } from "../tools/_inspector.ts"

/*
 * Lists the source files of which at least one function runs while the program answers one GET that
 * it has not answered before, over memory, a directory and PostgreSQL.
 *
 *     node test/bench/files_of_request.ts
 *     node test/bench/files_of_request.ts --path '/accounts?limit=3'
 *
 * The program runs as `npm start` does, without new blocks. V8 counts the calls of each function.
 * Files that also run while no request is answered, such as timers, are marked.
 */
const { path } = parseArgs({
  options: { path: { type: "string", default: "/transactions-history?limit=20" } }
}).values
const root = new URL("../../", import.meta.url).href
const idleMs = 6000

interface Coverage {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<
      { readonly ranges: ReadonlyArray<{ readonly count: number }> }
    >
  }>
}

const printFiles = async (store: string, words: ReadonlyArray<string>): Promise<void> => {
  const { kill, output, url } = await serveWith(["--pace", "0", ...words], {
    command: [process.execPath, "--inspect=127.0.0.1:0", program]
  })
  using inspector = await Inspector.open(output())
  /** Returns the source files that ran since the last call. */
  const filesRun = async (): Promise<ReadonlyArray<string>> => {
    const { result } = await inspector.call<Coverage>("Profiler.takePreciseCoverage")
    return result
      .filter(({ functions, url }) =>
        url.startsWith(root) && !url.includes("/node_modules/") &&
        functions.some(({ ranges }) => ranges[0]!.count > 0)
      )
      .map(({ url }) => url.slice(root.length))
      .sort()
  }
  await inspector.call("Profiler.enable")
  await inspector.call("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  await untilQuiet(url)
  await sleep(500)
  await filesRun()
  await sleep(idleMs)
  const idle = new Set(await filesRun())
  await get(url + path)
  await sleep(100)
  const files = await filesRun()
  console.log(
    `\nGET ${path} over ${store}: ${files.length} files, of which ${
      files.filter((file) => idle.has(file)).length
    } run without requests too`
  )
  await kill()
  for (const file of files) console.log(`  ${idle.has(file) ? "*" : " "} ${file}`)
}

/** Waits until no block was added for five seconds. The requests also prepare the server. */
const untilQuiet = async (url: string): Promise<void> => {
  for (let last: string | undefined;;) {
    const version = await get(`${url}/tokens`)
    if (version === last) return
    last = version
    await sleep(5000)
  }
}

/** Sends a request over a new connection; returns the version of the ledger. */
const get = async (url: string): Promise<string> => {
  const response = await fetch(url, { headers: { connection: "close" } })
  if (response.status !== 200) throw new Error(`${url}: ${await response.text()}`)
  await response.arrayBuffer()
  return response.headers.get("ledger-version")!
}

await using cluster = await startCluster()
const database = await cluster.createDatabase()
await inDirectory(async (directory) => {
  await printFiles("memory", ["--memory"])
  await printFiles("a directory", ["--data", join(directory, "data")])
  await printFiles("PostgreSQL", ["--simulate", "--database", database])
})
