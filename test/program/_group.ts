import { assert } from "@effect/vitest"
import { randomBytes } from "node:crypto"
import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { derivePublicKey, ethereumAddress, signAuthorization } from "../../adapters/crypto/mod.ts"
import { defaultNetwork } from "../../app/simulator/mod.ts"
import { keccak256 } from "../../adapters/hashing/mod.ts"
import { bodyWriter, later, wireContext } from "../../core/mod.ts"
import { listening, type Running, start, until } from "./_program.ts"

export interface Group extends Running {
  /** The process ids of the serving workers, in order of their numbers. */
  readonly pids: () => ReadonlyArray<number>
}

/** Starts a supervisor with workers, and waits until every worker serves. */
export const startGroup = async (
  workers: number,
  ...words: ReadonlyArray<string>
): Promise<Group> => {
  const group = start(["serve", "--port", "0", "--workers", String(workers), ...words])
  const pids = () =>
    Array.from({ length: workers }, (_, i) => {
      const serving = group.output().matchAll(
        new RegExp(`Worker ${i + 1} of ${workers} \\(process (\\d+)\\) is serving`, "gu")
      )
      return Number([...serving].at(-1)?.[1])
    })
  await until(() => group.hasEnded() || pids().every((pid) => pid > 0), group.output)
  return { ...await listening(group), pids }
}

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/**
 * Sends requests over one connection, and over another one if that has ended. Consecutive
 * connections go to the workers in turn.
 */
export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #port: number
  readonly #repeats: boolean
  /**
   * @param repeats whether a request on an idle connection that the server has closed is sent
   * again, as clients do
   */
  constructor(port: number, repeats: boolean) {
    this.#port = port
    this.#repeats = repeats
  }

  get(path: string): Promise<Answer> {
    return this.#ask("GET", path)
  }

  post(path: string, body: string): Promise<Answer> {
    return this.#ask("POST", path, body)
  }

  close(): void {
    this.#agent.destroy()
  }

  #ask(method: string, path: string, body?: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const clientRequest = request({
        agent: this.#agent,
        host: "127.0.0.1",
        port: this.#port,
        method,
        path,
        headers: body === undefined ? {} : { "content-type": "application/json" }
      }, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk) => text += chunk).on(
          "end",
          () => resolve({ status: response.statusCode!, headers: response.headers, body: text })
        ).on("error", reject)
      })
      clientRequest.on(
        "error",
        (error) =>
          this.#repeats && clientRequest.reusedSocket
            ? resolve(this.#ask(method, path, body))
            : reject(error)
      ).end(body)
    })
  }
}

/** Opens the same number of clients for each process. */
export const openClients = async (
  port: number,
  count: number,
  repeat = true
): Promise<ReadonlyArray<Client>> => {
  const clients = Array.from({ length: count }, () => new Client(port, repeat))
  for (const client of clients) assert.strictEqual((await client.get("/tokens/0")).status, 200)
  return clients
}

/** Returns a new authorization to post, and its path. */
export const newAuthorization = (): { readonly path: string; readonly body: string } => {
  const [owner, key] = [randomBytes(32), randomBytes(32)]
  const publicKey = derivePublicKey(key)
  const address = ethereumAddress(owner)
  return {
    path: `/account-creation-authorization/${defaultNetwork.prefix}:${address}`,
    body: authorizationText({
      address,
      publicKey,
      signature: signAuthorization(owner, publicKey, defaultNetwork)
    })
  }
}
const authorizationText = bodyWriter(
  later.bodies.authorization,
  wireContext(defaultNetwork, keccak256)
)
