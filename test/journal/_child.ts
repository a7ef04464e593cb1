import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { promisify } from "node:util"
import { acknowledgementsIn } from "./_crash_model.ts"

/** A child process that writes to stores, reports its writes, and is killed. */
export interface Child {
  /**
   * Starts the writes after the first `writeCount` of its script. Until then the child only loads
   * its program.
   */
  readonly begin: (writeCount: number) => void
  /** Resolves once it has opened the stores and acknowledged `count` writes, or has ended. */
  readonly acknowledged: (count: number) => Promise<void>
  readonly kill: () => void
  /**
   * Resolves once it has ended. Rejects if it was not killed, did not finish its script and has no
   * allowed exit code.
   */
  readonly ended: Promise<ChildReport>
}

/** The output of a child, and its times. */
export interface ChildReport {
  readonly hasOpened: boolean
  /** Number of acknowledged writes. */
  readonly acknowledged: number
  /** Number of checkpoints that it completed. */
  readonly checkpoints: number
  /** Whether it ended while it wrote a checkpoint. */
  readonly isInCheckpoint: boolean
  /** Time from `begin` until the stores were open; null if they never were. */
  readonly openingMs: number | null
  /** Mean time of an acknowledged write; null if there was none. */
  readonly writeMs: number | null
}

/** Bundles a program into one file of a folder, which starts faster, and returns its path. */
export const bundledChild = async (source: string, folder: string): Promise<string> => {
  const file = join(folder, "child.mjs")
  // more threads of the bundler do not make it faster, and they wait actively
  const env = { ...process.env, RAYON_NUM_THREADS: "1", TOKIO_WORKER_THREADS: "1" }
  await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, "write_child.ts"),
    source,
    file
  ], { env })
  return file
}

/** Starts a child. */
export const startChild = (
  args: ReadonlyArray<string>,
  allowedExitCodes: ReadonlyArray<number> = []
): Child => {
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
  child.stdin!.on("error", () => {}) // it may have been killed before `begin`
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>
  let output = ""
  let [beginMs, openMs, lastMs] = [0, 0, 0]
  child.stdout!.on("data", (chunk: Buffer) => {
    output += String(chunk)
    lastMs = performance.now()
    if (openMs === 0) openMs = lastMs
  })
  return {
    begin: (writeCount) => {
      beginMs = performance.now()
      child.stdin!.write(String(writeCount))
    },
    acknowledged: (count) =>
      new Promise((resolve) => {
        child.stdout!.on("data", () => {
          if (output !== "" && acknowledgementsIn(output) >= count) resolve()
        })
        child.once("close", () => resolve())
      }),
    kill: () => void child.kill("SIGKILL"),
    ended: closed.then(([code, signal]) => {
      const lines = output.split("\n")
      const countOf = (line: string) => lines.filter((each) => each === line).length
      if (signal !== "SIGKILL" && !lines.includes("end") && !allowedExitCodes.includes(code!)) {
        throw new Error(`The child ended by itself with ${code} after "${lines.at(-2)}"`)
      }
      const acknowledged = acknowledgementsIn(output)
      return {
        hasOpened: output !== "",
        acknowledged,
        checkpoints: countOf("installed"),
        isInCheckpoint: countOf("checkpoint") > countOf("installed"),
        openingMs: output === "" ? null : openMs - beginMs,
        writeMs: acknowledged === 0 ? null : (lastMs - openMs) / acknowledged
      }
    })
  }
}
