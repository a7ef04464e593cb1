import { afterAll, assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { freshDatabase } from "../postgres/mod.ts"
import { type Client, isAlive, newAuthorization, openClients, startGroup } from "./_group.ts"
import { command, killAll, start, until, untilLogged } from "./_program.ts"

const posts = "/account-creation-authorization"
const reads = ["/tokens/0", "/batches?order=DESC", "/state", "/transactions-history?limit=20"]

/** Each client posts an authorization, which every client then reads; returns their paths. */
const postAndRead = async (clients: ReadonlyArray<Client>): Promise<ReadonlyArray<string>> => {
  const paths: Array<string> = []
  for (const client of clients) {
    const { body, path } = newAuthorization()
    const { body: text, status } = await client.post(posts, body)
    assert.strictEqual(status, 200, text)
    await readAll(clients, [path])
    paths.push(path)
  }
  return paths
}

const readAll = (clients: ReadonlyArray<Client>, paths: ReadonlyArray<string>) =>
  Promise.all(clients.flatMap((client) =>
    paths.map(async (path) => {
      assert.strictEqual((await client.get(path)).status, 200, path)
    })
  ))

/** Connections that have been answered once; the supervisor hands them to the workers in turn. */
const openSockets = async (port: number, count: number): Promise<ReadonlyArray<Socket>> => {
  const sockets: Array<Socket> = []
  for (let i = 0; i < count; i++) {
    const socket = connect(port, "127.0.0.1").on("error", () => {})
    await ask(socket)
    sockets.push(socket)
  }
  return sockets
}

const ask = async (socket: Socket): Promise<void> => {
  socket.write("GET /tokens/0 HTTP/1.1\r\nHost: x\r\n\r\n")
  const [answer] = await once(socket, "data") as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1.1 200 /u)
}

/** Sends requests until an answer closes the connection; returns the paths of accepted posts. */
const useUntilClosed = async (
  client: Client,
  isPosting: boolean
): Promise<ReadonlyArray<string>> => {
  const acknowledged: Array<string> = []
  for (let i = 0;; i++) {
    const { body, path } = newAuthorization()
    const answer = isPosting
      ? await client.post(posts, body)
      : await client.get(reads[i % reads.length]!)
    assert.strictEqual(answer.status, 200, answer.body)
    if (isPosting) acknowledged.push(path)
    if (answer.headers.connection === "close") return acknowledged
  }
}

describe("workers over one database", () => {
  afterAll(killAll)

  it("all serve, are replaced when killed, and drain without losing a request", async () => {
    const { url } = await freshDatabase()
    const words = ["--database", url, "--simulate", "--transactions", "150", "--pace", "0.3"]
    const group = await startGroup(2, ...words)
    const paths = [...await postAndRead(await openClients(group.port, 4))]

    for (const place of [1, 2]) {
      const sockets = await openSockets(group.port, 4)
      const killed = group.pids()[place - 1]!
      // only the supervisor stops a worker in order
      process.kill(killed, "SIGTERM")
      process.kill(killed, "SIGINT")
      await Promise.all(sockets.map(ask))

      process.kill(killed, "SIGKILL")
      const ended =
        `Worker ${place} of 2 (process ${killed}) ended with SIGKILL; restarting in 0.1 s`
      await until(() => group.output().includes(ended), group.output)
      await until(() => sockets.filter(({ destroyed }) => destroyed).length === 2, group.output)
      await Promise.all(sockets.filter(({ destroyed }) => !destroyed).map(ask))
      await until(() => group.pids()[place - 1] !== killed, group.output)
      const all = await openClients(group.port, 4)
      await readAll(all, paths)
      paths.push(...await postAndRead(all))
      for (const client of all) client.close()
    }

    // another worker or the restarted one writes the ledger
    const [client] = await openClients(group.port, 1)
    const version = async () => Number((await client!.get("/state")).headers["ledger-version"])
    const before = await version()
    await until(async () => await version() > before, group.output)

    const last = await openClients(group.port, 4, false)
    const busy = last.map((client, i) => useUntilClosed(client, i > 1))
    group.signal("SIGTERM")
    paths.push(...(await Promise.all(busy)).flat())
    assert.deepStrictEqual(await group.ended, [0, null], group.output())
    for (const pid of group.pids()) assert.isFalse(isAlive(pid))

    const again = await startGroup(2, ...words)
    await readAll(await openClients(again.port, 2), paths)
    again.signal("SIGKILL")
    for (const pid of again.pids()) await until(() => !isAlive(pid), again.output)
  })

  it("end in time if one is stuck, and at once after a second signal", async () => {
    const { url } = await freshDatabase()
    const words = ["--database", url, "--simulate", "--empty", "--shutdown-timeout-ms", "0"]
    for (const [signals, code] of [[["SIGTERM"], 0], [["SIGTERM", "SIGINT"], 130]] as const) {
      const group = await startGroup(2, ...words)
      process.kill(group.pids()[1]!, "SIGSTOP")
      for (const signal of signals) {
        const sentMs = Date.now()
        group.signal(signal)
        await until(
          // a signal that follows at once is the same request
          () => group.output().includes("Received SIG") && Date.now() > sentMs + 500,
          group.output
        )
      }
      assert.deepStrictEqual(await group.ended, [code, null], group.output())
      for (const pid of group.pids()) await until(() => !isAlive(pid), group.output)
    }
  })

  it("exit as the first one does if it cannot start, and in order if stopped before", async () => {
    const { url } = await freshDatabase()
    const group = await startGroup(2, "--database", url, "--simulate", "--empty")
    const words = ["serve", "--simulate", "--empty", "--workers", "2", "--admin-port", "off"]
    const second = command(...words, "--database", url, "--port", String(group.port))
    assert.strictEqual(second.status, 3)
    assert.match(second.output, /^Port \d+ of 127\.0\.0\.1 cannot be listened on: .*EADDRINUSE/mu)

    const { url: empty } = await freshDatabase()
    const live = ["serve", "--simulate", "--workers", "2", "--port", "0", "--database", empty]
    const starting = start(live)
    await untilLogged(starting, "Worker 1: health and metrics at")
    starting.signal("SIGTERM")
    assert.deepStrictEqual(await starting.ended, [0, null], starting.output())
    assert.notInclude(starting.output(), "is serving")
  })
})
