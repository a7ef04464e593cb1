import { assert } from "@effect/vitest"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { simulate } from "../../app/simulator/mod.ts"
import { connect, walletFromEthereumKey } from "../../adapters/wallet/mod.ts"
import { env } from "./_env.ts"

/* Runs the program as a user does, by its command line and HTTP only. */

/** The program of `npm start`. */
export const program = join(import.meta.dirname, "../../app/main.js")

export interface Running {
  readonly url: string
  readonly pid: number
  readonly output: () => string
  readonly kill: () => Promise<void>
}

const started = new Set<ChildProcess>()

/** Starts a server and waits until it listens. */
export const serve = (...words: ReadonlyArray<string>) =>
  new Promise<Running>((resolve, reject) => {
    const child: ChildProcess = spawn(
      process.execPath,
      [program, "serve", "--port", "0", ...words],
      { env, stdio: ["ignore", "pipe", "inherit"] }
    )
    started.add(child)
    const ended = new Promise<void>((done) => child.once("exit", () => done()))
    let output = ""
    child.once("exit", () => reject(new Error(output)))
    child.stdout!.on("data", (text) => {
      output += text
      const listening = /Listening on (http:\/\/\S+:\d+)/u.exec(output)
      if (listening !== null) {
        resolve({
          url: listening[1]!,
          pid: child.pid!,
          output: () => output,
          kill: () => (child.kill("SIGKILL"), ended)
        })
      }
    })
  })

/** Starts a server with a simulated network, and waits until its history is complete. */
export const serveLive = async (...words: ReadonlyArray<string>): Promise<Running> => {
  const running = await serve(...words)
  await until(() => isLive(running.output()), running.output)
  return running
}

/** Whether the log of a server says that the history of its simulated network is complete. */
export const isLive = (log: string): boolean =>
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
    for (const child of started) child.kill("SIGKILL")
    rmSync(directory, { recursive: true, force: true })
  }
}

export const json = async <A>(url: string): Promise<A> => (await fetch(url)).json() as Promise<A>

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
    await new Promise((resolve) => setTimeout(resolve, 100))
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
