import type { Server } from "node:http"
import { Duplex, type DuplexOptions } from "node:stream"

/** One end of a connection without a system in between: what is written arrives as it is, and as soon as the other end is read. */
class End extends Duplex {
  other: End | undefined
  timeout = 0
  #taken: (() => void) | undefined

  constructor(options?: DuplexOptions) {
    super({ ...options, allowHalfOpen: true })
  }

  // a server takes it for a socket
  setTimeout(): this {
    return this
  }

  override _read(): void {
    const taken = this.#taken
    this.#taken = undefined
    taken?.()
  }

  override _write(chunk: Buffer, _: BufferEncoding, taken: () => void): void {
    // nothing is never read
    if (chunk.length === 0) return taken()
    this.other!.#taken = taken
    this.other!.push(chunk)
  }

  override _final(ended: () => void): void {
    this.other!.push(null)
    ended()
  }

  override _destroy(error: Error | null, ended: (error: Error | null) => void): void {
    if (this.other?.destroyed === false) this.other.push(null)
    ended(error)
  }
}

/** A client that is connected to a server. */
export const connectedTo = (server: Server): Duplex => {
  const [ours, theirs] = [new End(), new End()]
  ours.other = theirs
  theirs.other = ours
  server.emit("connection", theirs)
  return ours
}
