import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { initialHistory, simulate } from "../../app/simulator/mod.ts"
import { writeFeedLine } from "../../core/domain/mod.ts"
import { newAuthorization } from "./_group.ts"
import {
  inDirectory,
  json,
  listening,
  postJson,
  start,
  type Started,
  until,
  untilLogged
} from "./_program.ts"

/** Starts a server with a heap of some MiB. */
const startWith = (heapMiB: number, ...words: ReadonlyArray<string>): Started =>
  start(["serve", "--port", "0", "--admin-port", "0", "--log-format", "text", ...words], {
    environment: { NODE_OPTIONS: `--max-old-space-size=${heapMiB}` }
  })

/** Writes a feed that needs more than the heap. */
const writeFeed = (file: string): void => {
  const simulation = simulate({
    seed: "heap",
    users: 500,
    transactionsPerBlock: 200,
    placeholderRoots: true
  })
  const records = [
    { kind: "genesis", genesis: simulation.genesis } as const,
    ...initialHistory(simulation, 60_000)
  ]
  writeFileSync(file, records.map((record) => `${writeFeedLine(record)}\n`).join(""))
}

/**
 * Reads different pages, which the server caches, until the server has ended. They are small, since
 * the cache keeps large ones as bytes outside of the heap.
 */
const readUntilEnded = async ({ hasEnded }: Started, url: string): Promise<void> => {
  for (let page = 0; !hasEnded(); page++) {
    const query = `limit=${12 - page % 5}&fromItem=${7 * page % 30_000}`
    await fetch(`${url}/transactions-history?${query}`).then(
      (response) => response.arrayBuffer(),
      () => {}
    )
  }
}

const mebibytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20)

describe("the program at the end of its heap", () => {
  it(
    "refuses writes, answers reads, exits with code 7 before V8 aborts, and says what a start needs",
    () =>
      inDirectory(async (directory) => {
        const feed = `${directory}.ndjson`
        writeFeed(feed)
        const limit = ["--heap-bytes-max", String(44 * 2 ** 20)]
        const first = startWith(
          4096,
          "--feed",
          feed,
          "--data",
          directory,
          "--no-request-log",
          ...limit
        )
        const { admin, url } = await listening(first)
        const readiness = async () => (await fetch(`${admin}/readyz`)).text()
        await until(
          async () => (await readiness()).includes("writes are refused:"),
          first.output
        )
        assert.include(await readiness(), '"state":"degraded"')
        const { body, path } = newAuthorization()
        const refused = await postJson(`${url}/account-creation-authorization`, body)
        assert.strictEqual(refused.status, 503)
        assert.strictEqual(refused.headers.get("retry-after"), "10")
        assert.include(await refused.text(), "The server has no memory for writes")
        assert.strictEqual((await fetch(url + path)).status, 404)
        assert.match(
          await (await fetch(`${admin}/metrics`)).text(),
          /^rollup_limit_hits_total\{limit="heapBytesMax"\} [1-9]/mu
        )
        const { transactions } = await json<{ readonly transactions: ReadonlyArray<unknown> }>(
          `${url}/transactions-history?limit=3`
        )
        assert.strictEqual(transactions.length, 3)

        await readUntilEnded(first, url)
        assert.deepStrictEqual(await first.ended, [7, null], first.output())
        assert.match(
          first.output(),
          /The heap is full: \d+ of 44 MiB are in use after a full garbage collection; exiting before V8 aborts/u
        )

        const other = `${directory}-2`
        const loading = startWith(4096, "--feed", feed, "--data", other, "--no-request-log")
        await untilLogged(loading, "The feed has ended")
        await loading.kill()
        // V8 has more memory: it would abort if the start allocates much between two collections
        const second = startWith(
          4096,
          "--feed",
          feed,
          "--data",
          other,
          "--heap-bytes-max",
          String(36 * 2 ** 20)
        )
        assert.deepStrictEqual(await second.ended, [7, null], second.output())
        const need =
          /(\d+) of (\d+) records of the data directory were read, and all of them need about (\d+) MiB: start with --heap-bytes-max=(\d+) or more/u
            .exec(second.output())!.slice(1).map(Number)
        const [records, total, needMiB, heapBytes] = need as [number, number, number, number]
        assert.isBelow(records, total)
        assert.isAbove(needMiB, 33)
        const limits = ["--heap-bytes-max", String(heapBytes)]
        const third = startWith(
          mebibytes(heapBytes) + 32,
          "--feed",
          feed,
          "--data",
          other,
          ...limits
        )
        await listening(third)
      }),
    // about 35 s of CPU time, of which other work can leave a tenth
    1_200_000
  )

  it(
    "exits with code 7 and not with 134 if V8 limits a small heap",
    () =>
      inDirectory(async (directory) => {
        const feed = `${directory}.ndjson`
        writeFeed(feed)
        const words = ["--no-request-log", "--answers-bytes-max", "1000000000"]
        const server = startWith(72, "--feed", feed, "--data", directory, ...words)
        const { url } = await listening(server)
        await readUntilEnded(server, url)
        assert.deepStrictEqual(await server.ended, [7, null], server.output())
        assert.match(
          server.output(),
          /The heap is full: \d+ of 72 MiB are in use after a full garbage collection; reads continue, and writes are refused/u
        )
        assert.include(
          server.output(),
          "exiting before V8 aborts, all acknowledged writes are stored: start with NODE_OPTIONS=--max-old-space-size=140 or more"
        )
      }),
    1_200_000
  )
})
