import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { startCluster } from "../postgres/cluster.ts"
import { noteFigure } from "./_figures.ts"
import { median } from "./_load.ts"

const program = new URL("../../app/main.js", import.meta.url).pathname
const raw = new URL("./_raw_server.ts", import.meta.url).pathname

/** Seconds from the start of the process to its first answer, the program as its user starts it and the bare peer by turns; the files are in the system's cache. */
export const benchStart = async (rounds: number): Promise<void> => {
  const kinds = {
    "empty network": [program, "serve", "--memory", "--empty", "--port", "0"],
    "demo network": [program, "serve", "--memory", "--port", "0"],
    "node:http": [raw, "http://127.0.0.1:9"]
  }
  const seconds: { [kind: string]: Array<number> } = {}
  for (let round = -1; round < rounds; round++) {
    for (const [kind, args] of Object.entries(kinds)) {
      const started = performance.now()
      const server = await startProgram(args)
      await fetch(`http://127.0.0.1:${server.port}/state`, kind === "node:http" ? { headers: { "If-None-Match": "1" } } : {}).then((response) => response.arrayBuffer())
      if (round >= 0) (seconds[kind] ??= []).push((performance.now() - started) / 1000)
      await server.stop()
    }
  }
  for (const kind in kinds) {
    const { median: middle, spread } = median(seconds[kind]!)
    const told = `${middle.toFixed(2)} ± ${spread.toFixed(2)} s`
    console.log(`  ${`first answer, ${kind}`.padEnd(48)} ${told}`)
    noteFigure("start", `${kind} ${told}`)
  }
}

/** Resident memory of a server that nobody asks anything, over a PostgreSQL of its own with an empty ledger, and of the bare peer; only Linux tells. */
export const benchIdleMemory = async (): Promise<void> => {
  if (!existsSync("/proc/self/status")) return console.log("  resident memory: this system does not tell")
  const cluster = await startCluster()
  try {
    const ours = await startProgram([program, "serve", "--database", await cluster.createDatabase(), "--empty", "--port", "0"])
    const peer = await startProgram([raw, "http://127.0.0.1:9"])
    try {
      await (await fetch(`http://127.0.0.1:${ours.port}/state`)).arrayBuffer()
      await new Promise((resolve) => setTimeout(resolve, 10_000))
      const [mebibytes, least] = [residentMiB(ours.pid), residentMiB(peer.pid)]
      console.log(`  ${"resident memory over PostgreSQL, idle for 10 s".padEnd(48)} ${Math.round(mebibytes * 1.048576)} MB, ${(mebibytes / least).toFixed(2)} times the bare peer`)
      noteFigure("memory", `${Math.round(mebibytes * 1.048576)} MB (bare \`node:http\` ${Math.round(least * 1.048576)} MB)`)
    } finally {
      await Promise.all([ours.stop(), peer.stop()])
    }
  } finally {
    await cluster.remove()
  }
}

const residentMiB = (pid: number): number => Number(/^VmRSS:\s+(\d+) kB/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024

/** A program that says where it listens, in either way. */
const startProgram = async (args: ReadonlyArray<string>) => {
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const port = await new Promise<number>((resolve, reject) => {
    let said = ""
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}: ${said}`)))
    child.stdout!.on("data", (text) => {
      said += text
      const port = /(?:listening |Listening on http:\/\/\S+:)(\d+)/u.exec(said)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
  })
  const stop = () => new Promise<void>((resolve) => {
    child.removeAllListeners("exit").once("exit", () => resolve())
    child.kill("SIGTERM")
  })
  return { port, pid: child.pid!, stop }
}
