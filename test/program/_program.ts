import { assert } from "@effect/vitest"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { simulate } from "../../app/simulator/mod.ts"
import { connect, walletFromEthereumKey } from "../../adapters/wallet/mod.ts"
import { env } from "./_env.ts"

/* Runs the program as a user does, by its command line and HTTP only. */

/** The program of `npm start`. */
export const program = join(import.meta.dirname, "../../app/main.js")

export interface Started {
  readonly child: ChildProcess
  readonly pid: number
  /** The text on both streams. */
  readonly output: () => string
  readonly errors: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  readonly kill: () => Promise<unknown>
  readonly hasEnded: () => boolean
  readonly ended: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>
}

export interface Running extends Started {
  readonly url: string
  readonly port: number
  /** The URL of the admin listener; undefined if it is off. */
  readonly admin: string | undefined
}

export interface StartOptions {
  /** The command that runs the words; by default Node with the program. */
  readonly command?: ReadonlyArray<string>
  readonly cwd?: string
  /** Variables to set in addition to those of `env`. */
  readonly environment?: NodeJS.ProcessEnv
  readonly hasInput?: boolean
  /** Whether the process gets a process group of its own, which `killAll` ends as a whole. */
  readonly isGroup?: boolean
}

const started = new Map<ChildProcess, StartOptions>()

/** Kills every program that was started. */
export const killAll = (): void => {
  for (const [child, { isGroup = false }] of started) {
    try {
      if (isGroup) process.kill(-child.pid!, "SIGKILL")
      else child.kill("SIGKILL")
    } catch {
      // all processes of the group have ended
    }
  }
  started.clear()
}

export const start = (words: ReadonlyArray<string>, options: StartOptions = {}): Started => {
  const { command = [process.execPath, program], cwd, environment, hasInput, isGroup } = options
  const [file, ...first] = command
  const child = spawn(file!, [...first, ...words], {
    cwd,
    detached: isGroup,
    env: { ...env, ...environment },
    stdio: [hasInput === true ? "pipe" : "ignore", "pipe", "pipe"]
  })
  started.set(child, options)
  let [output, errors] = ["", ""]
  child.stdout!.on("data", (text) => output += text)
  child.stderr!.on("data", (text) => {
    output += text
    errors += text
  })
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>
  return {
    child,
    pid: child.pid!,
    output: () => output,
    errors: () => errors,
    signal: (signal) => void child.kill(signal),
    kill: () => (child.kill("SIGKILL"), ended),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    ended
  }
}

/** Waits until the log of a program has a line that matches. */
export const untilLogged = async (
  { hasEnded, output }: Started,
  line: RegExp | string
): Promise<void> => {
  await until(() => hasEnded() || isIn(output(), line), output)
  assert.isTrue(isIn(output(), line), output())
}

const isIn = (log: string, line: RegExp | string): boolean =>
  typeof line === "string" ? log.includes(line) : line.test(log)

/** Waits until a server listens. */
export const listening = async (server: Started): Promise<Running> => {
  await untilLogged(server, /Listening on http:\S+:\d+/u)
  const urlAfter = (text: string) =>
    new RegExp(`${text} (http://[^\\s",]+:\\d+)`, "u").exec(server.output())?.[1]
  const url = urlAfter("Listening on")!
  const admin = urlAfter("Health and metrics at")
  return { ...server, url, admin, port: Number(new URL(url).port) }
}

/** Starts a server and waits until it listens; its port is free unless the words have another one. */
export const serve = (...words: ReadonlyArray<string>): Promise<Running> => serveWith(words)

export const serveWith = (
  words: ReadonlyArray<string>,
  options: StartOptions = {}
): Promise<Running> => {
  const port = words.includes("--port") ? [] : ["--port", "0"]
  return listening(start(["serve", ...port, ...words], options))
}

/** Starts a server with a simulated network, and waits until its history is complete. */
export const serveLive = async (...words: ReadonlyArray<string>): Promise<Running> => {
  const running = await serve(...words)
  await until(() => isLive(running.output()), running.output)
  return running
}

/** Whether the log of a server says that the history of its simulated network is complete. */
const isLive = (log: string): boolean =>
  /The simulated network (?:is live|adds no blocks)/u.test(log)

/** Runs a command to its end. */
export const command = (...words: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [program, ...words], {
    encoding: "utf8",
    env,
    maxBuffer: 2 ** 28
  })
  return { status, output: stderr + stdout }
}

/**
 * Passes the path of a directory that does not exist yet; removes it and stops every server
 * afterwards.
 */
export const inDirectory = async (run: (directory: string) => Promise<void>) => {
  const directory = mkdtempSync(join(tmpdir(), "program-"))
  try {
    await run(join(directory, "data"))
  } finally {
    killAll()
    rmSync(directory, { recursive: true, force: true })
  }
}

export const json = async <A>(url: string): Promise<A> => (await fetch(url)).json() as Promise<A>

/** Posts a JSON body, as a client does. */
export const postJson = (url: string, body: string): Promise<Response> =>
  fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } })

/** Checks that each path of a server is answered with 200. */
export const assertServed = async (url: string, paths: ReadonlyArray<string>): Promise<void> => {
  for (const path of paths) assert.strictEqual((await fetch(url + path)).status, 200, path)
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))

export interface State {
  readonly network: {
    readonly lastSynchedBlock: number
    readonly lastBatch: { readonly batchNum: number }
  }
}

/** Waits until a condition holds, five minutes at most: other work can take most of a machine. */
export const until = async (
  holds: () => boolean | Promise<boolean>,
  told: () => string
): Promise<void> => {
  for (let attempts = 0; !(await holds()); attempts++) {
    assert.isBelow(attempts, 3000, told())
    await pause(100)
  }
}

/** Sends from the demo wallet, as `wallet --send` does; returns the id of the transaction. */
export const sendFromDemoWallet = async (url: string): Promise<string> => {
  const { demoWallet } = simulate({ seed: "1" })
  const rollup = await connect({ url })
  const wallet = walletFromEthereumKey(demoWallet.ethereumKey, rollup.network)
  const [first] = await rollup.accounts(wallet)
  const { id } = await first!.transfer({ to: "zk:ETH:256", amount: "0.25" })
  return id
}

export const isForged = async (url: string, id: string): Promise<boolean> =>
  (await json<{ readonly state: string }>(`${url}/transactions-pool/${id}`)).state === "fged"
