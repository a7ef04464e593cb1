import { Effect } from "effect"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { crc32 } from "node:zlib"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { StoreFailure } from "../../core/ports/mod.ts"
import { damagedError, openDatabase, translateError } from "./_database.ts"
import {
  type AcknowledgedFile,
  openAcknowledgedFile,
  readLastAcknowledged
} from "./_last_acknowledged.ts"
import type { LogEntry, RecordLog } from "./record_log.ts"

/**
 * The accepted writes of a directory, in order. The entries that are appended in one turn of the
 * event loop share a commit. If a commit fails, it is not retried: memory is ahead of the disk, so
 * the journal has failed until the process restarts, and every answer has to fail too.
 */
export class Journal implements RecordLog {
  readonly directory: string
  /** The genesis record, the first line of the feed. */
  readonly genesisLine: string
  readonly #database: DatabaseSync
  readonly #insert: StatementSync
  readonly #updateHead: StatementSync
  readonly #acknowledgedFile: AcknowledgedFile
  #seq = 0
  #checksum: number
  #pending: Array<LogEntry> = []
  #waiters: Array<(outcome: Effect.Effect<void, StoreFailure>) => void> = []
  #failure: StoreFailure | undefined
  readonly #onFailure: (failure: StoreFailure) => void

  /**
   * Opens a directory for this process. If `genesis` is null, it must contain a journal. Throws a
   * `JournalError`.
   */
  constructor(
    directory: string,
    genesis: GenesisFeed | null,
    onFailure: (failure: StoreFailure) => void = () => {}
  ) {
    const { database, genesisLine } = openDatabase(directory, genesis)
    this.directory = directory
    this.#onFailure = onFailure
    this.genesisLine = genesisLine
    this.#database = database
    this.#checksum = crc32(genesisLine)
    this.#insert = database.prepare("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?)")
    this.#acknowledgedFile = openAcknowledgedFile(directory)
    this.#updateHead = database.prepare("UPDATE head SET seq = ?, checksum = ?")
  }

  /** Number of entries on disk. Throws a `JournalError`. */
  get length(): number {
    return this.#head.seq
  }

  /**
   * Yields every entry from the first, and checks each one against its checksum. Must run to its
   * end before the first `append`. Throws a `JournalError`.
   */
  *replay(): Generator<LogEntry, void> {
    try {
      for (
        const row of this.#database.prepare(
          "SELECT seq, kind, text, checksum, decided, decided_checksum FROM record ORDER BY seq"
        ).iterate()
      ) {
        const { checksum, kind, seq, text } = row as unknown as Row
        if (seq !== this.#seq + 1) {
          throw damagedError(this.directory, `record ${this.#seq + 1} is missing`)
        }
        const expected = chainedChecksum(this.#checksum, { kind, text })
        if (checksum !== expected) {
          throw damagedError(this.directory, `record ${seq} is not what was written`)
        }
        this.#seq = seq
        this.#checksum = expected
        yield { kind, text, changes: validChanges(row as unknown as Row) }
      }
    } catch (error) {
      throw translateError(error, this.directory)
    }
    const { checksum, seq } = this.#head
    if (seq !== this.#seq || checksum !== this.#checksum) {
      throw damagedError(this.directory, `it ends with record ${this.#seq}, expected record ${seq}`)
    }
    const acknowledged = readLastAcknowledged(this.directory)
    if (acknowledged > seq) {
      throw damagedError(
        this.directory,
        `it ends with record ${seq}, and record ${acknowledged} was acknowledged`
      )
    }
  }

