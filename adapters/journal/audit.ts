import { Effect, Exit, Result } from "effect"
import { isDeepStrictEqual } from "node:util"
import {
  type Account,
  type BlockChanges,
  type GenesisFeed,
  type Network,
  readFeedLine
} from "../../core/domain/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { auditPoolPorts, type Findings, type TreeHashes } from "../../core/use_cases/mod.ts"
import { keccak256 } from "../hashing/mod.ts"
import {
  type AuditedLedger,
  auditMemoryRoot,
  layerOf,
  type DeferredProof,
  type MemoryPoolStore,
  openAuditedLedger,
  openMemoryPool
} from "../memory/mod.ts"
import { unpackChanges } from "./_packed_changes.ts"
import { applyEntry } from "./_replay.ts"
import type { Journal } from "./journal.ts"
import { JournalError } from "./journal_error.ts"
import type { LogEntry } from "./record_log.ts"
import { openJournal } from "./stores.ts"

/** The parts of an audit that the caller supplies. */
export interface JournalAuditOptions {
  /** Verifies exit proofs, and adds a finding for each invalid one. */
  readonly verifyProofs: (
    network: Network,
    proofs: ReadonlyArray<DeferredProof>
  ) => Effect.Effect<void>
  /** The hashes of the state tree; null to skip the check of the state root. */
  readonly tree: (TreeHashes & { readonly account: (account: Account) => bigint }) | null
  /** Called with the number of records, their share of all (0 to 1), and the last record. */
  readonly onProgress: (
    progress: { readonly units: number; readonly share: number; readonly at: string }
  ) => Effect.Effect<void>
}

/** Number of proofs that are verified together. */
const proofBatchSize = 200
const sliceMs = 50

/**
 * Checks a complete data directory, and adds violations to `findings`: the checksum of each
 * record, each block with all checks, its stored changes, and the pool against the ledger. A
 * damaged journal is a finding. Fails with a `JournalError` if the directory cannot be opened for
 * another reason, such as another process that uses it.
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
 * const skip = () => Effect.void
 * const options = { onProgress: skip, verifyProofs: skip, tree: null }
 * await Effect.runPromise(auditJournal(directory, options, findings))
 * console.log(findings.report().isSound) // => true
 * rmSync(directory, { recursive: true })
 * ```
 */
export const auditJournal = (
  directory: string,
  options: JournalAuditOptions,
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
  function*(
    journal: Journal,
    { onProgress, tree, verifyProofs }: JournalAuditOptions,
    findings: Findings
  ): Effect.fn.Return<void, JournalError> {
    const genesis = genesisOf(journal.genesisLine)
    if (genesis === undefined) {
      return findings.violate(
        "genesis",
        "network",
        journal.genesisLine.slice(0, 200),
        "a genesis record as feeds have it"
      )
    }
    findings.checked("genesis")
    const [audited, pool] = [openAuditedLedger(genesis, keccak256), openMemoryPool()]
    const total = yield* tryRead(journal, () => journal.length)
    const entries = journal.replay()
    let [seq, isSound] = [0, true]
    const auditSlice = () => {
      const endMs = performance.now() + sliceMs
      for (let entry = entries.next(); entry.done !== true; entry = entries.next()) {
        seq++
        isSound = auditEntry({ audited, genesis, pool }, entry.value, seq, findings)
        if (!isSound || performance.now() > endMs) return isSound
      }
      return false
    }
    let proofs: ReadonlyArray<DeferredProof> = []
    while (yield* tryRead(journal, auditSlice)) {
      proofs = [...proofs, ...audited.takeProofs()]
      if (proofs.length >= proofBatchSize) {
        yield* verifyProofs(genesis.network, proofs)
        proofs = []
      }
      yield* onProgress({ units: seq, share: seq / total, at: `record ${seq}` })
      yield* Effect.yieldNow
    }
    yield* verifyProofs(genesis.network, [...proofs, ...audited.takeProofs()])
    if (!isSound) {
      return findings.note(
        `Nothing behind record ${seq} was looked at, since what follows it is judged by what it left`
      )
    }
    yield* Effect.flatMap(
      LedgerReader,
      (reader) => auditPoolPorts({ reader, pool }, keccak256, findings)
    ).pipe(
      Effect.provide(layerOf(audited.ledger)),
      Effect.orDie
    )
    if (tree !== null) yield* auditMemoryRoot(audited.ledger, tree, findings)
  }
)

const genesisOf = (line: string): GenesisFeed | undefined => {
  const record = readFeedLine(line)
  return Exit.isSuccess(record) && record.value.kind === "genesis"
    ? record.value.genesis
    : undefined
}

const tryRead = <A>({ directory }: Journal, read: () => A): Effect.Effect<A, JournalError> =>
  Effect.try({
    try: read,
    catch: (error) =>
      error instanceof JournalError ?
        error
        : new JournalError({
          reason: "damaged",
          cause: error,
          message: `The journal in "${directory}" cannot be read: ${
            error instanceof Error ? error.message : String(error)
          }`
        })
  })

interface AuditedStores {
  readonly audited: AuditedLedger
  readonly genesis: GenesisFeed
  readonly pool: MemoryPoolStore
}

/** Applies one entry with all checks. Returns whether the entries after it can be checked. */
function auditEntry(
  { audited, genesis, pool }: AuditedStores,
  entry: LogEntry,
  seq: number,
  findings: Findings
): boolean {
  const location = `record ${seq}`
  findings.checked("journal")
  if (entry.kind === "pool") {
    try {
      applyEntry({ genesis, ledger: audited.ledger, pool }, entry)
      return true
    } catch (error) {
      findings.violate(
        "journal",
        location,
        error instanceof Error ? error.message : String(error),
        "a write that the pool can make"
      )
      return false
    }
  }
  const record = readFeedLine(entry.text)
  if (Exit.isFailure(record)) {
    findings.violate("journal", location, entry.text.slice(0, 200), "a record of a feed")
    return false
  }
  findings.checked("feed")
  const applied = audited.applyRecord(record.value, location)
  if (Result.isFailure(applied)) {
    const { expected, invariant, pointer, value } = applied.failure
    findings.violate(
      "feed",
      record.value.kind === "block"
        ? `${location}, block ${record.value.block.number}${pointer}`
        : `${location}${pointer}`,
      `${value} (${invariant})`,
      expected
    )
    return false
  }
  if (applied.success !== null) compareChanges(entry.changes, applied.success, location, findings)
  return true
}

/** Compares the stored changes of a block, which a replay applies, with those that it makes. */
function compareChanges(
  packed: string | undefined,
  changes: BlockChanges,
  location: string,
  findings: Findings
): void {
  findings.checked("decisions")
  if (packed === undefined) {
    return findings.violate(
      "decisions",
      location,
      "no decision that can be read",
      "the one that was written; every start decides the block anew until then"
    )
  }
  const stored = unpackChanges(packed)
  // a replay ignores another version too
  if (stored === undefined) return
  const different = differenceOf(stored, changes, "")
  if (different !== undefined) {
    findings.violate(
      "decisions",
      `${location}${different.path}`,
      different.found,
      different.expected
    )
  }
}

/** The first path at which two values differ. */
interface Difference {
  readonly path: string
  readonly found: string
  readonly expected: string
}

function differenceOf(found: unknown, expected: unknown, path: string): Difference | undefined {
  if (isDeepStrictEqual(found, expected)) return undefined
  if (
    typeof found !== "object" || typeof expected !== "object" || found === null || expected === null
  ) {
    return found === expected
      ? undefined
      : { path, found: String(found), expected: String(expected) }
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
