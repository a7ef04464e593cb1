import { Effect } from "effect"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { crc32 } from "node:zlib"
import type { GenesisFeed } from "../../core/domain/mod.ts"
import { StoreFailure } from "../../core/ports/mod.ts"
import { type AcknowledgedNote, lastAcknowledged, openNote } from "./_last_acknowledged.ts"
import { damaged, openDatabase, translated } from "./_database.ts"
import type { Entry, RecordLog } from "./record_log.ts"

export type { Entry } from "./record_log.ts"

/**
 * The accepted writes of a directory in their order. An entry is on disk when `durable` ends: those of one turn of the event loop share
 * a commit. What cannot be written is never tried again, since memory is ahead of the disk by then: the journal has failed for good, and
 * whoever answers from it has to fail too.
 */
export class Journal implements RecordLog {
  readonly directory: string
  /** The first line of the feed. */
  readonly genesisLine: string
  readonly #database: DatabaseSync
  readonly #insert: StatementSync
  readonly #moveHead: StatementSync
  readonly #note: AcknowledgedNote
  #seq = 0
  #checksum: number
  #waiting: Array<Entry> = []
  #resumes: Array<(outcome: Effect.Effect<void, StoreFailure>) => void> = []
  #failure: StoreFailure | undefined
  readonly #onFailure: (failure: StoreFailure) => void

  /** Opens a directory for this process, without a genesis one that holds a journal already. Throws a JournalError. */
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
    this.#note = openNote(directory)
    this.#moveHead = database.prepare("UPDATE head SET seq = ?, checksum = ?")
  }

  /** How many entries there are. */
  get length(): number {
    return this.#head.seq
  }

  /** Every entry from the first one on, each compared with its checksum; appending goes on behind the last one. Throws a JournalError. */
  *replay(): Generator<Entry, void> {
    try {
      for (
        const row of this.#database.prepare(
          "SELECT seq, kind, text, checksum, decided, decided_checksum FROM record ORDER BY seq"
        ).iterate()
      ) {
        const { checksum, kind, seq, text } = row as unknown as Row
        if (seq !== this.#seq + 1) {
          throw damaged(this.directory, `record ${this.#seq + 1} is missing`)
        }
        const expected = chained(this.#checksum, { kind, text })
        if (checksum !== expected) {
          throw damaged(this.directory, `record ${seq} is not what was written`)
        }
        this.#seq = seq
        this.#checksum = expected
        yield { kind, text, decided: intact(row as unknown as Row) }
      }
    } catch (error) {
      throw translated(error, this.directory)
    }
    const { checksum, seq } = this.#head
    if (seq !== this.#seq || checksum !== this.#checksum) {
      throw damaged(this.directory, `it ends with record ${this.#seq}, expected record ${seq}`)
    }
    const acknowledged = lastAcknowledged(this.directory)
    if (acknowledged > seq) {
      throw damaged(
        this.directory,
        `it ends with record ${seq}, and record ${acknowledged} was acknowledged`
      )
    }
  }

  /** The feed of the ledger, the genesis first, rolled back blocks included. */
  *feedLines(): Generator<string, void> {
    yield this.genesisLine
    for (
      const row of this.#database.prepare(
        "SELECT text FROM record WHERE kind = 'ledger' ORDER BY seq"
      ).iterate()
    ) yield row.text as string
  }

  /** Why nothing can be written or read any more. */
  get failure(): StoreFailure | undefined {
    return this.#failure
  }

  /** Whether everything that was appended is on disk. */
  get isDurable(): boolean {
    return this.#waiting.length === 0
  }

  /** Puts an entry behind all others; it is written when this turn of the event loop ends. */
  append(entry: Entry): void {
    if (this.#waiting.push(entry) === 1) setImmediate(() => this.flush())
  }

  /** Ends when everything that was appended is on disk. */
  readonly durable: Effect.Effect<void, StoreFailure> = Effect.callback((resume) => {
    if (this.#failure !== undefined) resume(Effect.fail(this.#failure))
    else if (this.isDurable) resume(Effect.void)
    else this.#resumes.push(resume)
  })

  /** Writes what waits, in one commit. */
  flush(): void {
    if (this.#waiting.length === 0 || this.#failure !== undefined) return
    const entries = this.#waiting
    try {
      this.#commit(entries)
      this.#waiting = []
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
    for (const resume of this.#resumes.splice(0)) resume(outcome)
  }

  /** Lets the database grow to so many pages and no further. */
  limitPages(pagesMax: number): void {
    this.#database.exec(`PRAGMA max_page_count = ${Math.floor(pagesMax)}`)
  }

  /** Writes what waits and gives the directory back. */
  close(): void {
    this.flush()
    this.#failure ??= new StoreFailure({
      retry: false,
      message: `The journal in "${this.directory}" is closed: open it again`
    })
    this.#database.close()
    this.#note.close()
  }

  #commit(entries: ReadonlyArray<Entry>): void {
    const database = this.#database
    let [seq, checksum] = [this.#seq, this.#checksum]
    database.exec("BEGIN IMMEDIATE")
    try {
      for (const { decided, kind, text } of entries) {
        checksum = chained(checksum, { kind, text })
        this.#insert.run(
          ++seq,
          kind,
          text,
          checksum,
          decided ?? null,
          decided === undefined ? null : crc32(decided)
        )
      }
      this.#moveHead.run(seq, checksum)
      database.exec("COMMIT")
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK")
      throw error
    }
    this.#seq = seq
    this.#checksum = checksum
    this.#note.write(seq)
  }

  /** What the last commit left: without it nobody would miss the last records. */
  get #head(): { readonly seq: number; readonly checksum: number } {
    try {
      const head = this.#database.prepare("SELECT seq, checksum FROM head").get()
      if (head === undefined) throw damaged(this.directory, "its head is missing")
      return head as { readonly seq: number; readonly checksum: number }
    } catch (error) {
      throw translated(error, this.directory)
    }
  }
}

/** Each checksum stands for all records up to its own, so that none can be left out or change places. */
const chained = (before: number, { kind, text }: Pick<Entry, "kind" | "text">): number =>
  crc32(text, crc32(kind, before))

/** A damaged decision is no loss: it is made again. */
const intact = (
  { decided, decided_checksum }: Pick<Row, "decided" | "decided_checksum">
): string | undefined =>
  decided !== null && crc32(decided) === decided_checksum ? decided : undefined

interface Row {
  readonly seq: number
  readonly kind: Entry["kind"]
  readonly text: string
  readonly checksum: number
  readonly decided: string | null
  readonly decided_checksum: number | null
}
