import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { createServer, type AddressInfo, type Socket, connect } from "node:net"
import { ClientMessages, ServerMessages } from "./_proxy_messages.ts"

/**
 * How a statement fails:
 * - `unsent`: the server never receives it, and both sides lose the connection;
 * - `forgotten`: the server never receives it and its connection stays open; the client loses the
 *   connection;
 * - `unanswered`: the server executes it, and both sides lose the connection before the client
 *   receives the result;
 * - `silent`: the server executes it, and the client receives nothing more on an open connection;
 * - `mute`: like `silent`, but the client receives the result of the statement.
 */
export type Failure = "unsent" | "forgotten" | "unanswered" | "silent" | "mute"

/**
 * A proxy between a client and a PostgreSQL server, without TLS, which makes connections fail as a
 * test demands.
 */
export interface Proxy {
  /** The URL of the server through the proxy. */
  readonly url: string
  /** Open connections on the client's side. */
  readonly connections: number
  /** Delay in each direction, in milliseconds; 0 at first. */
  delayMs: number
  /** If true, new connections are closed at once. */
  refusing: boolean
  /**
   * Makes the next statement that matches fail in this way; resolves when it has. Failures are
   * assigned to statements in order.
   */
  readonly failNext: (statement: RegExp, failure: Failure) => Promise<void>
  /** Sends new connections to the server of a URL; open ones stay. */
  readonly pointTo: (serverUrl: string) => void
  /** Closes all connections, on both sides. */
  readonly cut: () => void
  /** Closes all connections and stops. */
  readonly close: () => Promise<void>
}

interface PendingFailure {
  readonly statement: RegExp
  readonly failure: Failure
  readonly met: () => void
}

/** Starts a proxy to the server of a URL on a free port of 127.0.0.1. */
export const startProxy = async (serverUrl: string): Promise<Proxy> => {
  const url = new URL(serverUrl)
  let server = placeOf(url)
  const pendingFailures: Array<PendingFailure> = []
  const links = new Set<Link>()
  const state = { delayMs: 0, refusing: false }
  const listener = createServer((client) => {
    if (state.refusing) return void client.destroy()
    const link = new Link(client, connect(server), state, pendingFailures, () => links.delete(link))
    links.add(link)
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  url.hostname = "127.0.0.1"
  url.port = String((listener.address() as AddressInfo).port)
  const cut = () => links.forEach((link) => link.cut())
  return Object.assign(state, {
    url: url.href,
    get connections() {
      return [...links].filter(({ isOpen }) => isOpen).length
    },
    failNext: (statement: RegExp, failure: Failure) =>
      new Promise<void>((met) => pendingFailures.push({ statement, failure, met })),
    pointTo: (serverUrl: string) => void (server = placeOf(new URL(serverUrl))),
    cut,
    close: async () => {
      cut()
      listener.close()
      await once(listener, "close")
    }
  })
}

/** A proxy that stops with the scope. */
export const proxyTo = (serverUrl: string): Effect.Effect<Proxy, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => startProxy(serverUrl)),
    ({ close }) => Effect.promise(close)
  )

const placeOf = ({ hostname, port }: URL) => ({ host: hostname, port: Number(port || 5432) })

/** A client's connection and its connection to the server. */
class Link {
  readonly #client: Socket
  readonly #server: Socket
  /** Counts complete messages of the client, and answers by the message that ends them. */
  readonly #said: ClientMessages
  readonly #answered = new ServerMessages()
  #failNext:
    | { readonly failure: Failure; readonly answer: number; readonly met: () => void }
    | null = null
  /** True if the server's side stays open and receives nothing more. */
  #deaf = false
  readonly #gone: () => void

  constructor(
    client: Socket,
    server: Socket,
    state: { readonly delayMs: number },
    pendingFailures: Array<PendingFailure>,
    gone: () => void
  ) {
    this.#client = client
    this.#server = server
    this.#gone = gone
    this.#said = new ClientMessages((statement) => this.#meet(statement, pendingFailures))
    const after = (act: () => void) =>
      state.delayMs > 0 ? void setTimeout(act, state.delayMs) : act()
    client.on("data", (chunk) => after(() => this.#forward(chunk))).on(
      "close",
      () => this.#clientClosed()
    ).on("error", () => {})
    server.on("data", (chunk) => after(() => this.#answer(chunk))).on("close", () => this.cut()).on(
      "error",
      () => {}
    )
    client.setNoDelay(true)
    server.setNoDelay(true)
  }

  get isOpen(): boolean {
    return !this.#client.destroyed
  }

  cut(): void {
    this.#client.destroy()
    this.#server.destroy()
    this.#gone()
  }

  #clientClosed(): void {
    if (!this.#deaf) this.cut()
  }

  /** Returns whether a statement may pass to the server. */
  #meet(statement: string, pendingFailures: Array<PendingFailure>): boolean {
    const at = pendingFailures.findIndex((failNext) => failNext.statement.test(statement))
    if (this.#failNext !== null || at < 0) return true
    const [{ failure, met }] = pendingFailures.splice(at, 1) as [PendingFailure]
    this.#failNext = { failure, met, answer: this.#said.answersAwaited + 1 }
    return failure === "unanswered" || failure === "silent" || failure === "mute"
  }

  #forward(chunk: Buffer): void {
    if (this.#deaf) return
    const { passed, stopped } = this.#said.read(chunk)
    if (passed.length > 0 && !this.#server.destroyed) this.#server.write(passed)
    if (!stopped || this.#failNext === null) return
    if (this.#failNext.failure === "forgotten") {
      this.#deaf = true
      this.#client.destroy()
    } else this.cut()
    this.#failNext.met()
  }

  #answer(chunk: Buffer): void {
    for (const { answer, bytes, ends } of this.#answered.read(chunk)) {
      const failing = this.#failNext
      if (
        failing === null || answer < failing.answer ||
        (failing.failure === "mute" && answer === failing.answer)
      ) {
        if (!this.#client.destroyed) this.#client.write(bytes)
      }
      if (failing === null || !ends || answer !== failing.answer) continue
      if (failing.failure === "unanswered") this.cut()
      failing.met()
    }
  }
}
