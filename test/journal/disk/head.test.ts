/* Heads in a data directory, beyond the laws of journals: any number needs the space of one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { auditJournal, exportFeed } from "../../../adapters/journal/mod.ts"
import { initialHistory, simulate } from "../../../app/simulator/mod.ts"
import type { EthereumBlock, HeadFeed } from "../../../core/domain/mod.ts"
import { Findings } from "../../../core/use_cases/mod.ts"
import { rounds } from "../../rounds.ts"
import { ledgerOver, openStores, type OpenedStores, temporaryDirectory } from "../_directories.ts"

const options = { seed: "heads", rollBackPeriodBlocks: 0, placeholderRoots: true } as const
const { genesis } = simulate(options)
const records = [...initialHistory(simulate(options), 60)]
const blocks = records.flatMap((record) => record.kind === "block" ? [record.block] : [])
const last = blocks.at(-1)!

const above = ({ hash, number, timestampMs }: EthereumBlock, by: bigint): HeadFeed => ({
  number: number + by,
  hash,
  timestampMs,
  chainHead: number + by + 7n
})

type Open = OpenedStores & { readonly ledger: Effect.Success<ReturnType<typeof ledgerOver>> }

const withStores = <A, E>(
  directory: string,
  use: (stores: Open) => Effect.Effect<A, E, Scope.Scope>
) =>
  Effect.scoped(Effect.gen(function*() {
    const stores = yield* openStores(directory, genesis)
    return yield* use({ ...stores, ledger: yield* ledgerOver(genesis, stores) })
  }))

/** Returns a directory with the records. */
const written = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  yield* withStores(
    directory,
    ({ ledger }) => Effect.forEach(records, ledger.applyRecord, { discard: true })
  )
  return directory
})

const stateOf = (directory: string) => withStores(directory, ({ reader }) => reader.state)

const bytesOf = (directory: string): number =>
  readdirSync(directory).filter((name) => name.startsWith("journal"))
    .reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)

const auditOf = (directory: string) =>
  Effect.gen(function*() {
    const findings = new Findings()
    const options = { onProgress: () => Effect.void, buildExitTrees: null, tree: null }
    yield* auditJournal(directory, options, findings)
    return findings.report()
  })

describe("a head in a data directory", () => {
  it.live("does not bind the blocks behind a checkpoint that has it, if a lower one replaced it", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const [first, second] = [blocks[0]!, blocks[1]!]
      const before = yield* withStores(
        directory,
        ({ journal, ledger, reader }) =>
          Effect.gen(function*() {
            yield* ledger.applyBlock(first)
            yield* ledger.setHead(above(first, 50n))
            yield* journal.checkpoint
            // the journal keeps the last one of these heads only
            yield* ledger.setHead(above(first, 0n))
            yield* ledger.applyBlock(second)
            yield* ledger.setHead(above(second, 20n))
            return yield* reader.state
          })
      )
      assert.isTrue((yield* auditOf(directory)).isSound)
      assert.deepStrictEqual(yield* stateOf(directory), before)
    })))

  it.live("adds not a byte, however many there are", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* written
      const before = bytesOf(directory)
      const heads = rounds({ short: 2000, long: 100_000 })
      const { version } = (yield* stateOf(directory)).snapshotId
      yield* withStores(directory, ({ ledger }) =>
        Effect.forEach(
          Array.from({ length: heads }, (_, i) => above(last, BigInt(i))),
          ledger.setHead,
          { discard: true }
        ))
      assert.strictEqual(bytesOf(directory), before)
      const lines = yield* Effect.scoped(Effect.map(exportFeed(directory), (feed) => [...feed]))
      assert.strictEqual(lines.length, 1 + records.length)
      const { state, snapshotId } = yield* stateOf(directory)
      assert.strictEqual(state.lastSynchedBlock, last.number + BigInt(heads) - 1n)
      assert.strictEqual(snapshotId.version, version + heads)
    })), 120_000)

  it.live("that was changed is found at the start and by an audit", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* written
      yield* withStores(directory, ({ ledger }) => ledger.setHead(above(last, 5n)))
      query(directory, "UPDATE head SET chain = replace(chain, 'chainHead', 'chainhead')")
      const error = yield* Effect.flip(stateOf(directory))
      assert.include(error.message, "is damaged: its head of the chain was changed")
      assert.isFalse((yield* auditOf(directory)).isSound)
    })))
})

/** Runs a statement on the database of a closed journal. Returns the first value. */
const query = (directory: string, text: string, ...parameters: ReadonlyArray<string>): string => {
  const database = new DatabaseSync(join(directory, "journal.sqlite"))
  const row = database.prepare(text).get(...parameters)
  database.close()
  return String(Object.values(row ?? {})[0])
}
