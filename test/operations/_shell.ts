import { type ChildProcess, spawn } from "node:child_process"
import type { Account } from "../postgres/_account.ts"

/** A running `bash` that executes one block of commands after another. */
export interface Shell {
  /** Executes commands; returns what they print. Rejects with the output if one of them fails. */
  readonly run: (commands: string) => Promise<string>
  /** Ends the shell and its background processes; its `EXIT` trap runs. */
  readonly close: () => Promise<void>
}

export interface ShellOptions {
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  /** Null if the shell runs as the tests do. */
  readonly account: Account | null
}

/** Starts a shell in a process group of its own, which its background processes share. */
export const startShell = ({ account, directory, env }: ShellOptions): Shell => {
  const child: ChildProcess = spawn("bash", ["--noprofile", "--norc"], {
    cwd: directory,
    env,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    ...account === null ? {} : { uid: account.uid, gid: account.gid }
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  let output = ""
  let onOutput = () => {}
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text
      onOutput()
    })
  }
  child.stdin!.write("set -euo pipefail\n")
  return {
    run: (commands) =>
      new Promise((resolve, reject) => {
        output = ""
        onOutput = () => {
          if (output.endsWith(endMark)) resolve(output.slice(0, -endMark.length))
        }
        void ended.then(() => reject(new Error(`A command failed:\n${commands}\n${output}`)))
        child.stdin!.write(`${commands}\necho '${endMark.trim()}'\n`)
      }),
    close: async () => {
      child.stdin!.end()
      try {
        process.kill(-child.pid!, "SIGTERM") // a command that still runs
      } catch {
        // the whole group has ended
      }
      await ended
    }
  }
}

const endMark = "--- end of block ---\n"
