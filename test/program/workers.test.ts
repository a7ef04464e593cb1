import { afterAll, assert, describe, it } from "@effect/vitest"
import { freshDatabase } from "../postgres/mod.ts"
import { command, inDirectory, until } from "./_program.ts"
import { type Answer, Client, isAlive, killGroups, newAuthorization, openClients, startGroup } from "./_group.ts"

const posts = "/account-creation-authorization"
const shared = ["/tokens/0", "/batches?order=DESC&limit=3", "/state", "/accounts?limit=20", "/transactions-history?limit=20&order=DESC", "/config"]

/** What must be the same wherever it is asked. */
const told = ({ body, headers }: Answer) => ({ body, etag: headers.etag, version: headers["ledger-version"] })

/** Asks all clients for the same and expects one answer. */
const sameEverywhere = async (clients: ReadonlyArray<Client>, path: string): Promise<Answer> => {
  const [first, ...others] = await Promise.all(clients.map((client) => client.get(path)))
  for (const answer of others) assert.deepStrictEqual(told(answer), told(first!), path)
  assert.strictEqual(first!.status, 200, path)
  return first!
}

/** Each client posts something new, which all of them then read; the paths. */
const writeAndRead = async (clients: ReadonlyArray<Client>): Promise<ReadonlyArray<string>> => {
  const paths: Array<string> = []
  for (const writer of clients) {
    const { body, path } = newAuthorization()
    const posted = await writer.post(posts, body)
    assert.strictEqual(posted.status, 200, posted.body)
    await Promise.all(clients.map(async (client) => assert.strictEqual((await client.get(path)).status, 200, path)))
    paths.push(path)
  }
  return paths
}

const close = (clients: ReadonlyArray<Client>) => clients.forEach((client) => client.close())

