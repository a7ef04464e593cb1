import { Effect } from "effect"
import type { FeedRecord } from "../../../core/domain/mod.ts"
import { type SnapshotId, snapshotIdOf } from "../../../core/ports/mod.ts"
import { sample } from "../_check.ts"
import { invalidBlocks } from "./_invalid_blocks.ts"
import { readEverything, withoutItemIds, withoutQueuedItemIds } from "./_every_answer.ts"
import { itemIdsLaw, pagingReaderLaw } from "./_paging_through.ts"
import { agreesWith } from "./agreement.ts"
import { effectiveRecords } from "../facts.ts"
import { integer } from "../generators.ts"
import { holds, type Law, type LawViolation, same, violated } from "../law.ts"
import { replay } from "../naive/mod.ts"
import { applyAll, applyOne, type LedgerSubject, nameOf, positions } from "./ledger_subject.ts"

/* The laws of writing. Each run opens its own ledgers. */

type Run = (subject: LedgerSubject) => Effect.Effect<void, LawViolation>

const followsTheModel: Run = (subject) =>
  Effect.scoped(Effect.gen(function*() {
    const { ledger, reader } = yield* subject.open
    let done = 0
    for (const position of yield* positions(subject, "model")) {
      yield* applyAll(ledger, subject.records.slice(done, position))
      done = position
      yield* agreesWith(
        reader,
        replay(subject.genesis, subject.records.slice(0, position), subject.keccak256),
        () => `After ${position} records`
      )
    }
  }))

/** Returns the blocks with their positions in the feed. */
const blocksOf = (records: ReadonlyArray<FeedRecord>) =>
  records.flatMap((record, at) => record.kind === "block" ? [{ at, block: record.block }] : [])

const rollsBack: Run = (subject) =>
  Effect.gen(function*() {
    for (const position of yield* positions(subject, "rollBack")) {
      const effective = effectiveRecords(subject.records.slice(0, position))
      const blocks = blocksOf(effective)
      const depth = (yield* sample(integer(1, 12), 1, `${subject.seed}/depth/${position}`))[0]!
      const first = blocks.at(-depth)
      if (first === undefined) continue
      yield* Effect.scoped(Effect.gen(function*() {
        const [dropped, never] = [yield* subject.open, yield* subject.open]
        yield* applyAll(never.ledger, effective.slice(0, first.at))
        yield* applyAll(dropped.ledger, effective.slice(0, first.at))
        const facts = replay(subject.genesis, effective.slice(0, first.at), subject.keccak256)
        const before = yield* readEverything(dropped.reader, facts)
        yield* applyAll(dropped.ledger, effective.slice(first.at))
        const top = replay(subject.genesis, effective, subject.keccak256)
        yield* applyOne(dropped.ledger, { kind: "rollBack", toBlock: first.block.number - 1n })
        const description = () =>
          `After ${position} records, rolled back by ${depth} blocks to ${first.block.number - 1n}`
        // also reads items that were removed
        yield* same(
          withoutItemIds(yield* readEverything(dropped.reader, top)),
          withoutItemIds(yield* readEverything(never.reader, top)),
          description
        )
        yield* same(
          withoutQueuedItemIds(yield* readEverything(dropped.reader, facts)),
          withoutQueuedItemIds(before),
          () => `${description()}, itemIds of the remaining items`
        )
        yield* applyAll(dropped.ledger, effective.slice(first.at))
        yield* applyAll(never.ledger, effective.slice(first.at))
        yield* same(
          withoutItemIds(yield* readEverything(dropped.reader, top)),
          withoutItemIds(yield* readEverything(never.reader, top)),
          () => `${description()} and applied again`
        )
      }))
    }
  })

const appliesTwice: Run = (subject) =>
  Effect.scoped(Effect.gen(function*() {
    const { ledger, reader } = yield* subject.open
    let done = 0
    for (const position of yield* positions(subject, "twice")) {
      yield* applyAll(ledger, subject.records.slice(done, position))
      done = position
      const effective = effectiveRecords(subject.records.slice(0, position))
      const facts = replay(subject.genesis, effective, subject.keccak256)
      const [before, snapshotId] = [
        yield* readEverything(reader, facts),
        yield* Effect.orDie(reader.snapshotId)
      ]
      for (const { block } of blocksOf(effective).slice(-6)) {
        const report = yield* Effect.catch(ledger.applyBlock(block), (failure) =>
          holds(false, () =>
            `Block ${block.number} again: ${failure.message}`).pipe(Effect.as(null)))
        yield* holds(report?.applied === false, () =>
          `Block ${block.number} was applied twice`)
      }
      yield* same(yield* readEverything(reader, facts), before, () =>
        `After ${position} records and the last blocks again`)
      yield* same(yield* Effect.orDie(reader.snapshotId), snapshotId, () =>
        "The snapshotId")
    }
  }))

