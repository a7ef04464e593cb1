import { Effect, Exit, Struct } from "effect"
import { type GenesisFeed, readFeedLine } from "../../core/domain/mod.ts"
import type { LedgerRollBack } from "../../core/ports/mod.ts"
import {
  auditExitTrees,
  type AuditOptions,
  auditPoolPorts,
  exitTreesAtOnce,
  type Findings
} from "../../core/use_cases/mod.ts"
import { keccak256 } from "../hashing/mod.ts"
import {
  type AuditedLedger,
  auditMemoryLedger,
  auditRecord,
  type MemoryPoolStore,
  memoryReader,
  openAuditedLedger,
  openMemoryLedger,
  openMemoryPool
} from "../memory/mod.ts"
import { applyEntry, restore, tryRead } from "./replay/mod.ts"
import type { Journal, LogEntry } from "./log/mod.ts"
import type { JournalError } from "./files/mod.ts"
import { openJournal } from "./stores.ts"
import { isDeepStrictEqual } from "node:util"

const sliceMs = 50

/**
 * Checks a complete data directory, and adds violations to `findings`: the checksum of each record,
 * each block from the first with all checks, the checkpoint against the blocks before it, and the
 * pool against the ledger. A damaged journal is a finding. Fails with a `JournalError` if the
 * directory cannot be opened for another reason, such as another process that uses it.
 *
 * ```ts
 * import { Effect } from "effect"
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { Findings } from "rollup-node-api"
 * import { auditJournal, journaledStores } from "rollup-node-api/journal"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const directory = mkdtempSync(join(tmpdir(), "rollup-node-"))
 * const { genesis } = simulate({ seed: 1 })
 * await Effect.runPromise(Effect.provide(Effect.void, journaledStores({ directory, genesis })))
 * const findings = new Findings()
 * const options = { onProgress: () => Effect.void, buildExitTrees: null, tree: null }
 * await Effect.runPromise(auditJournal(directory, options, findings))
 * console.log(findings.report().isSound) // => true
 * rmSync(directory, { recursive: true })
 * ```
 */
export const auditJournal = (
  directory: string,
  options: AuditOptions,
  findings: Findings
): Effect.Effect<void, JournalError> =>
  Effect.scoped(
    Effect.flatMap(openJournal(directory, null), (journal) => auditOpen(journal, options, findings))
  ).pipe(
    // damage that prevents opening is a result of the audit, not its failure
    Effect.catchIf(
      (error) => error.reason === "damaged",
      ({ message }) =>
        Effect.sync(() => findings.violate("journal", directory, message, "what was written"))
    )
  )

const auditOpen = Effect.fnUntraced(
  function*(journal: Journal, options: AuditOptions, findings: Findings) {
    const genesis = genesisOf(journal.genesisLine)
    if (genesis === undefined) {
      return findings.violate(
        "genesis",
        "network",
        journal.genesisLine.slice(0, 200),
        "a genesis record in the form of the feed"
      )
    }
    findings.checked("genesis")
    const [audited, pool] = [openAuditedLedger(genesis, keccak256), openMemoryPool()]
    const stores = { audited, genesis, pool }
    const archived = journal.manifest?.seq ?? 0
    const total = archived + (yield* tryRead(journal, () => journal.length))
    const run = { journal, stores, total, options, findings }
    // the genesis is the first line of the feed
    let violated = yield* auditEntries(run, feedEntries(journal, archived / total), "feed line", 1)
    if (violated === undefined) {
      yield* auditCheckpoint(journal, stores, findings)
      violated = yield* auditEntries(run, journal.replay(), "record", archived)
    }
    yield* auditExitTrees(options, audited.exitBatches, findings)
    if (violated !== undefined) {
      return findings.note(
        `The records after ${violated} were not checked, because they depend on it`
      )
    }
    const reader = memoryReader(audited.ledger)
    yield* Effect.orDie(auditPoolPorts({ reader, pool }, keccak256, findings))
    yield* auditMemoryLedger(audited.ledger, { genesis, keccak256, tree: options.tree }, findings)
  }
)

type AuditedEntry = LogEntry & { readonly share?: number }

/** The audit of an open journal. */
interface JournalAudit {
  readonly journal: Journal
  readonly stores: AuditedStores
  /** Number of all records. */
  readonly total: number
  readonly options: AuditOptions
  readonly findings: Findings
}

/** Audits entries until one is not sound. Returns the location of that one, or undefined. */
const auditEntries = Effect.fnUntraced(
  function*(run: JournalAudit, entries: Iterator<AuditedEntry, void>, unit: string, start: number) {
    const { findings, journal, options, stores, total } = run
    const { exitBatches } = stores.audited
    let [number, isSound, share] = [start, true, 0]
    const auditSlice = () => {
      const endMs = performance.now() + sliceMs
      for (let entry = entries.next(); entry.done !== true; entry = entries.next()) {
        // a head is no record: it only follows one
        if (entry.value.kind !== "head") number++
        share = entry.value.share ?? number / total
        const location = `${entry.value.kind === "head" ? "head after " : ""}${unit} ${number}`
        isSound = auditEntry(stores, entry.value, location, findings)
        if (!isSound || performance.now() > endMs) return isSound
      }
      return false
    }
    while (yield* tryRead(journal, auditSlice)) {
      if (exitBatches.length >= exitTreesAtOnce) {
        yield* auditExitTrees(options, exitBatches.splice(0), findings)
      }
      yield* options.onProgress({ units: number, share, at: `${unit} ${number}` })
      yield* Effect.yieldNow
    }
    return isSound ? undefined : `${unit} ${number}`
  }
)

