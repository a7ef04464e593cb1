import type { Worker } from "node:cluster"
import type { Downward, Upward } from "./message.ts"
import { outlive } from "./_handed.ts"
import { Restarts } from "./_restarts.ts"
import type { Role } from "./role.ts"

/** How a process ended: a signal, or a code. */
export type Ending = NodeJS.Signals | number | null

export interface MemberEvents {
  readonly message: (message: Upward) => void
  readonly ended: (ending: Ending) => void
}

/** One place in a group, with the process that has it now; each process has a number of its own. */
export class Member {
  readonly role: Role
  readonly restarts = new Restarts()
  isServing = false
  #worker: Worker | undefined
  #next: NodeJS.Timeout | undefined

  constructor(role: Role) {
    this.role = role
  }

  /** The number of the process; undefined while there is none. */
  get id(): number | undefined {
    return this.#worker?.id
  }

  /** For people. */
  get name(): string {
    const { kind, place, workers } = this.role
    return `Process ${this.#worker?.process.pid} (${kind}, ${place} of ${workers})`
  }

  start(fork: (role: Role) => Worker, { ended, message }: MemberEvents): void {
    const worker = this.#worker = fork(this.role)
    outlive(worker)
    this.#next = undefined
    let ending: Ending | undefined
    let isHeard = false
    // what it said last may come after its end
    const end = () => {
      if (ending === undefined || !isHeard) return
      this.isServing = false
      ended(ending)
      this.#worker = undefined
    }
    worker.on("message", (said: Upward) => message(said))
    worker.on("exit", (code, signal) => {
      ending = (signal as NodeJS.Signals | null) ?? code
      end()
    })
    worker.on("disconnect", () => {
      isHeard = true
      end()
    })
    // a message to a process that is about to end
    worker.on("error", () => {})
  }

  /** Starts it when some time has passed. */
  startIn(delayMs: number, start: () => void): void {
    this.#next = setTimeout(start, delayMs)
  }

  send(message: Downward): void {
    if (this.#worker?.isConnected() === true) this.#worker.send(message)
  }

  kill(): void {
    clearTimeout(this.#next)
    this.#worker?.process.kill("SIGKILL")
  }

  /** No process is started any more. */
  cancel(): void {
    clearTimeout(this.#next)
  }
}
