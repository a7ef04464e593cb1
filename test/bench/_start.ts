import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startCluster } from "../postgres/cluster.ts"
import { showFigure } from "./_figures.ts"
import { median } from "./_load.ts"

const root = new URL("../..", import.meta.url).pathname
/** The programs of `npm start`, and of the package and the image. */
const programs = { sources: join(root, "app/main.js"), bundle: join(root, "dist/program/main.js") }
const raw = new URL("./http/_raw_server.ts", import.meta.url).pathname

/**
 * Measures the seconds from the start of the process to its first answer, in turn; all files are in
 * the page cache.
 */
export const benchStart = async (rounds: number): Promise<void> => {
  execFileSync(process.execPath, [join(root, "app/packaging/bundle.ts")])
  const empty = ["serve", "--memory", "--empty", "--port", "0"]
  const demo = ["serve", "--memory", "--port", "0"]
  const kinds = {
    "empty network, sources": [programs.sources, ...empty],
    "empty network, bundle": [programs.bundle, ...empty],
    "demo network, sources": [programs.sources, ...demo],
    "demo network, bundle": [programs.bundle, ...demo],
    "node:http": [raw, "http://127.0.0.1:9"]
  }
  const seconds: { [kind: string]: Array<number> } = {}
  for (let round = -1; round < rounds; round++) {
    for (const [kind, args] of Object.entries(kinds)) {
      const started = performance.now()
      const server = await startProgram(args)
      await firstAnswer(server.port)
      if (round >= 0) (seconds[kind] ??= []).push((performance.now() - started) / 1000)
      await server.stop()
    }
  }
  for (const kind in kinds) {
    const { median: middle, spread } = median(seconds[kind]!)
    const result = `${middle.toFixed(2)} ± ${spread.toFixed(2)} s`
    showFigure({
      name: `first answer, ${kind}`,
      bound: kind.startsWith("empty") ? "< 1.5 s" : kind.startsWith("demo") ? "< 3 s" : undefined,
      measured: result
    })
  }
}

/**
 * Measures the resident memory of an idle server over its own PostgreSQL with an empty ledger, and
 * of the bare peer; on Linux only. The first start compiles the sources; later ones use the compile
 * cache.
 */
export const benchIdleMemory = async (): Promise<void> => {
  if (!existsSync("/proc/self/status")) {
    return console.log("  resident memory: this system does not tell")
  }
  const cluster = await startCluster()
  const compiled = mkdtempSync(join(tmpdir(), "bench-compiled-"))
  try {
    const idle = async (args: ReadonlyArray<string>) => {
      const server = await startProgram(args, { ...process.env, NODE_COMPILE_CACHE: compiled })
      try {
        await firstAnswer(server.port)
        await new Promise((resolve) => setTimeout(resolve, 10_000))
        return residentMB(server.pid)
      } finally {
        await server.stop()
      }
    }
    const ours = async (
      program: string
    ) => [
      program,
      "serve",
      "--database",
      await cluster.createDatabase(),
      "--simulate",
      "--empty",
      "--port",
      "0"
    ]
    const [sources, bundle] = [await ours(programs.sources), await ours(programs.bundle)]
    const first = await idle(sources)
    const [next, bundled, peer] = await Promise.all(
      [idle(sources), idle(bundle), idle([raw, "http://127.0.0.1:9"])]
    )
    const others = `${first} MB after the first start ever; bare \`node:http\` ${peer} MB`
    const result = `bundle ${bundled} MB, sources ${next} MB (${others})`
    showFigure({
      name: "resident memory over PostgreSQL, idle for 10 s",
      bound: "< 200 MB",
      measured: result
    })
  } finally {
    await cluster.remove()
    rmSync(compiled, { recursive: true, force: true })
  }
}

const residentMB = (pid: number): number =>
  Math.round(
    Number(/^VmRSS:\s+(\d+) kB/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) * 1.024e-3
  )

/**
 * Returns the first answer of the program, or of the peer, which answers 304 while it has no
 * content.
 */
const firstAnswer = async (port: number) =>
  (await fetch(`http://127.0.0.1:${port}/state`, { headers: { "If-None-Match": "1" } }))
    .arrayBuffer()

/** Starts a program and waits until it prints its address, in either format. */
const startProgram = async (args: ReadonlyArray<string>, env = process.env) => {
  const child: ChildProcess = spawn(process.execPath, args, {
    env,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const port = await new Promise<number>((resolve, reject) => {
    let output = ""
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}: ${output}`)))
    child.stdout!.on("data", (text) => {
      output += text
      const port = /(?:listening |Listening on http:\/\/\S+:)(\d+)/u.exec(output)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
  })
  const stop = () =>
    new Promise<void>((resolve) => {
      child.removeAllListeners("exit").once("exit", () => resolve())
      child.kill("SIGTERM")
    })
  return { port, pid: child.pid!, stop }
}
