import { afterAll, assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { freshDatabase } from "../postgres/mod.ts"
import { execute } from "../postgres/_statements.ts"
import { startProxy } from "../sql/_proxy.ts"
import { env } from "./_env.ts"
import { Client, newAuthorization } from "./_group.ts"
import { program, inDirectory, until } from "./_program.ts"

/* Stops and restarts the program, as a process supervisor does. */

const posts = "/account-creation-authorization"

interface Started {
  readonly port: number
  readonly adminPort: number
  readonly output: () => string
  readonly signal: (signal: NodeJS.Signals) => void
  readonly ended: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>
}

const kill = new Set<() => void>()

/** Starts the program and waits until it serves. */
const start = async (...words: ReadonlyArray<string>): Promise<Started> => {
  const child = spawn(process.execPath, [program, "serve", "--no-request-log", ...words], {
    env,
    stdio: ["ignore", "pipe", "pipe"]
  })
  kill.add(() => child.kill("SIGKILL"))
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => output += text)
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>
  const portOf = (what: string) =>
    Number(new RegExp(`${what} http://[^\\s"]+?:(\\d+)`, "u").exec(output)?.[1])
  await until(() => child.exitCode !== null || portOf("Listening on") > 0, () => output)
  assert.isAbove(portOf("Listening on"), 0, output)
  return {
    ended,
    port: portOf("Listening on"),
    adminPort: portOf("Health and metrics at"),
    output: () => output,
    signal: (signal) => void child.kill(signal)
  }
}

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
      if (answer.code === "ECONNREFUSED") await new Promise((resolve) => setTimeout(resolve, 20))
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
  let program = await start("--port", "0", "--admin-port", "off", ...words)
  const { port } = program
  let isOver = false
  const posting = [1, 2, 3].map(() => postUntil(port, () => isOver))
  for (let i = 0; i < times; i++) {
    const { ended, output, signal } = program
    await new Promise((resolve) => setTimeout(resolve, 150))
    signal("SIGTERM")
    assert.deepStrictEqual(await ended, [0, null], output())
    program = await start("--port", String(port), "--admin-port", "off", ...words)
  }
  await new Promise((resolve) => setTimeout(resolve, 150))
  isOver = true
  const acknowledged = (await Promise.all(posting)).flat()
  assert.isAbove(acknowledged.length, 3 * times)
  const client = new Client(port, true)
  for (const path of acknowledged) {
    assert.strictEqual(
      (await client.get(path)).status,
      200,
      `${path} of ${acknowledged.length} is lost`
    )
  }
  client.close()
  program.signal("SIGTERM")
  assert.deepStrictEqual(await program.ended, [0, null], program.output())
}

describe("a program that is stopped", () => {
  afterAll(() => {
    for (const end of kill) end()
  })

  it("continues if its output is not read, and still exits in order", async () => {
    const child = spawn(process.execPath, [
      program,
      "serve",
      "--port",
      "0",
      "--admin-port",
      "off",
      "--empty",
      "--memory"
    ], { env, stdio: ["ignore", "pipe", "pipe"] })
    kill.add(() => child.kill("SIGKILL"))
    const ended = once(child, "exit")
    let output = ""
    child.stdout.on("data", (text) => output += text)
    await until(() => output.includes("Listening on"), () => output)
    const url = /Listening on (http:[^\s,"]+)/u.exec(output)![1]!
    child.stdout.destroy()
    child.stderr.destroy()
    // each request is a line
    for (let i = 0; i < 20; i++) {
      assert.strictEqual((await fetch(`${url}/tokens/0`)).status, 200)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    child.kill("SIGTERM")
    assert.deepStrictEqual(await ended, [0, null])
  })

  it("becomes unready, closes idle connections, completes started requests with Connection: close, and exits with 0", async () => {
    const program = await start(
      "--port",
      "0",
      "--empty",
      "--memory",
      "--shutdown-timeout-ms",
      "60000"
    )
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

    const ready = async () => (await fetch(`http://127.0.0.1:${program.adminPort}/readyz`)).status
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
      const program = await start(
        "--port",
        "0",
        "--admin-port",
        "off",
        "--empty",
        "--memory",
        "--shutdown-timeout-ms",
        isTwice ? "3600000" : "100"
      )
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
        await until(
          () => fetch(`http://127.0.0.1:${program.port}/config`).then(() => false, () => true),
          program.output
        )
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
      const { ended, output, signal } = await start(
        "--simulate",
        "--transactions",
        "0",
        "--pace",
        "0.1",
        "--port",
        "0",
        "--admin-port",
        "off",
        "--shutdown-timeout-ms",
        "100",
        "--database",
        proxy.url
      )
      await until(() => output().includes("This process writes the ledger"), output)
      proxy.delayMs = 3_600_000
      // the simulated network writes meanwhile
      await new Promise((resolve) => setTimeout(resolve, 1000))
      signal("SIGTERM")
      assert.deepStrictEqual(await ended, [143, null], output())
      assert.include(output(), "Closing the stores takes too long")
    } finally {
      await proxy.close()
    }
  })
})
