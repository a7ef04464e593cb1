import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { getPriority } from "node:os"
import { inDirectory, serve, until } from "./_program.ts"

const status = (pid: number) => `/proc/${pid}/status`
const residentKb = (pid: number): number => Number(/^VmRSS:\s+(\d+) kB/mu.exec(readFileSync(status(pid), "utf8"))![1])

/** Of the threads of a process, by their names. */
const prioritiesOf = (pid: number): ReadonlyMap<string, ReadonlySet<number>> => {
  const priorities = new Map<string, Set<number>>()
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const name = readFileSync(`/proc/${pid}/task/${id}/comm`, "utf8").trim()
    priorities.set(name, (priorities.get(name) ?? new Set()).add(getPriority(Number(id))))
  }
  return priorities
}

describe("a server that nobody asks", () => {
  it.runIf(existsSync(status(process.pid)))("gives back memory that only its start needed, answers, and lets its event loop come before the helpers of the engine", () => inDirectory(async () => {
    const { kill, pid, url } = await serve("--memory", "--empty")
    const [before, least] = [residentKb(pid), residentKb(pid) * 0.93]
    await until(() => residentKb(pid) < least, () => `${residentKb(pid)} kB of ${before} kB`)
    assert.strictEqual((await fetch(`${url}/state`)).status, 200)
    const priorities = prioritiesOf(pid)
    const own = getPriority()
    assert.deepStrictEqual([...priorities.get("MainThread")!], [own])
    assert.deepStrictEqual([...priorities.get("V8Worker")!], [Math.min(own + 10, 19)], "helpers come after the event loop")
    await kill()
  }))
})
