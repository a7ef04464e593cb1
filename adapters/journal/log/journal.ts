import { resolve } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { isDeepStrictEqual } from "node:util"
import { crc32, inflateRawSync } from "node:zlib"
import type { GenesisFeed } from "../../../core/domain/mod.ts"
import { StoreFailure } from "../../../core/ports/mod.ts"
import { type ChainHead, readChainHead, writeChainHead } from "./chain_head.ts"
import { commitFailure, hasRoom, movedFailure } from "./commit_failure.ts"
import {
  damagedError,
  databaseFile,
  lineOf,
  openForWriting,
  translateError,
  type Writer
} from "./database.ts"
import { differenceAt, readLastAcknowledged, JournalError } from "../files/mod.ts"
import { type OpenReader, openReader } from "./reader.ts"
import {
  type CheckpointedJournal,
  deleteRecords,
  type JournalDirectory,
  type Manifest,
  type PartReference,
  Parts,
  readManifest,
  writeManifest
} from "../checkpoint/mod.ts"
import type { LogEntry, OnSettled, RecordLog } from "./record_log.ts"

/** Called when commits start to fail, and with undefined when they succeed again. */
export type OnCommits = (failure: StoreFailure | undefined) => void

/**
 * The accepted writes of a directory, in order. The entries that are appended in one turn of the
 * event loop share a commit. If the disk refuses a commit, its entries are dropped and undone, and
 * later commits can succeed. After any other error the journal has failed until it is opened again:
 * the content of the disk is unknown. It has also failed if the path of the directory no longer
 * leads to the open files.
 */
export class Journal implements CheckpointedJournal, RecordLog {
  /** An absolute path. */
  readonly directory: string
  /** The genesis record, the first line of the feed. */
  readonly genesisLine: string
  #reader: OpenReader | null
  #writer: Writer | undefined
  readonly #opened: JournalDirectory
  readonly parts: Parts
  manifest: Manifest | undefined
  bytesSinceCheckpoint = 0
  #seq = 0
  #checksum: number
  #pending: Array<PendingEntry> = []
  #waiters: Array<OnSettled> = []
  /** The final error, also of a closed journal; undefined before it. */
  failure: StoreFailure | undefined
  /** The error of the last commit, if later ones may succeed; undefined otherwise. */
  refusal: StoreFailure | undefined
  #probe: NodeJS.Timeout | undefined
  #watch: NodeJS.Timeout | undefined
  /** Number of commits that failed. */
  failedCommits = 0
  readonly #onCommits: OnCommits
  readonly #damagedError = (damage: string) => damagedError(this.directory, damage)

