import { Agent, request } from "node:http"

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

class Unanswered extends Error {
  readonly isNewConnection: boolean
  constructor(isNewConnection: boolean) {
    super("No answer within 30 s")
    this.isNewConnection = isNewConnection
  }
}

/** A client that sends requests and records their outcomes. */
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
    try {
      const { headers, status, text } = await this.#send(method, path, body)
      this.stats.latencies.push(performance.now() - startedMs)
      if (status === 503 && headers["retry-after"] !== undefined) {
        this.stats.refused++
        return null
      }
      this.stats.answered++
      if (status >= 500) this.#isWrong(`${method} ${path}: ${status} ${text.slice(0, 200)}`)
      return { status, version: Number(headers["ledger-version"]), body: text }
    } catch (error) {
      const { code } = error as { readonly code?: string }
      if (code === "ECONNRESET" || code === "ECONNREFUSED" || code === "EPIPE") this.stats.cut++
      else if (error instanceof Unanswered && error.isNewConnection) this.stats.unanswered++
      else this.#isWrong(`${method} ${path}: ${String(error)}`)
      return null
    }
  }

  /** Versions never decrease on one connection; another connection may lead to another process. */
  noteVersion(version: number): void {
    if (version < this.#version) {
      this.#isWrong(`Version ${version} after ${this.#version} on one connection`)
    }
    this.#version = version
  }

  forgetVersion(): void {
    this.#version = 0
  }

  #isWrong(sentence: string): void {
    if (this.stats.wrong.length < 100) this.stats.wrong.push(sentence)
  }

  #send(method: string, path: string, body?: string) {
    return new Promise<
      {
        readonly status: number
        readonly headers: { readonly [name: string]: string | ReadonlyArray<string> | undefined }
        readonly text: string
      }
    >((resolve, reject) => {
      const sent = request({
        agent: this.#agent,
        host: "127.0.0.1",
        port: this.#port,
        method,
        path,
        headers: body === undefined ? {} : { "content-type": "application/json" },
        timeout: 30_000
      }, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk) => text += chunk).on(
          "end",
          () => resolve({ status: response.statusCode!, headers: response.headers, text })
        ).on("error", reject)
      })
      sent.on("socket", () => {
        if (!sent.reusedSocket) this.forgetVersion()
      })
      sent.on("timeout", () => sent.destroy(new Unanswered(!sent.reusedSocket))).on(
        "error",
        reject
      ).end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
