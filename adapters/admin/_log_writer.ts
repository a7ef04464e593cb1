import { Effect } from "effect"
import type { Writable } from "node:stream"

/** A stream for the lines of a log, such as `process.stdout`. */
export type LogTarget = Pick<Writable, "write">

export interface LogWriterOptions {
  readonly to: LogTarget
  /** Returns the line that reports how many lines were dropped. */
  readonly droppedLine: (lines: number) => string
}

/** Maximum number of waiting characters, some seconds of a busy server; then lines are dropped. */
export const charactersMax = 8 * 2 ** 20
/** Maximum wait for a slow target when the log closes. */
const closeMs = 1000

/**
 * Writes texts one at a time, so that texts of up to PIPE_BUF bytes do not mix in a pipe that
 * several processes write to. No request waits for the target: if it falls behind by
 * `charactersMax`, lines are dropped and counted. An error of the target ends the process.
 *
 * sonic-boom 5 does not fit: it writes in threads, which is slower and blocks the exit if the
 * target has stopped reading, and it polls a full pipe.
 */
export class LogWriter {
  readonly #to: LogTarget
  readonly #droppedLine: LogWriterOptions["droppedLine"]
  #queue: Array<string> = []
  #characters = 0
  #dropped = 0
  #isWriting = false
  #idle: (() => void) | undefined

  constructor({ droppedLine, to }: LogWriterOptions) {
    this.#to = to
    this.#droppedLine = droppedLine
  }

  /**
   * @param text ASCII
   * @param lines number of lines in the text
   */
  write(text: string, lines: number): void {
    if (!this.#isWriting) return this.#send(text)
    if (this.#characters + text.length > charactersMax) {
      this.#dropped += lines
      return
    }
    this.#characters += text.length
    this.#queue.push(text)
  }

  /** Passes all waiting texts to the target at once. Call it if the process is about to exit. */
  writeAll(): void {
    const queue = this.#queue
    this.#queue = []
    this.#characters = 0
    for (const text of queue) this.#to.write(text, "latin1")
  }

  /** Waits until the target has accepted all texts, but at most `closeMs`. */
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
    if (this.#dropped > 0) {
      const line = this.#droppedLine(this.#dropped)
      this.#dropped = 0
      return this.#send(line)
    }
    this.#isWriting = false
    this.#idle?.()
  }
}
