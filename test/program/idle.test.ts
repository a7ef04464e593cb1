import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { inDirectory, serve, until } from "./_program.ts"

const status = (pid: number) => `/proc/${pid}/status`
const residentKb = (pid: number): number => Number(/^VmRSS:\s+(\d+) kB/mu.exec(readFileSync(status(pid), "utf8"))![1])

describe("a server that nobody asks", () => {
  it.runIf(existsSync(status(process.pid)))("gives back memory that only its start needed, and answers", () => inDirectory(async () => {
    const { kill, pid, url } = await serve("--memory", "--empty")
    const [before, least] = [residentKb(pid), residentKb(pid) * 0.93]
    await until(() => residentKb(pid) < least, () => `${residentKb(pid)} kB of ${before} kB`)
    assert.strictEqual((await fetch(`${url}/state`)).status, 200)
    await kill()
  }))
})