  /**
   * Yields the feed of the ledger: the genesis, then every record, including rolled back blocks.
   */
  *feedLines(): Generator<string, void> {
    yield this.genesisLine
    for (
      const row of this.#database.prepare(
        "SELECT text FROM record WHERE kind = 'ledger' ORDER BY seq"
      ).iterate()
    ) yield row.text as string
  }

  /** The error of the first commit that failed, or of a closed journal; undefined otherwise. */
  get failure(): StoreFailure | undefined {
    return this.#failure
  }

  /** Whether all appended entries are on disk. */
  get isDurable(): boolean {
    return this.#pending.length === 0
  }

  /** Appends an entry. It is committed at the end of this turn of the event loop. */
  append(entry: LogEntry): void {
    if (this.#pending.push(entry) === 1) setImmediate(() => this.flush())
  }

  /** Waits until all appended entries are on disk. Fails if the journal fails. */
  readonly durable: Effect.Effect<void, StoreFailure> = Effect.callback((resume) => {
    if (this.#failure !== undefined) resume(Effect.fail(this.#failure))
    else if (this.isDurable) resume(Effect.void)
    else this.#waiters.push(resume)
  })

  /** Commits all pending entries. */
  flush(): void {
    if (this.#pending.length === 0 || this.#failure !== undefined) return
    const entries = this.#pending
    try {
      this.#commit(entries)
      this.#pending = []
    } catch (error) {
      this.#failure = new StoreFailure({
        retry: false,
        cause: error,
        message: `The journal in "${this.directory}" cannot be written (${
          error instanceof Error ? error.message : String(error)
        }): nothing is answered any more, since memory is ahead of the disk; make room and start again`
      })
      this.#onFailure(this.#failure)
    }
    const outcome = this.#failure === undefined ? Effect.void : Effect.fail(this.#failure)
    for (const resume of this.#waiters.splice(0)) resume(outcome)
  }

  /** Limits the database to `pagesMax` pages of 4096 bytes. Larger commits fail. */
  limitPages(pagesMax: number): void {
    this.#database.exec(`PRAGMA max_page_count = ${Math.floor(pagesMax)}`)
  }

  /** Commits all pending entries and releases the directory. */
  close(): void {
    this.flush()
    this.#failure ??= new StoreFailure({
      retry: false,
      message: `The journal in "${this.directory}" is closed: open it again`
    })
    this.#database.close()
    this.#acknowledgedFile.close()
  }

  #commit(entries: ReadonlyArray<LogEntry>): void {
    const database = this.#database
    let [seq, checksum] = [this.#seq, this.#checksum]
    database.exec("BEGIN IMMEDIATE")
    try {
      for (const { changes, kind, text } of entries) {
        checksum = chainedChecksum(checksum, { kind, text })
        this.#insert.run(
          ++seq,
          kind,
          text,
          checksum,
          changes ?? null,
          changes === undefined ? null : crc32(changes)
        )
      }
      this.#updateHead.run(seq, checksum)
      database.exec("COMMIT")
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK")
      throw error
    }
    this.#seq = seq
    this.#checksum = checksum
    this.#acknowledgedFile.write(seq)
  }

  /** The last record and its checksum. They show if the last records are missing. */
  get #head(): { readonly seq: number; readonly checksum: number } {
    try {
      const head = this.#database.prepare("SELECT seq, checksum FROM head").get()
      if (head === undefined) throw damagedError(this.directory, "its head is missing")
      return head as { readonly seq: number; readonly checksum: number }
    } catch (error) {
      throw translateError(error, this.directory)
    }
  }
}

/**
 * Returns the checksum of a record and all records before it. So a missing or reordered record is
 * detected.
 */
const chainedChecksum = (before: number, { kind, text }: Pick<LogEntry, "kind" | "text">): number =>
  crc32(text, crc32(kind, before))

/** Returns the stored changes of a block, or undefined if they are missing or damaged. */
const validChanges = (
  { decided, decided_checksum }: Pick<Row, "decided" | "decided_checksum">
): string | undefined =>
  decided !== null && crc32(decided) === decided_checksum ? decided : undefined

interface Row {
  readonly seq: number
  readonly kind: LogEntry["kind"]
  readonly text: string
  readonly checksum: number
  readonly decided: string | null
  readonly decided_checksum: number | null
}
