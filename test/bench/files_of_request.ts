import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { startCluster } from "../postgres/cluster.ts"

/*
 * Lists the source files of which at least one function runs while the program answers one GET that
 * it has not answered before, over memory, a directory and PostgreSQL.
 *
 *     node test/bench/files_of_request.ts
 *     node test/bench/files_of_request.ts --path '/accounts?limit=3'
 *
 * The program runs as `npm start` does, without new blocks. V8 counts the calls of each function.
 * Files that also run while no request is answered, such as timers, are listed separately.
 */
const { path } = parseArgs({
  options: { path: { type: "string", default: "/transactions-history?limit=20" } }
}).values
const root = new URL("../../", import.meta.url)
const idleMs = 6000

interface Span {
  /** The files that run while the request is answered, and not otherwise. */
  readonly request: ReadonlyArray<string>
  /** The files that run while the request is answered, and without requests. */
  readonly both: ReadonlyArray<string>
}

const filesOfRequest = async (words: ReadonlyArray<string>): Promise<Span> => {
  const program = await startProgram(["--pace", "0", ...words])
  const inspector = await connect(program.inspectorUrl)
  try {
    await inspector.call("Profiler.enable")
    await inspector.call("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
    await untilQuiet(program.url)
    await wait(500)
    await inspector.files()
    await wait(idleMs)
    const idle = new Set(await inspector.files())
    await get(program.url + path)
    await wait(100)
    const files = await inspector.files()
    return {
      request: files.filter((file) => !idle.has(file)),
      both: files.filter((file) => idle.has(file))
    }
  } finally {
    inspector.close()
    await program.stop()
  }
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits until no block was added for five seconds. The requests also prepare the server. */
const untilQuiet = async (url: string): Promise<void> => {
  for (let last: string | undefined;;) {
    const version = await get(`${url}/tokens`)
    if (version === last) return
    last = version
    await wait(5000)
  }
}

/** Sends a request over a new connection; returns the version of the ledger. */
const get = async (url: string): Promise<string> => {
  const response = await fetch(url, { headers: { connection: "close" } })
  if (response.status !== 200) throw new Error(`${url}: ${await response.text()}`)
  await response.arrayBuffer()
  return response.headers.get("ledger-version")!
}

const startProgram = async (words: ReadonlyArray<string>) => {
  const child: ChildProcess = spawn(process.execPath, [
    "--inspect=127.0.0.1:0",
    new URL("app/main.js", root).pathname,
    "serve",
    "--port",
    "0",
    ...words
  ], { stdio: ["ignore", "pipe", "pipe"] })
  const { inspectorUrl, url } = await new Promise<{ inspectorUrl: string; url: string }>(
    (resolve, reject) => {
      let output = ""
      const onText = (text: string) => {
        output += text
        const inspectorUrl = /Debugger listening on (ws:\S+)/u.exec(output)?.[1]
        const url = /Listening on (http:\/\/\S+:\d+)/u.exec(output)?.[1]
        if (inspectorUrl !== undefined && url !== undefined) resolve({ inspectorUrl, url })
      }
      child.stdout!.setEncoding("utf8").on("data", onText)
      child.stderr!.setEncoding("utf8").on("data", onText)
      child.once("exit", () => reject(new Error(output)))
    }
  )
  const stop = () =>
    new Promise<void>((resolve) => {
      child.once("exit", () => resolve())
      child.kill("SIGTERM")
    })
  return { inspectorUrl, url, stop }
}

interface Coverage {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<
      { readonly ranges: ReadonlyArray<{ readonly count: number }> }
    >
  }>
}

/** Connects to the inspector of a program. */
const connect = async (url: string) => {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve)
    socket.addEventListener("error", reject)
  })
  const waiting = new Map<number, (result: unknown) => void>()
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
  })
  let calls = 0
  const call = (method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      waiting.set(++calls, resolve)
      socket.send(JSON.stringify({ id: calls, method, params }))
    })
  /** Returns the source files that ran since the last call. */
  const files = async (): Promise<ReadonlyArray<string>> => {
    const { result } = await call("Profiler.takePreciseCoverage") as Coverage
    return result
      .filter(({ functions, url }) =>
        url.startsWith(root.href) && !url.includes("/node_modules/") &&
        functions.some(({ ranges }) => ranges[0]!.count > 0)
      )
      .map(({ url }) => url.slice(root.href.length))
      .sort()
  }
  return { call, files, close: () => socket.close() }
}

const directory = mkdtempSync(join(tmpdir(), "files-"))
const cluster = await startCluster()
try {
  const stores = {
    memory: ["--memory"],
    directory: ["--data", join(directory, "data")],
    PostgreSQL: ["--simulate", "--database", await cluster.createDatabase()]
  }
  for (const [store, words] of Object.entries(stores)) {
    const { both, request } = await filesOfRequest(words)
    console.log(
      `\nGET ${path} over ${store}: ${
        request.length + both.length
      } files, of which ${both.length} run without requests too`
    )
    for (const file of request) console.log(`  ${file}`)
    for (const file of both) console.log(`  ${file} (also without requests)`)
  }
} finally {
  await cluster.remove()
  rmSync(directory, { recursive: true, force: true })
}
