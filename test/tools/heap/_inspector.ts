/** A connection to the inspector of a Node process, started with `--inspect`. */
export class Inspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (message: InspectorMessage) => void>()
  #sent = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(String(data)) as InspectorMessage
      if (message.id === undefined) return
      this.#waiting.get(message.id)?.(message)
      this.#waiting.delete(message.id)
    })
  }

  static open(url: string): Promise<Inspector> {
    const socket = new WebSocket(url)
    return new Promise((resolve, reject) => {
      socket.addEventListener("open", () => resolve(new Inspector(socket)))
      socket.addEventListener("error", () => reject(new Error(`No inspector at ${url}`)))
    })
  }

  /** Returns the bytes of the heap after full collections. */
  async usedBytes(): Promise<number> {
    // finalizers run between two collections, and let the second one free more
    for (let collection = 0; collection < 3; collection++) {
      await this.#call("HeapProfiler.collectGarbage")
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const { usedSize } = await this.#call("Runtime.getHeapUsage") as { readonly usedSize: number }
    return usedSize
  }

  close(): void {
    this.#socket.close()
  }

  #call(method: string): Promise<unknown> {
    const id = ++this.#sent
    return new Promise((resolve, reject) => {
      this.#waiting.set(
        id,
        ({ error, result }) =>
          error === undefined ? resolve(result) : reject(new Error(`${method}: ${error.message}`))
      )
      this.#socket.send(JSON.stringify({ id, method }))
    })
  }
}

interface InspectorMessage {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}
