import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { type FeedRecord, readFeedLine, writeFeedLine } from "../../core/mod.ts"
import { freshDatabase } from "../postgres/mod.ts"
import { strippedRecord } from "./_stripped.ts"
import { command, inDirectory, serve, until } from "../program/_program.ts"

/* The program derives what a feed file leaves out. */

const paths = [
  "state",
  "accounts?limit=2049",
  "transactions-history?limit=2049",
  "exits?limit=2049",
  "batches?limit=2049",
  "slots",
  "tokens",
  "coordinators",
  "v1/exits?limit=2049",
  "v1/transactions-history?limit=2049"
]

/** Returns the digest of the answers of a server about its ledger. */
const digestOf = async (url: string) => {
  const digest = createHash("sha256")
  for (const path of paths) digest.update(await (await fetch(`${url}/${path}`)).text())
  return digest.digest("hex")
}

const recordOf = (line: string): FeedRecord => {
  const record = readFeedLine(line)
  return record._tag === "Success" ? record.value : assert.fail(line)
}

/** Serves a feed file until its end, and returns the digest of the answers. */
const servedDigest = async (...words: ReadonlyArray<string>) => {
  const server = await serve(...words)
  await until(() => server.output().includes("The feed has ended"), server.output)
  const digest = await digestOf(server.url)
  await server.kill()
  return digest
}

describe("a feed file without derived values", () => {
  it(
    "gives the same ledger in memory, in a directory, in a database and over the admin listener",
    () =>
      inDirectory(async (directory) => {
        const whole = `${directory}.ndjson`
        const simulated = command(
          "simulate",
          "--seed",
          "3",
          "--transactions",
          "300",
          "--no-true-roots",
          "--out",
          whole
        )
        assert.strictEqual(simulated.status, 0, simulated.output)
        const records = readFileSync(whole, "utf8").trimEnd().split("\n").map(recordOf)
        const feed = `${directory}.stripped.ndjson`
        writeFileSync(
          feed,
          records.map((record) => `${writeFeedLine(strippedRecord(record))}\n`).join("")
        )
        assert.notMatch(readFileSync(feed, "utf8"), /siblings|l1UserEffects|nonce/u)
        const expected = await servedDigest("--feed", whole, "--memory")
        assert.strictEqual(await servedDigest("--feed", feed, "--memory"), expected)

        assert.strictEqual(await servedDigest("--feed", feed, "--data", directory), expected)
        const verified = command("verify", "--data", directory)
        assert.strictEqual(verified.status, 0, verified.output)
        const verifiedFeed = command("verify", "--feed", feed)
        assert.match(verifiedFeed.output, /No violations found/u)

        const { url: database } = await freshDatabase()
        const loaded = command("ingest", feed, "--database", database)
        assert.strictEqual(loaded.status, 0, loaded.output)
        assert.strictEqual(await servedDigest("--feed", feed, "--database", database), expected)

        const [genesis, ...others] = records
        if (genesis?.kind !== "genesis") return assert.fail("the feed has no genesis")
        const genesisFile = `${directory}.genesis.json`
        writeFileSync(genesisFile, writeFeedLine(genesis))
        const token = "0123456789abcdef"
        const server = await serve(
          "--genesis",
          genesisFile,
          "--memory",
          "--admin-port",
          "0",
          "--admin-token",
          token
        )
        const admin = /Health and metrics at (http:\/\/[^\s",]+)/u.exec(server.output())![1]!
        const posted = await fetch(`${admin}/feed`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/x-ndjson",
            "feed-after": genesis.genesis.block.hash
          },
          body: others.map((record) => `${writeFeedLine(strippedRecord(record))}\n`).join("")
        })
        assert.strictEqual(posted.status, 200, await posted.text())
        assert.strictEqual(await digestOf(server.url), expected)
        await server.kill()
      }),
    120_000
  )
})
