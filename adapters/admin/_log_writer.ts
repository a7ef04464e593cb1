import { Effect } from "effect"
import type { Writable } from "node:stream"

/** Where lines go, such as the standard output. */
export type LogTarget = Pick<Writable, "write">

export interface LogWriterOptions {
  readonly to: LogTarget
  /** The line that tells of lines that were left out. */
  readonly leftOutLine: (lines: number) => string
}

/** Characters that wait for a reader that is slower than the lines come: some seconds of the fastest server. */
export const charactersMax = 8 * 2 ** 20
/** How long a reader is waited for in the end. */
const closeMs = 1000

/**
 * Writes texts one after the other, each with the next one waiting until it has left: so a pipe into which several processes write has each
 * of them whole, unless it is larger than the pipe promises. Nobody waits for the reader: what it has not read is kept within a bound, past
 * which lines are left out and counted. A target that fails takes everything to its end.
 */
export class LogWriter {
  readonly #to: LogTarget
  readonly #leftOutLine: LogWriterOptions["leftOutLine"]
  #queue: Array<string> = []
  #characters = 0
  #leftOut = 0
  #isWriting = false
  #idle: (() => void) | undefined

  constructor({ leftOutLine, to }: LogWriterOptions) {
    this.#to = to
    this.#leftOutLine = leftOutLine
  }

  /** @param text of ASCII @param lines of it, how many */
  write(text: string, lines: number): void {
    if (!this.#isWriting) return this.#send(text)
    if (this.#characters + text.length > charactersMax) {
      this.#leftOut += lines
      return
    }
    this.#characters += text.length
    this.#queue.push(text)
  }

  /** Hands everything to the target at once: the process ends. */
  hurry(): void {
    const queue = this.#queue
    this.#queue = []
    this.#characters = 0
    for (const text of queue) this.#to.write(text, "latin1")
  }

  /** Waits until the target has all of it, but not for a reader that does not read. */
  readonly end: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (!this.#isWriting) return resume(Effect.void)
    const timer = setTimeout(() => resume(Effect.void), closeMs)
    this.#idle = () => {
      clearTimeout(timer)
      resume(Effect.void)
    }
  })

  #send(text: string): void {
    this.#isWriting = true
    this.#to.write(text, "latin1", this.#written)
  }

  readonly #written = (): void => {
    const text = this.#queue.shift()
    if (text !== undefined) {
      this.#characters -= text.length
      return this.#send(text)
    }
    if (this.#leftOut > 0) {
      const line = this.#leftOutLine(this.#leftOut)
      this.#leftOut = 0
      return this.#send(line)
    }
    this.#isWriting = false
    this.#idle?.()
  }
}