/** Yields the records of the ledger before the checkpoint. Their share of the audit is `whole`. */
function* feedEntries(journal: Journal, whole: number): Generator<AuditedEntry, void> {
  const parts = journal.manifest?.feed.length ?? 0
  let part = 0
  for (const lines of journal.archivedLines()) {
    for (const [i, text] of lines.entries()) {
      yield { kind: "ledger", text, share: whole * (part + i / lines.length) / parts }
    }
    part++
  }
}

/**
 * Compares the ledger of the checkpoint with the one that the records before it make, undo logs
 * included, and takes over the pool and the head of the checkpoint.
 */
const auditCheckpoint = Effect.fnUntraced(
  function*(journal: Journal, { audited, genesis, pool }: AuditedStores, findings: Findings) {
    const restored = yield* restore(journal, { ledger: openMemoryLedger({ genesis }), pool })
    if (restored === undefined) return
    const { lists: { heads: _, rollBacks, ...lists }, parts, version, ...rest } = audited.ledger
      .capture()
    const { headVersions, lists: storedLists, ...stored } = restored.ledger
    const compare = (stored: unknown, expected: unknown, path: string) => {
      findings.checked("checkpoint")
      const different = differenceOf(stored, expected, path)
      if (different === undefined) return
      findings.violate("checkpoint", different.path, different.found, different.expected)
    }
    // heads have no record: their versions are counted
    const storedRest = { ...stored, version: stored.version - headVersions, headVersions: 0 }
    compare(
      headVersions === 0 ? storedRest : { ...storedRest, parts },
      { ...rest, version, parts },
      ""
    )
    // the feed states no times, and the versions of heads are counted
    const stated = (rollBack: LedgerRollBack) =>
      Struct.omit(rollBack, headVersions === 0 ? ["timeMs"] : ["timeMs", "version"])
    compare(storedLists.rollBacks.map(stated), rollBacks.map(stated), "/rollBacks")
    for (const [name, rows] of Object.entries(lists)) {
      compare(storedLists[name as keyof typeof storedLists], rows, `/${name}`)
      yield* Effect.yieldNow
    }
    // the head of the checkpoint was checked when it was set, and the records behind it can build on it
    const [head = null] = storedLists.heads
    audited.ledger.restoreHead(head, stored.version)
  }
)

const genesisOf = (line: string): GenesisFeed | undefined => {
  const record = readFeedLine(line)
  return Exit.isSuccess(record) && record.value.kind === "genesis"
    ? record.value.genesis
    : undefined
}

interface AuditedStores {
  readonly audited: AuditedLedger
  readonly genesis: GenesisFeed
  readonly pool: MemoryPoolStore
}

/** Applies one entry with all checks. Returns whether the entries after it can be checked. */
function auditEntry(
  { audited, genesis, pool }: AuditedStores,
  entry: LogEntry,
  location: string,
  findings: Findings
): boolean {
  findings.checked("journal")
  // a write of the pool, or the end of the checkpoint's head
  if (entry.kind === "pool" || entry.text === "") {
    try {
      applyEntry({ genesis, ledger: audited.ledger, pool }, entry)
      return true
    } catch (error) {
      findings.violate(
        "journal",
        location,
        error instanceof Error ? error.message : String(error),
        "a valid write of the pool"
      )
      return false
    }
  }
  const record = readFeedLine(entry.text)
  if (Exit.isFailure(record)) {
    findings.violate("journal", location, entry.text.slice(0, 200), "a record of a feed")
    return false
  }
  return auditRecord(audited, record.value, location, findings)
}

/** The first path at which two values differ. */
interface Difference {
  readonly path: string
  readonly found: string
  readonly expected: string
}

/** Returns the first difference of two values, or undefined if they are equal. */
function differenceOf(
  found: unknown,
  expected: unknown,
  path: string
): Difference | undefined {
  if (isDeepStrictEqual(found, expected)) return undefined
  if (
    typeof found !== "object" || typeof expected !== "object" || found === null || expected === null
  ) {
    return { path, found: String(found), expected: String(expected) }
  }
  for (const name of new Set([...Object.keys(found), ...Object.keys(expected)])) {
    const difference = differenceOf(
      (found as Record<string, unknown>)[name],
      (expected as Record<string, unknown>)[name],
      `${path}/${name}`
    )
    if (difference !== undefined) return difference
  }
  return undefined
}
