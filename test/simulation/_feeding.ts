import { Cause, type Effect, Exit, Option } from "effect"
import type { BatchFeed, BlockFeed, EthereumBlock, FeedRecord } from "../../core/domain/mod.ts"
import { type StoreFailure } from "../../core/ports/mod.ts"
import type { BlockViolation, RecordReport } from "../../core/use_cases/mod.ts"
import { nameOf } from "../laws/ledger/mod.ts"
import type { Facts } from "../laws/mod.ts"
import { PoolChain } from "../laws/pool/mod.ts"
import {
  blockOn,
  countOccurrences,
  drawBlock,
  drawHead,
  drawStripped,
  personOf,
  priceOf
} from "./network/mod.ts"
import { pendingOf } from "./_coordinator.ts"
import type { World } from "./_world.ts"

/** The state of the feeder: dropped blocks, some of which it sends again. */
export interface Feeder {
  isBusy: boolean
  unique: number
  readonly sent: Array<BlockFeed>
}

export const newFeeder = (): Feeder => ({ isBusy: false, unique: 1000, sent: [] })

/** The first blocks: a token, and accounts of some users. */
export function opening(world: World, feeder: Feeder): void {
  for (const given of new PoolChain(world.genesis).opening()) {
    const queued = given.l1UserTransactions?.map((each, number) => ({
      ...each,
      fromPublicKey: personOf(number).publicKey
    }))
    const block = queued === undefined ? given : { ...given, l1UserTransactions: queued }
    world.timeline.tell({ kind: "block", block })
    feed(world, feeder)
    world.quiesce()
  }
}

/** Sends the next record of the chain, or repeats the last one if its outcome is unknown. */
export function feed(world: World, feeder: Feeder, forged?: Partial<BatchFeed>): void {
  if (feeder.isBusy) return
  const { timeline } = world
  if (timeline.open === undefined) timeline.tell(drawRecord(world, feeder, forged))
  const record = timeline.open!
  feeder.isBusy = true
  if (record.kind === "block") feeder.sent.push(record.block)
  const sent: FeedRecord = record.kind === "block"
    ? { ...record, block: drawStripped(world.random, record.block) }
    : record
  apply(world, sent, {
    onReport: (report) => {
      feeder.isBusy = false
      const version = versionOf(report)
      world.check(
        version > timeline.lastVersion,
        () =>
          `${
            nameOf(record)
          } is taken in at version ${version}, after version ${timeline.lastVersion}`
      )
      countGaps(world, record)
      const before = timeline.facts
      timeline.confirm(version)
      if (record.kind === "block" && sent.kind === "block") {
        const { facts } = timeline
        countOccurrences(before, record.block, facts, sent.block, (kind) => world.count(kind))
      }
      world.shownVersion = Math.max(world.shownVersion, version)
      world.judge()
    },
    refused: (violation) =>
      world.fail(`The valid record ${nameOf(record)} was refused: ${violation.message}`),
    onUnknownOutcome: () => void (feeder.isBusy = false)
  })
}

/** Counts blocks after gaps and rollbacks into gaps. */
function countGaps(world: World, record: FeedRecord): void {
  const { blocks } = world.timeline.facts
  if (record.kind === "block" && record.block.previous !== undefined) {
    world.count("block after a gap")
  }
  if (record.kind === "rollBack" && blocks.every(({ number }) => number !== record.toBlock)) {
    world.count("rollback into a gap")
  }
}

interface Outcomes {
  readonly onReport: (report: RecordReport) => void
  readonly refused: (violation: BlockViolation) => void
  /** Called if the outcome of the write is unknown. */
  readonly onUnknownOutcome: () => void
}

function apply(
  world: World,
  record: FeedRecord,
  { refused, onReport, onUnknownOutcome }: Outcomes
): void {
  const label = nameOf(record)
  const { injector } = world
  const faults = injector.faults
  const wasRough = !injector.isCalm
  const applied: Effect.Effect<RecordReport, BlockViolation | StoreFailure> = world.node.services
    .ledger.applyRecord(record)
  const abort = () => {
    world.tell(`${label} unheard`)
    onUnknownOutcome()
  }
  world.begin(label, applied, (exit) => {
    if (Exit.isSuccess(exit)) {
      world.tell(`${label} at ${versionOf(exit.value)}`)
      world.count(record.kind)
      return onReport(exit.value)
    }
    const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
    if (failure === undefined && !Cause.hasInterruptsOnly(exit.cause)) {
      world.fail(`${label} is a defect: ${Cause.pretty(exit.cause)}`)
    }
    if (failure?._tag === "BlockViolation") {
      world.tell(`${label} refused: ${failure.message}`)
      world.count(`refused ${record.kind}`)
      return refused(failure)
    }
    world.check(
      failure === undefined || wasRough || injector.faults > faults || world.durable.isBroken(),
      () => `${label} fails, and nothing was wrong: ${failure?.message}`
    )
    world.count(`failed ${record.kind}`)
    abort()
  }, abort)
}

const versionOf = (report: RecordReport): number =>
  report.kind === "genesis" ? 0 : report.snapshotId.version

