import { setImmediate as nextTurn } from "node:timers/promises"
import { promisify } from "node:util"
import { serialize } from "node:v8"
import { deflateRaw } from "node:zlib"
import type { StoreFailure } from "../../../core/ports/mod.ts"
import {
  chunkLength,
  isGrouped,
  type Manifest,
  type PartReference,
  partsOf,
  type StoredList,
  type StoredLists
} from "./manifest.ts"
import type { StoreImages } from "./reader.ts"
import type { Parts } from "./parts.ts"
import { writeRowGroup } from "./row_group.ts"

/** What checkpoints use of a journal. */
export interface CheckpointedJournal {
  readonly directory: string
  /** The parts of the checkpoint. */
  readonly parts: Parts
  /** The checkpoint; undefined if there is none. */
  readonly manifest: Manifest | undefined
  /** Bytes of the entries behind the checkpoint. */
  readonly bytesSinceCheckpoint: number
  readonly failure: StoreFailure | undefined
  /**
   * Commits all pending entries and calls `capture`, before the writers of these entries go on.
   * Throws if the journal has failed.
   */
  readonly captureAt: <A>(capture: () => A) => {
    readonly captured: A
    /** The last record, and the checksum of it and all records before it. */
    readonly seq: number
    readonly checksum: number
  }
  /** Yields the lines of the feed in records (after, to], some at a time, also during writes. */
  readonly feedSlices: (after: number, to: number) => Iterable<ReadonlyArray<string>>
  /** Makes a checkpoint the one that the next start reads. */
  readonly install: (manifest: Manifest, bytesAfter: number) => void
  /** Deletes the records up to `seq`, some at a time. */
  readonly deleteRecords: (seq: number) => Iterable<void>
}

/** The result of a checkpoint. */
export interface CheckpointReport {
  /** The last record that it includes. */
  readonly seq: number
  /** Bytes of the parts that were written. */
  readonly writtenBytes: number
  /** Bytes of all parts, those of earlier checkpoints included. */
  readonly bytes: number
  readonly durationMs: number
}

type Lists = { readonly [name: string]: ReadonlyArray<unknown> }

/** A checkpoint with the rows that it was made of. */
interface Written {
  readonly manifest: Manifest
  readonly images: StoreImages
}

const deflate = promisify(deflateRaw)
/** Bytes of the feed that are compressed together. A longer line is compressed alone. */
const feedPartBytes = 1 << 20

/**
 * Writes the state of the stores beside the records of a journal, then deletes the records that it
 * includes. Rows never change: a part whose rows are the same objects as in the last checkpoint is
 * not written again. Other writes go on between the steps, of some milliseconds each.
 */
export class CheckpointWriter {
  readonly #journal: CheckpointedJournal
  readonly #capture: () => StoreImages
  #last: Written | undefined
  /** False after a failed commit: the disk may hold another checkpoint than the journal says. */
  #isInstalledKnown = true
  #settled: Promise<unknown> = Promise.resolve()
  readonly #closing = new AbortController()

  /**
   * @param capture returns the stores, which contain every appended record
   * @param restored the stores as the checkpoint of the journal has restored them
   */
  constructor(
    journal: CheckpointedJournal,
    capture: () => StoreImages,
    restored: StoreImages | undefined
  ) {
    this.#journal = journal
    this.#capture = capture
    const { manifest } = journal
    if (manifest !== undefined && restored !== undefined) {
      this.#last = { manifest, images: restored }
    }
  }

