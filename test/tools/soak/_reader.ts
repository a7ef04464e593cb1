import { Agent, type IncomingMessage, request } from "node:http"
import { text } from "node:stream/consumers"

export interface Answered {
  readonly status: number
  readonly version: number
  readonly body: string
}

export interface ReaderStats {
  answered: number
  /** 503 with a Retry-After. */
  refused: number
  /** The connection ended without an answer: a process was killed. */
  cut: number
  /**
   * A new connection was never answered: Node keeps it if it was handed to a worker that was
   * killed.
   */
  unanswered: number
  /** Violations of the guarantees, as sentences. */
  readonly wrong: Array<string>
  /** Milliseconds since the last report. */
  latencies: Array<number>
}

/** A client that sends requests over one connection and records their outcomes. */
export class Reader {
  readonly stats: ReaderStats = {
    answered: 0,
    refused: 0,
    cut: 0,
    unanswered: 0,
    wrong: [],
    latencies: []
  }
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #port: number
  /** The version of the ledger that this connection has seen. */
  #version = 0

  constructor(port: number) {
    this.#port = port
  }

  /** Returns null if there was no answer, or a temporary refusal. */
  async ask(method: "GET" | "POST", path: string, body?: string): Promise<Answered | null> {
    const startedMs = performance.now()
    const sent = request({
      agent: this.#agent,
      host: "127.0.0.1",
      port: this.#port,
      method,
      path,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      timeout: 30_000
    })
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        sent.on("response", resolve).on("error", reject).on("timeout", () => {
          sent.destroy(new Error("No answer within 30 s", { cause: "timeout" }))
        }).end(body)
      })
      const answer = await text(response)
      this.stats.latencies.push(performance.now() - startedMs)
      // another connection may lead to another process
      if (!sent.reusedSocket) this.#version = 0
      const status = response.statusCode!
      if (status === 503 && response.headers["retry-after"] !== undefined) {
        this.stats.refused++
        return null
      }
      this.stats.answered++
      if (status >= 500) this.wrong(`${method} ${path}: ${status} ${answer.slice(0, 200)}`)
      return { status, version: Number(response.headers["ledger-version"]), body: answer }
    } catch (error) {
      const { cause, code = "" } = error as { readonly cause?: unknown; readonly code?: string }
      if (["ECONNRESET", "ECONNREFUSED", "EPIPE"].includes(code)) this.stats.cut++
      else if (cause === "timeout" && !sent.reusedSocket) this.stats.unanswered++
      else this.wrong(`${method} ${path}: ${String(error)}`)
      return null
    }
  }

  /** Versions never decrease on one connection. */
  noteVersion(version: number): void {
    if (version < this.#version) {
      this.wrong(`Version ${version} after ${this.#version} on one connection`)
    }
    this.#version = version
  }

  wrong(sentence: string): void {
    if (this.stats.wrong.length < 100) this.stats.wrong.push(sentence)
  }

  close(): void {
    this.#agent.destroy()
  }
}
