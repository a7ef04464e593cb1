import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { keccak256 } from "../../../adapters/hashing/mod.ts"
import { layer } from "../../../adapters/memory/mod.ts"
import { sqlStores } from "../../../adapters/sql/mod.ts"
import { LedgerReader } from "../../../core/ports/mod.ts"
import { Ledger } from "../../../core/use_cases/mod.ts"
import { type FreshDatabase, freshDatabase } from "../../postgres/mod.ts"
import { networkOf } from "./_network.ts"
import { request, requestUntil } from "../_running_node.ts"

const seed = "processes"

/** A process of the service and its output. */
class ServerProcess {
  readonly child: ChildProcess
  readonly versions: Array<number> = []
  port = 0
  #heard = () => {}
  #rest = ""

  constructor(url: string, ...more: ReadonlyArray<string>) {
    this.child = spawn(process.execPath, [
      join(import.meta.dirname, "_server_process.ts"),
      url,
      seed,
      ...more
    ], { stdio: ["ignore", "pipe", "inherit"] })
    this.child.stdout!.on("data", (chunk: Buffer) => {
      const lines = (this.#rest + String(chunk)).split("\n")
      this.#rest = lines.pop()!
      for (const line of lines) {
        const [word, number] = line.split(" ")
        if (word === "port") this.port = Number(number)
        else this.versions.push(Number(number))
      }
      this.#heard()
    })
  }

  /** Resolves when the output satisfies a condition. */
  until(holds: (process: ServerProcess) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = () => {
        if (holds(this)) resolve()
      }
      this.#heard()
    })
  }

  async kill(): Promise<void> {
    const ended = once(this.child, "close")
    this.child.kill("SIGKILL")
    await ended
  }
}

describe("several processes on one database", () => {
  let database: FreshDatabase
  const processes: Array<ServerProcess> = []
  const start = (...more: ReadonlyArray<string>) => {
    const started = new ServerProcess(database.url, ...more)
    processes.push(started)
    return started
  }
  beforeAll(async () => {
    database = await freshDatabase()
  })
  afterAll(async () => {
    await Promise.all(
      processes.filter(({ child }) => child.exitCode === null && child.signalCode === null).map((
        each
      ) => each.kill())
    )
    await database.remove()
  })

  it("serve the writes of one of them; if that one is killed, another one continues", async () => {
    const run = <A>(effect: Effect.Effect<A>) => Effect.runPromise(effect)
    const servers = [start(), start("write"), start("write")]
    await Promise.all(servers.map((server) => server.until(({ port }) => port > 0)))
    const [one, two] = servers.slice(1) as [ServerProcess, ServerProcess]
    await Promise.race([one, two].map((each) => each.until(({ versions }) => versions.length >= 5)))
    const [first, second] = one.versions.length > 0 ? [one, two] : [two, one]
    assert.deepStrictEqual(second.versions, [])

    for (const { port } of servers) {
      assert.strictEqual(
        (await run(
          requestUntil(port, "/accounts?limit=5", ({ version }) => version >= first.versions.at(4)!)
        )).status,
        200
      )
    }
    await first.kill()
    const acknowledged = first.versions.at(-1)!
    await second.until(({ versions }) => (versions.at(-1) ?? 0) > acknowledged + 5)

    const reader = servers[0]!
    const latest = second.versions.at(-1)!
    assert.strictEqual(
      (await run(requestUntil(reader.port, "/state", ({ version }) => version >= latest))).status,
      200
    )
    await second.kill()
    // the result equals that of one process
    const { body, version } = await run(request(reader.port, "/transactions-history?limit=2049"))
    assert.isAtLeast(version, latest)
    const left = await run(
      Effect.orDie(
        reading(sqlStores({ url: Redacted.make(database.url), genesis: networkOf(seed).genesis }))
      )
    )
    const alone = await run(Effect.orDie(writtenAlone(version)))
    assert.deepStrictEqual(left, alone)
    assert.strictEqual(
      (JSON.parse(body) as { transactions: ReadonlyArray<unknown> }).transactions.length > 0,
      true
    )
  })
})

const pages = (reader: LedgerReader["Service"]) =>
  Effect.gen(function*() {
    const accounts = yield* reader.list("accounts", { filters: {}, limit: 2049 })
    const transactions = yield* reader.list("transactions", { filters: {}, limit: 2049 })
    const batches = yield* reader.list("batches", { filters: {}, limit: 2049 })
    return { accounts, transactions, batches }
  })

const reading = <E>(stores: Layer.Layer<LedgerReader, E>) =>
  Effect.scoped(
    Effect.flatMap(Layer.build(stores), (services) => pages(Context.get(services, LedgerReader)))
  )

/** Opens the same chain in memory, up to a version. */
const writtenAlone = (version: number) =>
  Effect.gen(function*() {
    const { genesis, next } = networkOf(seed)
    const services = yield* Layer.build(
      Ledger.layer(genesis, keccak256).pipe(Layer.provideMerge(layer(genesis)))
    )
    const reader = Context.get(services, LedgerReader)
    while ((yield* reader.snapshotId).version < version) {
      yield* Context.get(services, Ledger).applyBlock(next())
    }
    return yield* pages(reader)
  }).pipe(Effect.scoped)