const refuses: Run = (subject) =>
  Effect.scoped(Effect.gen(function*() {
    const { ledger, reader } = yield* subject.open
    const chosen = new Set(yield* positions(subject, "refused"))
    for (const [at, record] of subject.records.entries()) {
      if (record.kind === "block" && (chosen.has(at) || record.block.batches?.length === 2)) {
        const facts = replay(subject.genesis, subject.records.slice(0, at), subject.keccak256)
        const [before, snapshotId] = [
          yield* readEverything(reader, facts),
          yield* Effect.orDie(reader.snapshotId)
        ]
        for (const { block, invariant } of invalidBlocks(record.block)) {
          const result = yield* Effect.result(ledger.applyBlock(block))
          yield* holds(
            result._tag === "Failure" && result.failure._tag === "BlockViolation" &&
              result.failure.invariant === invariant,
            () =>
              `Block ${block.number} that breaks ${invariant}: ${
                result._tag === "Success" ? "accepted" : result.failure.message
              }`
          )
          if (result._tag === "Failure" && result.failure._tag === "BlockViolation") {
            const { expected, message, pointer, value } = result.failure
            yield* holds(
              pointer.startsWith("/") && expected !== "" && message.includes(value),
              () => `A violation without its value, place or expected value: ${message}`
            )
          }
        }
        yield* same(
          yield* readEverything(reader, facts),
          before,
          () => `After refused changes of block ${record.block.number}`
        )
        yield* same(yield* Effect.orDie(reader.snapshotId), snapshotId, () => "The snapshotId")
      }
      yield* applyOne(ledger, record)
    }
  }))

const refusesTheRest: Run = (subject) =>
  Effect.scoped(Effect.gen(function*() {
    const { ledger, reader } = yield* subject.open
    yield* applyAll(ledger, subject.records)
    const facts = replay(subject.genesis, subject.records, subject.keccak256)
    const before = yield* readEverything(reader, facts)
    for (const toBlock of [1n << 64n, subject.genesis.block.number - 1n]) {
      const result = yield* Effect.result(ledger.rollBack(toBlock))
      yield* holds(result._tag === "Failure" && result.failure._tag === "BlockViolation", () =>
        `A rollback to block ${toBlock} was accepted`)
    }
    const prices = yield* Effect.result(
      ledger.setPrices([{ tokenId: 0, priceUSD: 1, timeMs: 0 }, {
        tokenId: 4294967295,
        priceUSD: 1,
        timeMs: 0
      }])
    )
    yield* holds(prices._tag === "Failure" && prices.failure._tag === "BlockViolation", () =>
      "The price of a token that is not registered was accepted")
    const { genesis } = subject
    const otherGenesis = {
      ...genesis,
      network: { ...genesis.network, chainId: (genesis.network.chainId + 1) % 65536 }
    }
    const other = yield* Effect.result(
      ledger.applyRecord({ kind: "genesis", genesis: otherGenesis })
    )
    yield* holds(other._tag === "Failure" && other.failure._tag === "BlockViolation", () =>
      "The genesis of another network was accepted")
    yield* applyOne(ledger, { kind: "genesis", genesis })
    yield* same(yield* readEverything(reader, facts), before, () =>
      "After refused rollbacks and prices, and the genesis again")
    yield* applyOne(ledger, { kind: "rollBack", toBlock: subject.genesis.block.number })
    const empty = yield* subject.open
    yield* same(
      withoutItemIds(yield* readEverything(reader, facts)),
      withoutItemIds(yield* readEverything(empty.reader, facts)),
      () =>
        "After a rollback of everything"
    )
  }))

const refusesBlocksOfGaps: Run = (subject) =>
  Effect.scoped(Effect.gen(function*() {
    const { ledger, reader } = yield* subject.open
    yield* applyAll(ledger, subject.records)
    const snapshotId = yield* Effect.orDie(reader.snapshotId)
    const blocks = blocksOf(effectiveRecords(subject.records)).map(({ block }) => block)
    for (const [at, after] of blocks.entries()) {
      const before = blocks[at - 1] ?? subject.genesis.block
      for (const number of new Set([before.number + 1n, after.number - 1n])) {
        if (number <= before.number || number >= after.number) continue
        const block = { ...after, number, previous: { number: before.number, hash: before.hash } }
        const result = yield* Effect.result(ledger.applyBlock(block))
        yield* holds(
          result._tag === "Failure" && result.failure._tag === "BlockViolation" &&
            result.failure.invariant === "block-gap" &&
            result.failure.expected.includes(`between ${before.number} and ${after.number}`),
          () =>
            `Block ${number} of the gap between ${before.number} and ${after.number}: ${
              result._tag === "Success" ? "accepted" : result.failure.message
            }`
        )
      }
    }
    yield* same(yield* Effect.orDie(reader.snapshotId), snapshotId, () => "The snapshotId")
  }))

