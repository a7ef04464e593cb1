import { Effect } from "effect"
import { crc32 } from "node:zlib"
import { exitTree } from "../../adapters/crypto/mod.ts"
import type { BatchFeed, BlockFeed, ExitFeed, FeedRecord } from "../../core/domain/mod.ts"
import type { ExitLeaf, ExitTree, ExitTreeBuilder } from "../../core/use_cases/mod.ts"
import type { LedgerSubject } from "../laws/mod.ts"

/*
 * Feeds without the values that a ledger derives: effects of L1 user transactions, nonces of L2
 * transactions, exits and their proofs.
 */

/** Returns whether a feed has the value at a place, such as `/batches/0/exits`. */
type Keeps = (place: string) => boolean

const keepsNothing: Keeps = () => false

/** Returns a block without the derived values, except those that it keeps. */
export const strippedBlock = (block: BlockFeed, keeps: Keeps = keepsNothing): BlockFeed =>
  block.batches === undefined ? block : {
    ...block,
    batches: block.batches.map((batch, position) =>
      strippedBatch(batch, (place) => keeps(`/batches/${position}${place}`))
    )
  }

function strippedBatch({ exits, l1UserEffects, ...batch }: BatchFeed, keeps: Keeps): BatchFeed {
  return {
    ...batch,
    ...l1UserEffects !== undefined && keeps("/l1UserEffects") ? { l1UserEffects } : {},
    l2: batch.l2.map(({ nonce, ...transaction }, position) =>
      nonce !== undefined && keeps(`/l2/${position}/nonce`)
        ? { ...transaction, nonce }
        : transaction
    ),
    ...exits !== undefined && keeps("/exits")
      ? {
        exits: exits.map(({ merkleProof, ...exit }, position): ExitFeed =>
          merkleProof !== undefined && keeps(`/exits/${position}/merkleProof`)
            ? { ...exit, merkleProof }
            : exit
        )
      }
      : {}
  }
}

/** Returns a block without some of the derived values, chosen by its number. */
export const partlyStrippedBlock = (block: BlockFeed): BlockFeed =>
  strippedBlock(block, (place) => crc32(`${block.number}${place}`) % 2 === 0)

/** Returns a record with the block that `strip` returns. */
export const strippedRecord = (
  record: FeedRecord,
  strip: (block: BlockFeed) => BlockFeed = strippedBlock
): FeedRecord => record.kind === "block" ? { ...record, block: strip(record.block) } : record

/**
 * Returns a subject whose ledgers get its blocks stripped. Other blocks, such as those with an error,
 * are passed on unchanged.
 */
export const strippedSubject = (
  subject: LedgerSubject,
  strip: (block: BlockFeed) => BlockFeed
): LedgerSubject => {
  const blocks = new Map(
    subject.records.flatMap((record) =>
      record.kind === "block" ? [[record.block, strip(record.block)] as const] : []
    )
  )
  const strippedIf = (block: BlockFeed) => blocks.get(block) ?? block
  return {
    ...subject,
    open: Effect.map(subject.open, ({ ledger, reader }) => ({
      reader,
      ledger: {
        ...ledger,
        applyBlock: (block) => ledger.applyBlock(strippedIf(block)),
        applyRecord: (record) => ledger.applyRecord(strippedRecord(record, strippedIf))
      }
    }))
  }
}

const trees = new Map<string, ExitTree>()

/** Builds exit trees with a cache for tests, which apply the same blocks many times. */
export const rememberedExitTrees: ExitTreeBuilder = (batches) =>
  Effect.as(Effect.yieldNow, batches.map(rememberedExitTree))

export const rememberedExitTree = (leaves: ReadonlyArray<ExitLeaf>): ExitTree => {
  const key = leaves.map((leaf) => Object.values(leaf).join(" ")).join()
  const tree = trees.get(key) ?? exitTree(leaves)
  trees.set(key, tree)
  return tree
}
