import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { promisify } from "node:util"
import { countOf } from "./_crash_model.ts"

/** A process that writes, says so, and is killed. */
export interface Child {
  /** Tells it how many writes of its script are there already: it begins. Before that it reads its program and touches nothing. */
  readonly begin: (made: number) => void
  /** When it has been open and acknowledged so many writes, or has ended. */
  readonly acknowledged: (count: number) => Promise<void>
  readonly kill: () => void
  /** What it has said and when, once it is gone; rejects where it ended by itself and not with an exit code that is allowed or after its script. */
  readonly ended: Promise<Said>
}

export interface Said {
  readonly opened: boolean
  readonly acknowledged: number
  /** From its beginning until it was open, null where it never was. */
  readonly openingMs: number | null
  /** From then on for each write that was acknowledged, null where there was none. */
  readonly writeMs: number | null
}

/** The program of a file in one file in the folder; a start takes half of the time of that from the sources. */
export const bundledChild = async (source: string, folder: string): Promise<string> => {
  const file = join(folder, "child.mjs")
  // by several threads it is made no sooner, and they wait for each other busily
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
  child.stdin!.on("error", () => {}) // it may be gone before it is told anything
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>
  let said = ""
  let [begunMs, openMs, lastMs] = [0, 0, 0]
  child.stdout!.on("data", (chunk: Buffer) => {
    said += String(chunk)
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
          if (said !== "" && countOf(said) >= count) resolve()
        }
        child.stdout!.on("data", look)
        child.once("close", () => resolve())
      }),
    kill: () => void child.kill("SIGKILL"),
    ended: closed.then(([code, signal]) => {
      const last = said.split("\n").at(-2)
      if (signal !== "SIGKILL" && last !== "end" && !exitCodes.includes(code!)) {
        throw new Error(`The child ended by itself with ${code} after "${last}"`)
      }
      const acknowledged = countOf(said)
      return {
        opened: said !== "",
        acknowledged,
        openingMs: said === "" ? null : openMs - begunMs,
        writeMs: acknowledged === 0 ? null : (lastMs - openMs) / acknowledged
      }
    })
  }
}
