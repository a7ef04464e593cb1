import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { startCluster } from "../postgres/cluster.ts"
import { showFigure } from "./_figures.ts"
import { median } from "./_load.ts"
import { memoryMB, startServer } from "./_servers.ts"

/** The programs of `npm start`, and of the package and the image. */
const programs = {
  sources: import.meta.resolve("../../app/main.js"),
  bundle: import.meta.resolve("../../dist/program/main.js")
}
const raw = [import.meta.resolve("./http/_raw_server.ts"), ["http://127.0.0.1:9"]] as const

/** Starts a server and waits for its first answer. */
const firstAnswer = async (
  [script, args]: readonly [script: string, args: ReadonlyArray<string>],
  env = process.env
) => {
  const server = await startServer(script, args, { cores: "all", env })
  // the peer answers 304, since it has no content
  const headers = { "If-None-Match": "1" }
  await (await fetch(`http://127.0.0.1:${server.port}/state`, { headers })).arrayBuffer()
  return server
}

/**
 * Measures the seconds from the start of the process to its first answer, in turn; all files are in
 * the page cache.
 */
export const benchStart = async (rounds: number): Promise<void> => {
  execFileSync(process.execPath, [join(import.meta.dirname, "../../app/packaging/bundle.ts")])
  const demo = ["serve", "--memory", "--port", "0"]
  const empty = [...demo, "--empty"]
  const kinds = [
    { name: "empty network, sources", bound: "< 1.5 s", server: [programs.sources, empty] },
    { name: "empty network, bundle", bound: "< 1.5 s", server: [programs.bundle, empty] },
    { name: "demo network, sources", bound: "< 3 s", server: [programs.sources, demo] },
    { name: "demo network, bundle", bound: "< 3 s", server: [programs.bundle, demo] },
    { name: "node:http", bound: undefined, server: raw }
  ] as const
  const seconds = kinds.map(() => [] as Array<number>)
  for (let round = -1; round < rounds; round++) {
    for (const [at, { server }] of kinds.entries()) {
      const started = performance.now()
      await using _ = await firstAnswer(server)
      if (round >= 0) seconds[at]!.push((performance.now() - started) / 1000)
    }
  }
  for (const [at, { bound, name }] of kinds.entries()) {
    const { median: middle, spread } = median(seconds[at]!)
    const measured = `${middle.toFixed(2)} ± ${spread.toFixed(2)} s`
    showFigure({ name: `first answer, ${name}`, bound, measured })
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
  await using cluster = await startCluster()
  const compiled = mkdtempSync(join(tmpdir(), "bench-compiled-"))
  const idle = async (server: Parameters<typeof firstAnswer>[0]) => {
    await using running = await firstAnswer(server, {
      ...process.env,
      NODE_COMPILE_CACHE: compiled
    })
    await sleep(10_000)
    return memoryMB(running.pid)
  }
  const over = async (program: string) => {
    const words = ["serve", "--simulate", "--empty", "--port", "0"]
    return [program, [...words, "--database", await cluster.createDatabase()]] as const
  }
  const [sources, bundle] = [await over(programs.sources), await over(programs.bundle)]
  const first = await idle(sources)
  const [next, bundled, peer] = await Promise.all([sources, bundle, raw].map(idle))
  rmSync(compiled, { recursive: true, force: true })
  const others = `${first} MB after the first start ever; bare \`node:http\` ${peer} MB`
  showFigure({
    name: "resident memory over PostgreSQL, idle for 10 s",
    bound: "< 200 MB",
    measured: `bundle ${bundled} MB, sources ${next} MB (${others})`
  })
}
