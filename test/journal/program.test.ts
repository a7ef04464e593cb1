import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defaultNetwork, simulate } from "../../app/simulator/mod.ts"
import { transfer } from "../../app/transfer.ts"

/* The program as its user runs it, with nothing but its command line and HTTP. */

const root = join(import.meta.dirname, "../..")
const main = join(root, "app/main.ts")

interface Running {
  readonly url: string
  readonly said: () => string
  readonly kill: () => Promise<void>
}

const started = new Set<ChildProcess>()

/** Starts a server and waits until it listens. */
const serve = (...words: ReadonlyArray<string>) => new Promise<Running>((resolve, reject) => {
  const child: ChildProcess = spawn(process.execPath, [main, "serve", "--port", "0", ...words], { stdio: ["ignore", "pipe", "inherit"] })
  started.add(child)
  const ended = new Promise<void>((done) => child.once("exit", () => done()))
  let said = ""
  child.once("exit", () => reject(new Error(said)))
  child.stdout!.on("data", (text) => {
    said += text
    const listening = /Listening on (http:\/\/\S+:\d+)/u.exec(said)
    if (listening !== null) resolve({ url: listening[1]!, said: () => said, kill: () => (child.kill("SIGKILL"), ended) })
  })
})

/** Runs a command to its end. */
const command = (...words: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [main, ...words], { encoding: "utf8", maxBuffer: 2 ** 28 })
  return { status, stderr, stdout }
}

const json = async <A>(url: string): Promise<A> => (await fetch(url)).json() as Promise<A>
interface State { readonly network: { readonly lastSynchedBlock: number; readonly lastBatch: { readonly batchNum: number } } }
interface Pooled { readonly id: string; readonly state: string }

const inDirectory = async (run: (directory: string) => Promise<void>) => {
  const directory = mkdtempSync(join(tmpdir(), "program-"))
  try {
    await run(join(directory, "data"))
  } finally {
    for (const child of started) child.kill("SIGKILL")
    rmSync(directory, { recursive: true, force: true })
  }
}

const flags = ["--pace", "0.5", "--transactions", "150"]

describe("the program with a data directory", () => {
  it("goes on after a kill with the same network and every transaction that it had acknowledged, and writes the feed of it all", () => inDirectory(async (directory) => {
    const first = await serve("--data", directory, ...flags)
    assert.include(first.said(), `Data in ${directory}: nothing yet`)
    const simulation = simulate({ seed: "1" })
    while (simulation.demoAccounts().length === 0) simulation.next()
    const { index: accountIndex, symbol } = simulation.demoAccounts()[0]!
    const { id } = await Effect.runPromise(transfer({
      url: first.url, network: defaultNetwork, privateKey: simulation.demo.privateKey, accountIndex, symbol, amount: "0.25", to: undefined, nonce: undefined
    }))
    const before = await json<State>(`${first.url}/state`)
    const block = await json<unknown>(`${first.url}/batches?maxBatchNum=3`)

    const second = command("serve", "--port", "0", "--data", directory)
    assert.strictEqual(second.status, 1)
    assert.match(second.stderr + second.stdout, /is in use by process \d+ on /u)
    await first.kill()

    const again = await serve("--data", directory, ...flags)
    assert.match(again.said(), /Data in .*: Ethereum block \d+, batch \d+, \d+ transactions, read from \d+ records in/u)
    assert.deepStrictEqual(await json(`${again.url}/batches?maxBatchNum=3`), block)
    const after = await json<State>(`${again.url}/state`)
    assert.isAtLeast(after.network.lastSynchedBlock, before.network.lastSynchedBlock - 5)
    for (let attempts = 0; ; attempts++) {
      const { state } = await json<Pooled>(`${again.url}/transactions-pool/${id}`)
      if (state === "fged") break
      assert.isBelow(attempts, 900, `${id} is ${state}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await again.kill()

    const feed = `${directory}.ndjson`
    assert.strictEqual(command("export", "--data", directory, "--out", feed).status, 0)
    const other = `${directory}-2`
    const ingested = await serve("--feed", feed, "--data", other)
    await until(ingested, /The feed has ended/u)
    const state = await json<State>(`${ingested.url}/state`)
    await ingested.kill()
    // the whole feed once more, rollbacks included: nothing of it is applied twice
    const resumed = await serve("--feed", feed, "--data", other)
    await until(resumed, /The feed has ended/u)
    assert.deepStrictEqual(await json(`${resumed.url}/state`), state)
    await resumed.kill()
  }))

  it("says what is wrong with its options", () => inDirectory(async (directory) => {
    const file = `${directory}.txt`
    writeFileSync(file, "no feed")
    for (const [words, expected] of [
      [["--data", file], /is a file; choose another one/u],
      [["--memory", "--data", directory], /--memory keeps nothing, and a directory is given/u],
      [["--feed", file, "--seed", "2", "--empty"], /--seed and --empty says is for the simulated network/u]
    ] as const) {
      const { status, stderr, stdout } = command("serve", "--port", "0", ...words)
      assert.strictEqual(status, 1)
      assert.match(stderr + stdout, expected)
    }
    const { status, stderr, stdout } = command("export", "--data", directory)
    assert.strictEqual(status, 1)
    assert.match(stderr + stdout, /holds no journal/u)
  }))
})

const until = async ({ said }: Running, expected: RegExp): Promise<void> => {
  for (let attempts = 0; !expected.test(said()); attempts++) {
    assert.isBelow(attempts, 1200, said())
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
