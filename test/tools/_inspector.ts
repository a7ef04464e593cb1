import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"

interface Message {
  readonly id?: number
  readonly result: unknown
  readonly error?: { readonly message: string }
}

/** A connection to the inspector of a Node process, started with `--inspect`. */
export class Inspector implements Disposable {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (message: Message) => void>()
  #sent = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as Message
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message)
    })
  }

  /** Connects to the program that has printed this text. */
  static async open(output: string): Promise<Inspector> {
    const socket = new WebSocket(/Debugger listening on (ws:\S+)/u.exec(output)![1]!)
    await once(socket, "open")
    return new Inspector(socket)
  }

  async call<Result>(method: string, params: object = {}): Promise<Result> {
    const id = ++this.#sent
    const { error, result } = await new Promise<Message>((resolve) => {
      this.#waiting.set(id, resolve)
      this.#socket.send(JSON.stringify({ id, method, params }))
    })
    this.#waiting.delete(id)
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result as Result
  }

  /** Returns the bytes of the heap after full collections. */
  async usedBytes(): Promise<number> {
    // finalizers run between two collections, and let the second one free more
    for (let collection = 0; collection < 3; collection++) {
      await this.call("HeapProfiler.collectGarbage")
      await sleep(100)
    }
    return (await this.call<{ readonly usedSize: number }>("Runtime.getHeapUsage")).usedSize
  }

  [Symbol.dispose](): void {
    this.#socket.close()
  }
}