  /**
   * Opens a directory for this process. An existing journal is open for reading, and no file of the
   * directory changes until `startWriting`. If `genesis` is null, it must contain a journal. Throws
   * a `JournalError`.
   */
  constructor(
    directory: string,
    genesis: GenesisFeed | null,
    onCommits: OnCommits = () => {}
  ) {
    // the process may change its working directory later
    this.directory = resolve(directory)
    this.#onCommits = onCommits
    this.#reader = openReader(this.directory, genesis)
    // `openReader` throws if both are missing
    this.genesisLine = this.#reader?.genesisLine ?? lineOf(genesis!)
    this.#opened = {
      path: this.directory,
      damagedError: this.#damagedError,
      assertInPlace: () => this.#assertInPlace()
    }
    this.parts = new Parts(this.#opened)
    this.manifest = this.#readManifest()
    this.#seq = this.manifest?.seq ?? 0
    this.#checksum = this.manifest?.checksum ?? crc32(this.genesisLine)
    if (this.#reader === null) this.startWriting()
  }

  /**
   * Opens the journal for writing. Call it after the replay, which has read all entries without an
   * error. Throws a `JournalError`.
   */
  startWriting(): void {
    if (this.#writer !== undefined) return
    const before = this.#reader === null ? undefined : this.#head
    const expected = this.#reader?.identity
    this.#reader?.close()
    this.#reader = null
    this.#writer = openForWriting(this.directory, this.genesisLine, expected)
    if (before !== undefined && !isDeepStrictEqual(before, this.#head)) {
      throw new JournalError({
        reason: "inUse",
        message:
          `Directory "${this.directory}" was written by another process during the start: end it, or choose another directory`
      })
    }
    this.#watch = setInterval(() => this.#checkPlace(), watchIntervalMs).unref()
  }

  /** Number of entries on disk behind the checkpoint. Throws a `JournalError`. */
  get length(): number {
    return this.#head.seq - (this.manifest?.seq ?? 0)
  }

  /**
   * Yields every entry behind the checkpoint, after a check against its checksum; the last head is at
   * its place. Must run to its end before the first `append`. Throws a `JournalError`.
   */
  *replay(): Generator<LogEntry, void> {
    try {
      const head = this.#chainHead
      if (head?.seq === this.#seq) yield entryOf(head)
      // a lower head, which is not stored any more, may have replaced that of the checkpoint
      const isReplaced = this.manifest !== undefined && head !== undefined && head.seq > this.#seq
      if (isReplaced) yield { kind: "head", text: "" }
      for (
        const row of this.#database.prepare(
          "SELECT seq, kind, text, version, time_ms, checksum FROM record WHERE seq > ? ORDER BY seq"
        ).iterate(this.#seq)
      ) {
        const { checksum, seq, ...stored } = row as Partial<Row> as Row
        const entry = entryOfRow(stored)
        if (seq !== this.#seq + 1) throw this.#damagedError(`record ${this.#seq + 1} is missing`)
        const expected = chainedChecksum(this.#checksum, entry)
        if (checksum !== expected) throw this.#damagedError(`record ${seq} is not what was written`)
        this.#seq = seq
        this.#checksum = expected
        this.bytesSinceCheckpoint += entry.text.length
        yield entry
        if (head?.seq === seq) yield entryOf(head)
      }
      if (head !== undefined && head.seq > this.#seq) {
        throw this.#damagedError(
          `it ends with record ${this.#seq}, and its head of the chain follows record ${head.seq}`
        )
      }
    } catch (error) {
      throw translateError(error, this.directory)
    }
    const { checksum, seq } = this.#head
    if (seq !== this.#seq || checksum !== this.#checksum) {
      throw this.#damagedError(`it ends with record ${this.#seq}, expected record ${seq}`)
    }
    const acknowledged = readLastAcknowledged(this.directory)
    if (acknowledged > seq) {
      throw this.#damagedError(
        `it ends with record ${seq}, and record ${acknowledged} was acknowledged`
      )
    }
  }

  /**
   * Yields the feed of the ledger: the genesis, then every record, including rolled back blocks. A
   * checkpoint may move records to its parts in between.
   */
  *feedLines(): Generator<string, void> {
    yield this.genesisLine
    // so many parts, and so many records behind them up to record `after`, were yielded
    for (let [parts, lines, after] = [0, 0, 0];;) {
      const { feed = [], seq = 0 } = this.manifest ?? {}
      for (const part of feed.slice(parts)) {
        for (const line of this.#linesIn(part)) {
          if (lines > 0) lines--
          else yield line
        }
      }
      parts = feed.length
      if (seq !== (this.manifest?.seq ?? 0)) continue
      const rows = this.#database.prepare(
        "SELECT seq, text FROM record WHERE kind = 'ledger' AND seq > ? ORDER BY seq LIMIT ?"
      ).all(Math.max(after, seq), recordsPerSlice)
      if (rows.length === 0) return
      for (const { text } of rows) yield text as string
      lines += rows.length
      after = rows.at(-1)!.seq as number
    }
  }

  /** Yields the lines of the feed that the checkpoint includes, part by part, without the genesis. */
  *archivedLines(): Generator<ReadonlyArray<string>, void> {
    for (const part of this.manifest?.feed ?? []) yield this.#linesIn(part)
  }

  #linesIn(part: PartReference): ReadonlyArray<string> {
    return inflateRawSync(this.parts.read(part)).toString("utf8").split("\n")
  }

  *feedSlices(after: number, to: number): Generator<ReadonlyArray<string>, void> {
    const select = this.#database.prepare(
      "SELECT seq, text FROM record WHERE kind = 'ledger' AND seq > ? AND seq <= ? ORDER BY seq"
    )
    for (let from = after; from < to;) {
      const end = Math.min(to, from + recordsPerSlice)
      const lines: Array<string> = []
      const endMs = performance.now() + sliceMs
      let last = end
      for (const { seq, text } of select.iterate(from, end)) {
        lines.push(text as string)
        if (performance.now() < endMs) continue
        last = seq as number
        break
      }
      from = last
      yield lines
    }
  }

  captureAt<A>(capture: () => A) {
    const failure = this.#commitPending()
    try {
      if (this.failure !== undefined) throw this.failure
      return { seq: this.#seq, checksum: this.#checksum, captured: capture() }
    } finally {
      this.#resumeWaiters(failure)
    }
  }

  install(manifest: Manifest, bytesAfter: number): void {
    writeManifest(this.#database, this.#opened, manifest)
    this.manifest = manifest
    this.bytesSinceCheckpoint = bytesAfter
  }

  deleteRecords(seq: number): Iterable<void> {
    return deleteRecords(this.#database, this.#opened, seq)
  }

  get isDurable(): boolean {
    return this.#pending.length === 0
  }

  /** Appends an entry. It is committed at the end of this turn of the event loop. */
  append(entry: LogEntry, onSettled?: OnSettled): void {
    if (this.#pending.push({ entry, onSettled }) === 1) setImmediate(() => this.flush())
  }

  whenSettled(onSettled: OnSettled): void {
    if (this.failure !== undefined) onSettled(this.failure)
    else if (this.isDurable) onSettled()
    else this.#waiters.push(onSettled)
  }

  /** Commits all pending entries. */
  flush(): void {
    if (this.#pending.length > 0) this.#resumeWaiters(this.#commitPending())
  }

  /** Commits all pending entries and settles their writes. Returns the error of the commit. */
  #commitPending(): StoreFailure | undefined {
    if (this.#pending.length === 0 || this.failure !== undefined) return this.failure
    const pending = this.#pending
    this.#pending = []
    const failure = this.#attempt(() => this.#commit(pending.map(({ entry }) => entry)))
    settle(pending, failure)
    return failure
  }

  /** Lets the waiting fibers go on, which may append entries at once. */
  #resumeWaiters(failure: StoreFailure | undefined): void {
    for (const onSettled of this.#waiters.splice(0)) onSettled(failure)
  }

  /** Runs a commit. Returns its error, and reports if commits start to fail or succeed again. */
  #attempt(commit: () => void): StoreFailure | undefined {
    try {
      commit()
    } catch (error) {
      this.failedCommits++
      const failure = commitFailure(error, this.directory)
      if (failure.retry) this.#refuse(failure)
      else this.#fail(failure)
      return failure
    }
    this.#endRefusal()
    return undefined
  }

  #refuse(failure: StoreFailure): void {
    if (this.refusal === undefined) this.#onCommits(failure)
    this.refusal = failure
    // without writes, nothing else would find that there is room again
    this.#probe ??= setInterval(() => {
      if (hasRoom(this.#database)) this.#endRefusal()
    }, probeIntervalMs).unref()
  }

  #fail(failure: StoreFailure): void {
    this.failure = failure
    this.refusal = undefined
    this.#stopTimers()
    this.#onCommits(failure)
  }

  /** Returns why a path does not lead to the open files, as a clause; undefined if all do. */
  #difference(): string | undefined {
    const { identity } = this.#writer!
    return differenceAt(databaseFile(this.directory), identity) ?? this.parts.difference()
  }

  /** Fails for good if the directory was moved, removed or replaced. */
  #checkPlace(): void {
    const difference = this.failure === undefined ? this.#difference() : undefined
    if (difference === undefined) return
    const failure = movedFailure(this.directory, difference)
    this.#fail(failure)
    settle(this.#pending.splice(0), failure)
    this.#resumeWaiters(failure)
  }

  /** Throws the final failure; before it, checks whether the directory was moved. */
  #assertInPlace(): void {
    this.#checkPlace()
    if (this.failure !== undefined) throw this.failure
  }

  #endRefusal(): void {
    if (this.refusal === undefined) return
    this.refusal = undefined
    clearInterval(this.#probe)
    this.#probe = undefined
    this.#onCommits(undefined)
  }

  #stopTimers(): void {
    clearInterval(this.#probe)
    clearInterval(this.#watch)
  }

  /** Limits the database to `pagesMax` pages of 4096 bytes. Larger commits fail. */
  limitPages(pagesMax: number): void {
    this.#database.exec(`PRAGMA max_page_count = ${Math.floor(pagesMax)}`)
  }

  /** Commits all pending entries and releases the directory. */
  close(): void {
    this.flush()
    this.#stopTimers()
    this.failure ??= new StoreFailure({
      retry: false,
      message: `The journal in "${this.directory}" is closed: open it again`
    })
    this.#reader?.close()
    this.#writer?.database.close()
    this.#writer?.acknowledgedFile.close()
    this.parts.close()
  }

  get #database(): DatabaseSync {
    return (this.#writer ?? this.#reader)!.database
  }

  #commit(entries: ReadonlyArray<LogEntry>): void {
    const { acknowledgedFile, database, insert, updateChainHead, updateHead } = this.#writer!
    let [seq, checksum] = [this.#seq, this.#checksum]
    database.exec("BEGIN IMMEDIATE")
    try {
      for (const entry of entries) {
        const { kind, text, timeMs, version } = entry
        if (kind === "head") {
          updateChainHead.run(writeChainHead({ seq, version: version ?? 0, text }))
          continue
        }
        checksum = chainedChecksum(checksum, entry)
        insert.run(++seq, kind, text, version ?? null, timeMs ?? null, checksum)
      }
      updateHead.run(seq, checksum)
      database.exec("COMMIT")
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK")
      throw error
    }
    // what is written after the directory was moved is not acknowledged
    const difference = this.#difference()
    if (difference !== undefined) throw movedFailure(this.directory, difference)
    this.#seq = seq
    this.#checksum = checksum
    for (const { kind, text } of entries) {
      if (kind !== "head") this.bytesSinceCheckpoint += text.length
    }
    acknowledgedFile.write(seq)
  }

  /** Returns the stored checkpoint. Closes the journal if it is damaged. */
  #readManifest(): Manifest | undefined {
    if (this.#reader === null) return undefined
    try {
      return readManifest(this.#reader.database, this.#opened)
    } catch (error) {
      this.#reader.close()
      throw translateError(error, this.directory)
    }
  }

  /** The last head of the chain, or undefined. */
  get #chainHead(): ChainHead | undefined {
    const text = this.#database.prepare("SELECT chain FROM head").get()?.chain
    if (typeof text !== "string") return undefined
    const head = readChainHead(text)
    if (head === undefined) throw this.#damagedError("its head of the chain was changed")
    return head
  }

  /** The last record and its checksum. They show if the last records are missing. */
  get #head(): { readonly seq: number; readonly checksum: number } {
    try {
      const head = this.#database.prepare("SELECT seq, checksum FROM head").get()
      if (head === undefined) throw this.#damagedError("its head is missing")
      return head as { readonly seq: number; readonly checksum: number }
    } catch (error) {
      throw translateError(error, this.directory)
    }
  }
}

/** Time between two attempts to write while the disk refuses writes. */
const probeIntervalMs = 5000

/** Time between two checks of the paths of the open files. */
const watchIntervalMs = 1000

interface PendingEntry {
  readonly entry: LogEntry
  readonly onSettled: OnSettled | undefined
}

/** Reports that entries are durable; with a failure that they are dropped, the newest first. */
const settle = (entries: ReadonlyArray<PendingEntry>, failure: StoreFailure | undefined): void => {
  const ordered = failure === undefined ? entries : entries.toReversed()
  for (const { onSettled } of ordered) onSettled?.(failure)
}

/** Records of the feed that are read in one turn of the event loop, at most. */
const recordsPerSlice = 256
const sliceMs = 3

const entryOf = ({ text, version }: ChainHead): LogEntry => ({ kind: "head", text, version })

/**
 * Returns the checksum of a record and all records before it. So a missing or reordered record is
 * detected.
 */
const chainedChecksum = (before: number, { kind, text, timeMs, version }: LogEntry): number =>
  crc32(text, crc32([kind, version, timeMs].join(" ").trimEnd(), before))

/** Returns the entry of a row, without the members that it does not have. */
const entryOfRow = ({ kind, text, time_ms: timeMs, version }: EntryRow): LogEntry => ({
  kind,
  text,
  ...version === null ? {} : { version },
  ...timeMs === null ? {} : { timeMs }
})

interface EntryRow {
  readonly kind: LogEntry["kind"]
  readonly text: string
  readonly version: number | null
  readonly time_ms: number | null
}

interface Row extends EntryRow {
  readonly seq: number
  readonly checksum: number
}