function drawRecord(
  { random, durable, promises, timeline }: World,
  feeder: Feeder,
  forged?: Partial<BatchFeed>
): FeedRecord {
  const { facts } = timeline
  if (forged === undefined) {
    const roll = random.below(100)
    if (roll < 14 && timeline.depth > 3) {
      // mostly few blocks, sometimes all but the first ones
      const depth = random.chance(0.1)
        ? timeline.depth - 2
        : Math.min(1 + random.below(3), timeline.depth - 2)
      // into the gap before the first dropped block, if there is one
      const toBlock = random.chance(0.5) ? timeline.below(depth) : timeline.below(depth - 1) - 1n
      return { kind: "rollBack", toBlock }
    }
    if (roll < 20) {
      return {
        kind: "prices",
        prices: [priceOf(random, facts.tokens.length, facts.blocks.at(-1)!.timestampMs)]
      }
    }
    if (roll < 27) {
      const head = drawHead(random, facts, ++feeder.unique)
      return { kind: "head", head }
    }
    // the chain continues with a block that was dropped before
    const again = isBehindHead(facts)
      ? undefined
      : feeder.sent.findLast((block) => follows(block, facts.blocks.at(-1)!))
    if (again !== undefined && random.chance(0.4)) return { kind: "block", block: again }
  }
  const pool = durable.pool()
  const pending = [...promises.transactions.keys()].flatMap((id) => {
    const found = pendingOf(pool, id)
    return found === null ? [] : [found]
  })
  return { kind: "block", block: drawBlock(random, facts, ++feeder.unique, forged, pending) }
}

/** Whether a head is above the last block: no block up to the head can follow. */
const isBehindHead = ({ blocks, head }: Facts): boolean =>
  head !== null && head.number > blocks.at(-1)!.number

/** Whether the block continues a chain that ends with `last`. */
const follows = ({ parentHash, previous }: BlockFeed, last: EthereumBlock): boolean =>
  (previous?.hash ?? parentHash) === last.hash

/** Returns a block of the last gap of the ledger, or one that comes too early. */
function inGap({ blocks }: Facts, next: BlockFeed): BlockFeed {
  const after = blocks.findLast(({ number }, at) => at > 0 && number > blocks[at - 1]!.number + 1n)
  return { ...next, number: after === undefined ? next.number + 1n : after.number - 1n }
}

/** Returns blocks that a head above the last block forbids, and a head below the last block. */
function wrongBehindHead({ blocks, head }: Facts, next: BlockFeed): ReadonlyArray<FeedRecord> {
  const last = blocks.at(-1)!
  return [
    { kind: "block", block: { ...next, number: head!.number } },
    { kind: "block", block: { ...next, number: last.number + 1n, parentHash: last.hash } },
    { kind: "block", block: { ...next, timestampMs: head!.timestampMs - 1 } },
    { kind: "block", block: { ...next, parentHash: last.hash } },
    { kind: "head", head: { ...head!, number: last.number - 1n } },
    { kind: "rollBack", toBlock: 0n }
  ]
}

/** Sends invalid records: old, too new, or damaged. None of them changes anything. */
export function feedWrongly(world: World, feeder: Feeder): void {
  const { random, timeline } = world
  if (feeder.isBusy || timeline.open !== undefined || feeder.sent.length === 0) return
  const { blocks } = timeline.facts
  const version = timeline.lastVersion
  feeder.isBusy = true
  const free = () => void (feeder.isBusy = false)
  const old = random.of(feeder.sent)
  const next = blockOn(timeline.facts, ++feeder.unique, {})
  const record = random.of<FeedRecord>(
    isBehindHead(timeline.facts) ? wrongBehindHead(timeline.facts, next) : [
      { kind: "head", head: { ...drawHead(random, timeline.facts, feeder.unique), chainHead: 0n } },
      { kind: "block", block: old },
      { kind: "block", block: old },
      { kind: "block", block: { ...next, number: next.number + 1n } },
      { kind: "block", block: { ...next, parentHash: `0x${"0".repeat(64)}` } },
      { kind: "block", block: { ...next, timestampMs: 0 } },
      { kind: "block", block: inGap(timeline.facts, next) },
      {
        kind: "block",
        block: {
          ...next,
          number: next.number + 4n,
          previous: { number: next.number - 1n, hash: next.hash }
        }
      },
      {
        kind: "block",
        block: {
          ...next,
          number: next.number + 4n,
          previous: { number: next.number, hash: blocks.at(-1)!.hash }
        }
      },
      { kind: "block", block: { ...next, prices: [{ tokenId: 99, priceUSD: 1, timeMs: 0 }] } },
      { kind: "rollBack", toBlock: 0n }
    ]
  )
  // a dropped block that follows the last block is the next block
  if (
    record.kind === "block" && record.block === old && follows(old, blocks.at(-1)!)
  ) return free()
  const isThere = record.kind === "block" && blocks.some(({ hash }) => hash === record.block.hash)
  apply(world, record, {
    onReport: (report) => {
      free()
      world.check(
        isThere && report.kind === "block" && !report.applied &&
          report.snapshotId.version === version,
        () => `${nameOf(record)} is taken in, expected a refusal`
      )
    },
    refused: ({ invariant, message }) => {
      free()
      if (invariant === "block-gap") world.count("refused block of a gap")
      world.check(!isThere, () => `${nameOf(record)} is in the ledger, and is refused: ${message}`)
    },
    onUnknownOutcome: free
  })
}