describe("processes behind one port", () => {
  afterAll(killGroups)

  it("give one answer while blocks come, survive the death of a reader and of the writer, and end without losing a request", () => inDirectory(async (directory) => {
    const group = await startGroup(2, "--data", directory, "--transactions", "150", "--pace", "0.3")
    const clients = await openClients(group.port, 4)
    const paths = [...await writeAndRead(clients)]

    // one client after the other: nothing falls back, and a version has one answer
    const answers = new Map<string, object>()
    let last = 0
    for (let i = 0; answers.size < 24; i++) {
      const path = shared[i % shared.length]!
      const answer = await clients[i % clients.length]!.get(path)
      const version = Number(answer.headers["ledger-version"])
      assert.isAtLeast(version, last, `${path}: the ledger went back`)
      last = version
      const known = answers.get(`${version} ${path}`)
      if (known === undefined) answers.set(`${version} ${path}`, told(answer))
      else assert.deepStrictEqual(told(answer), known, `${path} at version ${version}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }

    const reader = group.processAt(2)
    process.kill(reader, "SIGKILL")
    await until(() => group.said().includes(`Process ${reader} (follower, 2 of 2) has ended (SIGKILL); another one starts in 0.1 s`), group.said)
    for (let i = 0; i < 10; i++) close(await openClients(group.port, 1))
    await until(() => group.processAt(2) !== reader, group.said)
    close(clients)

    const again = await openClients(group.port, 4)
    paths.push(...await writeAndRead(again))
    const writer = group.processAt(1)
    process.kill(writer, "SIGKILL")
    await until(() => group.said().includes(`Process ${writer} (writer, 1 of 2) has ended (SIGKILL)`), group.said)
    const [unavailable, served] = await Promise.all([again[0]!.post(posts, newAuthorization().body), again[1]!.get(paths[0]!)])
    assert.strictEqual(unavailable!.status, 503)
    assert.match(unavailable!.headers["retry-after"]!, /^\d+$/u)
    assert.strictEqual(served!.status, 200)
    await until(() => group.processAt(1) !== writer, group.said)
    close(again)

    const whole = await openClients(group.port, 4)
    for (const path of paths) await sameEverywhere(whole, path)
    const before = Number((await whole[0]!.get("/state")).headers["ledger-version"])
    assert.isAtLeast(before, last)
    await until(async () => Number((await whole[1]!.get("/state")).headers["ledger-version"]) > before, group.said)

    // each goes on until it is asked to close, and nothing that it sent stays without its answer
    const busy = (await openClients(group.port, 4, false)).map(async (client, i) => {
      let answered = 0
      for (;;) {
        const answer = await (i % 2 === 0 ? client.get(shared[answered % shared.length]!) : client.post(posts, newAuthorization().body))
        assert.strictEqual(answer.status, 200, answer.body)
        answered++
        if (answer.headers.connection === "close") return answered
      }
    })
    close(whole)
    group.signal("SIGTERM")
    for (const answered of await Promise.all(busy)) assert.isAbove(answered, 0)
    assert.deepStrictEqual(await group.ended, { code: 0, signal: null }, group.said())
    for (const place of [1, 2]) assert.isFalse(isAlive(group.processAt(place)))
  }))

  it("lose nothing with the writer where nothing is kept, end at once with a second signal, and do not begin where the port is taken", async () => {
    const group = await startGroup(2, "--memory", "--transactions", "150", "--pace", "0")
    const clients = await openClients(group.port, 4)
    const second = command("serve", "--memory", "--empty", "--workers", "2", "--port", String(group.port), "--admin-port", "off")
    assert.strictEqual(second.status, 3)
    assert.match(second.said, /^Port \d+ of 127\.0\.0\.1 cannot be listened on: .*EADDRINUSE.*; choose another one with --port$/mu)

    const paths = [...shared, ...await writeAndRead(clients)]
    const before: Array<object> = []
    for (const path of paths) before.push(told(await sameEverywhere(clients, path)))
    close(clients)
    const writer = group.processAt(1)
    process.kill(writer, "SIGKILL")
    await until(() => group.processAt(1) !== writer, group.said)

    const again = await openClients(group.port, 4)
    for (const [i, path] of paths.entries()) assert.deepStrictEqual(told(await sameEverywhere(again, path)), before[i], path)
    paths.push(...await writeAndRead(again))

    // what a follower does not have yet is shown by nobody; one that stands still delays it, and is replaced
    const reader = group.processAt(2)
    // both processes take connections by now, so that each has some of these; of those above one process may have all
    const posters = await openClients(group.port, 4)
    const readers = await openClients(group.port, 4)
    const dropped = `Process ${reader} (follower, 2 of 2) has not followed for 5 s and is ended`
    process.kill(reader, "SIGSTOP")
    // one of these connections is handed to it, and then to another one
    const latecomers = Array.from({ length: 3 }, () => new Client(group.port, false).get("/tokens/0"))
    const { body, path } = newAuthorization()
    const written = posters.map((client) => client.post(posts, body).then(({ status }) => assert.strictEqual(status, 200), () => undefined))
    const ofWriter = await Promise.all(readers.map(async (client) => {
      for (;;) {
        const answer = await client.get(path).catch(() => undefined)
        if (answer === undefined) return false
        if (answer.status === 404) {
          await new Promise((resolve) => setTimeout(resolve, 10))
          continue
        }
        assert.strictEqual(answer.status, 200)
        assert.include(group.said(), dropped)
        return true
      }
    }))
    assert.include(ofWriter, true)
    await Promise.all(written)
    assert.deepStrictEqual((await Promise.all(latecomers)).map(({ status }) => status), [200, 200, 200])
    await until(() => group.processAt(2) !== reader, group.said)

    process.kill(group.processAt(2), "SIGSTOP")
    group.signal("SIGTERM")
    await until(() => group.said().includes("Told to stop"), group.said)
    group.signal("SIGINT")
    assert.strictEqual((await group.ended).code, 130)
    for (const place of [1, 2]) await until(() => !isAlive(group.processAt(place)), group.said)
  })

  it("share a database: any of them may end, and the others go on writing", async () => {
    const { url } = await freshDatabase()
    const group = await startGroup(2, "--database", url, "--transactions", "0", "--pace", "0.3")
    const clients = await openClients(group.port, 4)
    const paths = await writeAndRead(clients)
    close(clients)
    const first = group.processAt(1)
    process.kill(first, "SIGKILL")
    await until(() => group.said().includes("has ended (SIGKILL)"), group.said)
    const [client] = await openClients(group.port, 1)
    for (const path of paths) assert.strictEqual((await client!.get(path)).status, 200)
    const version = Number((await client!.get("/state")).headers["ledger-version"])
    await until(async () => Number((await client!.get("/state")).headers["ledger-version"]) > version, group.said)
    close([client!])
    group.signal("SIGTERM")
    assert.deepStrictEqual(await group.ended, { code: 0, signal: null })
  })
})