const reportsTheLastBlock: Run = (subject) =>
  Effect.scoped(Effect.gen(function*() {
    const { ledger, reader } = yield* subject.open
    const chain = [subject.genesis.block]
    for (const record of subject.records) {
      if (record.kind === "block") {
        yield* applyOne(ledger, record)
        const { hash, number, timestampMs } = record.block
        if (number > chain.at(-1)!.number) chain.push({ number, hash, timestampMs })
      } else if (record.kind === "rollBack") {
        while (chain.at(-1)!.number > record.toBlock) chain.pop()
        // the second one may be above the last block
        for (const blocksMax of [Infinity, 0]) {
          const report = yield* Effect.catch(
            ledger.rollBack(record.toBlock),
            (failure) => violated(`The ${nameOf(record)} was refused: ${failure.message}`)
          )
          yield* same(report.lastBlock, chain.at(-1), () => `The last block of ${nameOf(record)}`)
          yield* holds(report.blocks <= blocksMax, () => `${nameOf(record)} again removed blocks`)
          const { ethereumBlockNum } = yield* Effect.orDie(reader.snapshotId)
          yield* same(
            ethereumBlockNum,
            chain.at(-1)!.number,
            () => `The snapshotId of ${nameOf(record)}`
          )
        }
      } else yield* applyOne(ledger, record)
    }
  }))

const snapshotIds: Run = (subject) =>
  Effect.scoped(Effect.gen(function*() {
    const { ledger, reader } = yield* subject.open
    let last: SnapshotId = yield* Effect.orDie(reader.snapshotId)
    for (const [at, record] of subject.records.entries()) {
      yield* applyOne(ledger, record)
      const snapshotId = yield* Effect.orDie(reader.snapshotId)
      yield* holds(snapshotId.version > last.version, () =>
        `${nameOf(record)} left version ${last.version} at ${snapshotId.version}`)
      last = snapshotId
      if (at % 10 !== 0 && at !== subject.records.length - 1) {
        continue
      }
      const facts = replay(subject.genesis, subject.records.slice(0, at + 1), subject.keccak256)
      yield* same(
        snapshotId,
        snapshotIdOf({
          lastBlock: facts.blocks.at(-1)!,
          head: facts.head,
          lastBatchNum: facts.batches.at(-1)?.batchNum ?? 0,
          version: snapshotId.version
        }),
        () =>
          `The snapshotId after ${nameOf(record)}`
      )
      const answers = [
        yield* Effect.orDie(reader.state),
        yield* Effect.orDie(reader.find("token", 0)),
        yield* Effect.orDie(reader.list("tokens", { filters: {} }))
      ]
      for (const answer of answers) {
        yield* same(answer.snapshotId, snapshotId, () => "The snapshotId of an answer")
      }
    }
  }))

/**
 * The laws of writing: blocks, rollbacks, invalid and repeated blocks. Each run opens its own
 * ledgers, and takes a share of the feed that grows with `runs`.
 *
 * ```ts
 * import { Context, Effect, Layer } from "effect"
 * import { Ledger, LedgerReader } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 * import * as Memory from "rollup-node-api/memory"
 * import { simulate } from "rollup-node-api/simulator"
 * import { ledgerLaws } from "rollup-node-api/testing"
 *
 * const simulation = simulate({ seed: 1 })
 * const { genesis } = simulation
 * const store = Layer.provideMerge(Ledger.layer(genesis, keccak256), Memory.layer(genesis))
 * const open = Effect.map(Layer.build(Layer.fresh(store)), (services) => ({
 *   ledger: Context.get(services, Ledger),
 *   reader: Context.get(services, LedgerReader)
 * }))
 * const records = Array.from({ length: 15 }, () => simulation.next())
 * const law = ledgerLaws.find(({ name }) => name === "applying a block twice changes nothing")!
 * await Effect.runPromise(law.run({ genesis, records, open, keccak256, seed: 1, runs: 1 }))
 * console.log(records.length) // => 15
 * ```
 */
export const ledgerLaws: ReadonlyArray<Law<LedgerSubject>> = [
  {
    name: "at any point of the feed, every answer is the one of the naive model",
    run: followsTheModel
  },
  {
    name:
      "a rollback and never having applied the blocks give the same answers except for itemIds, and the remaining items keep theirs",
    run: rollsBack
  },
  { name: "applying a block twice changes nothing", run: appliesTwice },
  {
    name: "a block that violates an invariant is refused with its name and changes nothing",
    run: refuses
  },
  {
    name:
      "a rollback below the genesis block, a price of an unknown token and another genesis are refused; a rollback to the genesis block is possible",
    run: refusesTheRest
  },
  { name: "a block of a gap is refused with the blocks around it", run: refusesBlocksOfGaps },
  {
    name:
      "a rollback keeps every block up to its number, reports the last one, and removes nothing if it is repeated",
    run: reportsTheLastBlock
  },
  {
    name:
      "the snapshotId grows with every record, contains the last block and batch, and is part of every answer",
    run: snapshotIds
  },
  {
    name: "an itemId is never used twice, and a new one is greater than all before",
    run: itemIdsLaw
  },
  {
    name:
      "a client that pages ascending while blocks are applied and rolled back misses no item that remains",
    run: pagingReaderLaw
  }
]
