import { afterAll, assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { connect } from "node:net"
import { freshDatabase } from "../postgres/mod.ts"
import { execute } from "../postgres/_statements.ts"
import { startProxy } from "../sql/_proxy.ts"
import { Client, newAuthorization } from "./_group.ts"
import { assertServed, inDirectory, killAll, pause, serveWith, untilLogged } from "./_program.ts"

/* Stops and restarts the program, as a process supervisor does. */

const posts = "/account-creation-authorization"

/** Starts the program without its request log. */
const serve = (...words: ReadonlyArray<string>) => serveWith(["--no-request-log", ...words])

/**
 * Posts one authorization after the other, and reconnects if the connection ends; returns the
 * acknowledged ones.
 */
const postUntil = async (port: number, isOver: () => boolean): Promise<ReadonlyArray<string>> => {
  const acknowledged: Array<string> = []
  let next = newAuthorization()
  for (let client = new Client(port, false); !isOver();) {
    const { body, path } = next
    const answer = await client.post(posts, body).catch((error: NodeJS.ErrnoException) => error)
    if (answer instanceof Error) {
      // an unacknowledged post may be stored or not; one that reached no server is not, and a new
      // one is signed
      client = new Client(port, false)
      if (answer.code === "ECONNREFUSED") await pause(20)
      else next = newAuthorization()
      continue
    }
    if (answer.status === 200) acknowledged.push(path)
    else assert.strictEqual(answer.status, 503)
    if (answer.headers.connection === "close") client = new Client(port, false)
    next = newAuthorization()
  }
  return acknowledged
}

/** Restarts the program during posts, and checks that all acknowledged ones are there. */
const restarts = async (times: number, ...words: ReadonlyArray<string>) => {
  let program = await serve("--admin-port", "off", ...words)
  const { port } = program
  let isOver = false
  const posting = [1, 2, 3].map(() => postUntil(port, () => isOver))
  for (let i = 0; i < times; i++) {
    const { ended, output, signal } = program
    await pause(150)
    signal("SIGTERM")
    assert.deepStrictEqual(await ended, [0, null], output())
    program = await serve("--port", String(port), "--admin-port", "off", ...words)
  }
  await pause(150)
  isOver = true
  const acknowledged = (await Promise.all(posting)).flat()
  assert.isAbove(acknowledged.length, 3 * times)
  await assertServed(program.url, acknowledged)
  program.signal("SIGTERM")
  assert.deepStrictEqual(await program.ended, [0, null], program.output())
}

describe("a program that is stopped", () => {
  afterAll(killAll)

  it("continues if its output is not read, and still exits in order", async () => {
    const words = ["--admin-port", "off", "--empty", "--memory"]
    const { child, signal, url } = await serveWith(words)
    const ended = once(child, "exit")
    child.stdout!.destroy()
    child.stderr!.destroy()
    // each request is a line
    for (let i = 0; i < 20; i++) {
      assert.strictEqual((await fetch(`${url}/tokens/0`)).status, 200)
      await pause(20)
    }
    signal("SIGTERM")
    assert.deepStrictEqual(await ended, [0, null])
  })

  it("becomes unready, closes idle connections, completes started requests with Connection: close, and exits with 0", async () => {
    const program = await serve("--empty", "--memory", "--shutdown-timeout-ms", "60000")
    const idle = new Client(program.port, false)
    assert.strictEqual((await idle.get("/config")).status, 200)
    // connected in advance, as browsers do
    const silent = connect(program.port, "127.0.0.1")
    const silentEnded = new Promise((resolve) => silent.on("error", () => {}).on("close", resolve))
    await once(silent, "connect")
    // half of a request
    const { body, path } = newAuthorization()
    const halfSent = connect(program.port, "127.0.0.1")
    let answer = ""
    halfSent.on("data", (chunk) => answer += chunk)
    const halfSentEnded = once(halfSent, "close")
    halfSent.write(
      `POST ${posts} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${
        body.slice(0, 50)
      }`
    )
    // the answer to a later request shows that it has been read
    assert.strictEqual((await idle.get("/tokens/0")).status, 200)

    const ready = async () => (await fetch(`${program.admin}/readyz`)).status
    assert.strictEqual(await ready(), 200)
    program.signal("SIGTERM")
    await silentEnded
    assert.strictEqual(await ready(), 503)
    assert.isTrue(
      await new Client(program.port, false).get("/config").then(() => false, () => true)
    )
    halfSent.write(body.slice(50))
    await halfSentEnded
    assert.match(answer, /^HTTP\/1\.1 200 /u, path)
    assert.match(answer, /\r\nconnection: close\r\n/iu)
    assert.deepStrictEqual(await program.ended, [0, null], program.output())
  })

  it("exits in time though one client stops sending and another one stops reading, and at once after a second signal", async () => {
    for (const isTwice of [false, true]) {
      const timeout = ["--shutdown-timeout-ms", isTwice ? "3600000" : "100"]
      const program = await serve("--admin-port", "off", "--empty", "--memory", ...timeout)
      const slow = connect(program.port, "127.0.0.1").on("error", () => {})
      slow.write(
        `POST ${posts} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`
      )
      const deaf = connect(program.port, "127.0.0.1").on("error", () => {})
      deaf.pause().write("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100))
      assert.strictEqual((await new Client(program.port, false).get("/openapi.json")).status, 200)
      program.signal("SIGTERM")
      if (isTwice) {
        // it waits for the slow client, so this is the time for a second signal
        await untilLogged(program, "stopping gracefully")
        // a second signal within 300 ms is the same request
        await pause(1000)
        program.signal("SIGTERM")
      }
      assert.deepStrictEqual(await program.ended, [isTwice ? 143 : 0, null], program.output())
      for (const socket of [slow, deaf]) socket.destroy()
    }
  })

  it("loses no acknowledged post after a restart", () =>
    inDirectory((directory) => restarts(3, "--empty", "--data", directory)))

  it("loses none with several workers either", async () => {
    const { url } = await freshDatabase()
    await restarts(2, "--simulate", "--empty", "--database", url, "--workers", "2")
  })

  it("leaves the writing of a database to another process at once", async () => {
    const { url } = await freshDatabase()
    await restarts(1, "--simulate", "--transactions", "0", "--pace", "0.1", "--database", url)
    const [writer] = await execute(url, "SELECT holder, epoch::text AS epoch FROM writer")
    assert.isNull(writer!.holder)
    // each one wrote in its turn
    assert.isAtLeast(Number(writer!.epoch), 2)
  })

  it("exits although its database does not answer", async () => {
    const { url } = await freshDatabase()
    const proxy = await startProxy(url)
    try {
      const network = ["--simulate", "--transactions", "0", "--pace", "0.1", "--admin-port", "off"]
      const timeout = ["--shutdown-timeout-ms", "100"]
      const program = await serve(...network, ...timeout, "--database", proxy.url)
      await untilLogged(program, "This process writes the ledger")
      proxy.delayMs = 3_600_000
      // the simulated network writes meanwhile
      await pause(1000)
      program.signal("SIGTERM")
      assert.deepStrictEqual(await program.ended, [143, null], program.output())
      assert.include(program.output(), "Closing the stores takes too long")
    } finally {
      await proxy.close()
    }
  })
})
