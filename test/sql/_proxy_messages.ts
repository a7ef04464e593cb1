/** Splits a stream of bytes into messages by the length at their beginning. */
class Messages {
  #rest: Buffer = Buffer.alloc(0)

  /**
   * `lengthAt` returns the offset of the next message's length, which counts itself and everything
   * after it.
   */
  read(chunk: Buffer, lengthAt: () => number, take: (message: Buffer) => void): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (;;) {
      const at = lengthAt()
      if (this.#rest.length < at + 4) return
      const length = at + this.#rest.readUInt32BE(at)
      if (this.#rest.length < length) return
      const message = this.#rest.subarray(0, length)
      this.#rest = this.#rest.subarray(length)
      take(message)
    }
  }
}

const SSL_REQUEST = 80877103
const GSS_REQUEST = 80877104

/** Parse, bind, describe, execute and close belong to a statement that is not complete. */
const partOfStatement = /^[PBDEC]$/u

/**
 * Reads the messages of a client: the statements that it executes, and how many answers it waits
 * for.
 */
export class ClientMessages {
  readonly #messages = new Messages()
  /** Prepared statements of this connection, by name. */
  readonly #prepared = new Map<string, string>()
  readonly #mayPass: (statement: string) => boolean
  /** Messages that have not passed yet. */
  readonly #held: Array<Buffer> = []
  #started = false
  #stopped = false
  /** Each cycle of messages ends in one answer. */
  answersAwaited = 0

  constructor(mayPass: (statement: string) => boolean) {
    this.#mayPass = mayPass
  }

  /** Returns the bytes that may pass, and whether a statement stopped the rest. */
  read(chunk: Buffer): { readonly passed: Buffer; readonly stopped: boolean } {
    const passed: Array<Buffer> = []
    if (this.#stopped) return { passed: Buffer.alloc(0), stopped: true }
    this.#messages.read(chunk, () => this.#started ? 1 : 0, (message) => {
      const kind = this.#started ? String.fromCharCode(message[0]!) : this.#start(message)
      const statement = this.#statementOf(kind, message)
      if (statement !== undefined && !this.#mayPass(statement)) this.#stopped = true
      if (kind === "Q" || kind === "S") this.answersAwaited++
      this.#held.push(message)
      // half of a statement would leave the server in the middle of it
      if (this.#stopped || partOfStatement.test(kind)) return
      passed.push(...this.#held.splice(0))
    })
    return { passed: Buffer.concat(passed), stopped: this.#stopped }
  }

  /** The first messages have no letter for their kind. */
  #start(message: Buffer): string {
    const code = message.readUInt32BE(4)
    this.#started = code !== SSL_REQUEST && code !== GSS_REQUEST
    return ""
  }

  /** Returns the statement that a message executes; a bound statement counts as executed. */
  #statementOf(kind: string, message: Buffer): string | undefined {
    const texts = () => message.toString("latin1", 5).split("\0")
    switch (kind) {
      case "Q":
        return texts()[0]
      case "B":
        return this.#prepared.get(texts()[1]!)
      case "P": {
        const [name, statement] = texts()
        this.#prepared.set(name!, statement!)
      }
    }
    return undefined
  }
}

/**
 * Reads the messages of a server, each with the number of its answer; messages before the first
 * query have number 0.
 */
export class ServerMessages {
  readonly #messages = new Messages()
  #answer = 0
  #started = false

  read(
    chunk: Buffer
  ): ReadonlyArray<{ readonly answer: number; readonly ends: boolean; readonly bytes: Buffer }> {
    // the answer to a TLS request is one letter
    if (!this.#started && chunk.length === 1) return [{ answer: 0, ends: false, bytes: chunk }]
    this.#started = true
    const completeMessages: Array<
      { readonly answer: number; readonly ends: boolean; readonly bytes: Buffer }
    > = []
    this.#messages.read(chunk, () => 1, (bytes) => {
      const ends = bytes[0] === "Z".charCodeAt(0)
      completeMessages.push({ answer: ends ? this.#answer++ : this.#answer, ends, bytes })
    })
    return completeMessages
  }
}