  /**
   * Writes a checkpoint after the one before has ended. If it fails or is aborted, the last checkpoint
   * and all records stay, and it can be called again.
   */
  write(signal: AbortSignal): Promise<CheckpointReport> {
    const either = AbortSignal.any([signal, this.#closing.signal])
    const written = this.#settled.then(() => this.#write(either))
    this.#settled = written.catch(() => {})
    return written
  }

  /** Aborts the checkpoint that is being written, and resolves when it uses no file any more. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#settled
  }

  async #write(signal: AbortSignal): Promise<CheckpointReport> {
    const [journal, before, startedMs] = [this.#journal, this.#last?.manifest, performance.now()]
    signal.throwIfAborted()
    journal.parts.create()
    try {
      const { bytesIncluded, written } = await this.#writeParts(signal)
      await journal.parts.sync()
      signal.throwIfAborted()
      this.#isInstalledKnown = false
      journal.install(written.manifest, journal.bytesSinceCheckpoint - bytesIncluded)
      this.#isInstalledKnown = true
      this.#last = written
    } finally {
      // if a new checkpoint is installed, parts of the last one, otherwise those of the new one
      // if the directory was moved, the path may lead to parts of another journal
      if (this.#isInstalledKnown && journal.failure === undefined) {
        await journal.parts.deleteExcept(partsOf(journal.manifest))
      }
    }
    const manifest = journal.manifest!
    for (const _ of journal.deleteRecords(manifest.seq)) {
      await nextTurn()
      signal.throwIfAborted()
    }
    const known = new Set(partsOf(before).map(([id]) => id))
    const bytesOf = (parts: ReadonlyArray<PartReference>) =>
      parts.reduce((sum, [, , bytes]) => sum + bytes, 0)
    const parts = partsOf(manifest)
    return {
      seq: manifest.seq,
      writtenBytes: bytesOf(parts.filter(([id]) => !known.has(id))),
      bytes: bytesOf(parts),
      durationMs: performance.now() - startedMs
    }
  }

  /** Captures the state of the stores, and stores the parts that the last checkpoint lacks. */
  async #writeParts(
    signal: AbortSignal
  ): Promise<{ readonly written: Written; readonly bytesIncluded: number }> {
    const [journal, last] = [this.#journal, this.#last]
    const { captured: [images, bytesIncluded], checksum, seq } = journal.captureAt(() =>
      [this.#capture(), journal.bytesSinceCheckpoint] as const
    )
    const before = last?.manifest
    const feed: Array<PartReference> = [...before?.feed ?? []]
    for await (const lines of this.#linesAfter(before?.seq ?? 0, seq)) {
      signal.throwIfAborted()
      feed.push(await journal.parts.add(await deflate(lines)))
    }
    const { ledger, pool } = images
    const writeAll = (lists: object, stored?: StoredLists, rowsBefore?: object, first = {}) =>
      this.#writeLists(signal, lists as Lists, first, stored, rowsBefore as Lists)
    const manifest: Manifest = {
      seq,
      checksum,
      ledger: {
        ...ledger,
        lists: await writeAll(ledger.lists, before?.ledger.lists, last?.images.ledger.lists)
      },
      pool: {
        ...pool,
        lists: await writeAll(pool.lists, before?.pool.lists, last?.images.pool.lists, {
          histories: pool.firstHistory
        })
      },
      feed
    }
    return { written: { manifest, images }, bytesIncluded }
  }

  /**
   * Yields the lines of the feed with numbers in (after, to], joined by line feeds. The bytes are
   * valid until the next step: one buffer for all causes fewer garbage collections.
   */
  async *#linesAfter(after: number, to: number): AsyncGenerator<Uint8Array, void> {
    const buffer = Buffer.allocUnsafeSlow(feedPartBytes)
    let length = 0
    for (const lines of this.#journal.feedSlices(after, to)) {
      for (const line of lines) {
        const bytes = Buffer.byteLength(line) + 1
        if (length > 0 && length + bytes > feedPartBytes) {
          yield buffer.subarray(0, length - 1)
          length = 0
        }
        if (bytes > feedPartBytes) yield Buffer.from(line)
        else length += buffer.write(`${line}\n`, length)
      }
      await nextTurn()
    }
    if (length > 0) yield buffer.subarray(0, length - 1)
  }

  /** Stores the changed chunks of lists. `first` has the number of the first row if it is not 0. */
  async #writeLists(
    signal: AbortSignal,
    lists: Lists,
    first: { readonly [name: string]: number },
    storedBefore: StoredLists = {},
    listsBefore: Lists = {}
  ): Promise<StoredLists> {
    const stored: Record<string, StoredList> = {}
    for (const [name, rows] of Object.entries(lists)) {
      const [length, start] = [chunkLength(name), first[name] ?? 0]
      const before = storedBefore[name] ?? { first: start, parts: [] }
      const shift = start - before.first
      const parts: Array<PartReference> = []
      for (let at = 0; at < rows.length; at += length) {
        const chunk = rows.slice(at, at + length)
        const chunkBefore = listsBefore[name]?.slice(at + shift, at + shift + length)
        const partBefore = before.parts[(at + shift) / length]
        const isUnchanged = partBefore !== undefined && chunkBefore?.length === chunk.length &&
          chunk.every((row, i) => row === chunkBefore[i])
        parts.push(isUnchanged ? partBefore : await this.#writeChunk(name, chunk))
        if (isUnchanged && parts.length % unchangedPerTurn !== 0) continue
        await nextTurn()
        signal.throwIfAborted()
      }
      stored[name] = { first: start, parts }
    }
    return stored
  }

  async #writeChunk(name: string, chunk: ReadonlyArray<unknown>): Promise<PartReference> {
    const bytes = isGrouped(name) ? writeRowGroup(chunk[0]) : await deflate(serialize(chunk))
    return this.#journal.parts.add(bytes)
  }
}

/** Unchanged chunks that are compared in one turn of the event loop. */
const unchangedPerTurn = 64
