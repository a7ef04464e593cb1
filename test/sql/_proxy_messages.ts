/** Cuts a stream of bytes into messages whose lengths stand at their beginning. */
class Messages {
  #rest: Buffer = Buffer.alloc(0)

  /** `lengthAt` tells where the length of the next message stands, which counts itself and what follows. */
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

/** Parse, bind, describe, execute, close: more follows. */
const partOfStatement = /^[PBDEC]$/u

/** What a client says: which statements it executes, and how many answers it waits for. */
export class ClientMessages {
  readonly #messages = new Messages()
  /** Texts of what the client has prepared on this connection, by name. */
  readonly #prepared = new Map<string, string>()
  readonly #mayPass: (statement: string) => boolean
  /** What has not passed on yet. */
  readonly #held: Array<Buffer> = []
  #started = false
  #stopped = false
  /** Each cycle of messages ends in one answer. */
  answersAwaited = 0

  constructor(mayPass: (statement: string) => boolean) {
    this.#mayPass = mayPass
  }

  /** What passes on, and whether a statement stopped the rest. */
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

  /** The statement that a message executes; a bound one is taken for executed. */
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

/** What a server says, each message with the number of the answer that it belongs to; what comes before the first question is 0. */
export class ServerMessages {
  readonly #messages = new Messages()
  #answer = 0
  #started = false

  read(
    chunk: Buffer
  ): ReadonlyArray<{ readonly answer: number; readonly ends: boolean; readonly bytes: Buffer }> {
    // to the question whether it speaks TLS a server answers with one letter
    if (!this.#started && chunk.length === 1) return [{ answer: 0, ends: false, bytes: chunk }]
    this.#started = true
    const said: Array<{ readonly answer: number; readonly ends: boolean; readonly bytes: Buffer }> =
      []
    this.#messages.read(chunk, () => 1, (bytes) => {
      const ends = bytes[0] === "Z".charCodeAt(0)
      said.push({ answer: ends ? this.#answer++ : this.#answer, ends, bytes })
    })
    return said
  }
}
