import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { promisify } from "node:util"
import { countOf } from "./_crash_model.ts"

/** A process that writes, prints each acknowledged write, and is killed. */
export interface Child {
  /**
   * Starts the writes; `made` is the number of writes of the script that the stores contain. Before
   * that the process only loads its program.
   */
  readonly begin: (made: number) => void
  /** Resolves when it has opened the stores and acknowledged this many writes, or has ended. */
  readonly acknowledged: (count: number) => Promise<void>
  readonly kill: () => void
  /**
   * Resolves with its output and times when it has ended; rejects if it ended by itself with an
   * unexpected exit code or before the end of its script.
   */
  readonly ended: Promise<ChildOutput>
}

export interface ChildOutput {
  readonly opened: boolean
  readonly acknowledged: number
  /** Time from its start until the stores were open; null if they never were. */
  readonly openingMs: number | null
  /** Time from then for each acknowledged write; null if there was none. */
  readonly writeMs: number | null
}

/** Bundles a program into one file in the folder, which starts in half the time of the sources. */
export const bundledChild = async (source: string, folder: string): Promise<string> => {
  const file = join(folder, "child.mjs")
  // more threads do not make it faster, and wait for each other busily
  const env = { ...process.env, RAYON_NUM_THREADS: "1", TOKIO_WORKER_THREADS: "1" }
  await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, "write_child.ts"),
    source,
    file
  ], { env })
  return file
}

export const startChild = (
  words: ReadonlyArray<string>,
  exitCodes: ReadonlyArray<number> = []
): Child => {
  const child: ChildProcess = spawn(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] })
  child.stdin!.on("error", () => {}) // it may have ended before its input arrives
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>
  let output = ""
  let [begunMs, openMs, lastMs] = [0, 0, 0]
  child.stdout!.on("data", (chunk: Buffer) => {
    output += String(chunk)
    lastMs = performance.now()
    if (openMs === 0) openMs = lastMs
  })
  return {
    begin: (made) => {
      begunMs = performance.now()
      child.stdin!.write(String(made))
    },
    acknowledged: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (output !== "" && countOf(output) >= count) resolve()
        }
        child.stdout!.on("data", look)
        child.once("close", () => resolve())
      }),
    kill: () => void child.kill("SIGKILL"),
    ended: closed.then(([code, signal]) => {
      const last = output.split("\n").at(-2)
      if (signal !== "SIGKILL" && last !== "end" && !exitCodes.includes(code!)) {
        throw new Error(`The child ended by itself with ${code} after "${last}"`)
      }
      const acknowledged = countOf(output)
      return {
        opened: output !== "",
        acknowledged,
        openingMs: output === "" ? null : openMs - begunMs,
        writeMs: acknowledged === 0 ? null : (lastMs - openMs) / acknowledged
      }
    })
  }
}
