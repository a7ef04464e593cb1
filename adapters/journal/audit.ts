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
  type MemoryPoolStore,
  type NotedProof,
  openAuditedLedger,
  openMemoryPool
} from "../memory/mod.ts"
import { unpackChanges } from "./_packed_changes.ts"
import { takeInEntry } from "./_replay.ts"
import type { Entry, Journal } from "./journal.ts"
import { JournalError } from "./journal_error.ts"
import { openJournal } from "./stores.ts"

export interface JournalAuditOptions {
  /** Judges proofs of exits and notes what it finds. */
  readonly judge: (network: Network, proofs: ReadonlyArray<NotedProof>) => Effect.Effect<void>
  /** Null where the state root is not asked for. */
  readonly tree: (TreeHashes & { readonly account: (account: Account) => bigint }) | null
  readonly tell: (
    done: { readonly units: number; readonly share: number; readonly at: string }
  ) => Effect.Effect<void>
}

/** Proofs that are judged together. */
const proofsAtOnce = 200
const sliceMs = 50

/**
 * Looks at everything that a data directory holds: each record under its checksum, each block checked and decided anew and compared with what
 * was decided, the pool against the ledger. Nobody else may hold the directory.
 */
export const auditJournal = (
  directory: string,
  options: JournalAuditOptions,
  findings: Findings
): Effect.Effect<void, JournalError> =>
  Effect.scoped(
    Effect.flatMap(openJournal(directory, null), (journal) => auditOpen(journal, options, findings))
  ).pipe(
    // one that cannot even be opened for its damage is the answer to the question
    Effect.catchIf(
      (error) => error.reason === "damaged",
      ({ message }) =>
        Effect.sync(() => findings.violate("journal", directory, message, "what was written"))
    )
  )

const auditOpen = Effect.fnUntraced(
  function*(
    journal: Journal,
    { judge, tell, tree }: JournalAuditOptions,
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
    const total = yield* attempt(journal, () => journal.length)
    const entries = journal.replay()
    let [seq, isFit] = [0, true]
    const takeSlice = () => {
      const end = performance.now() + sliceMs
      for (let entry = entries.next(); entry.done !== true; entry = entries.next()) {
        seq++
        isFit = auditEntry({ audited, genesis, pool }, entry.value, seq, findings)
        if (!isFit || performance.now() > end) return isFit
      }
      return false
    }
    let noted: ReadonlyArray<NotedProof> = []
    while (yield* attempt(journal, takeSlice)) {
      noted = [...noted, ...audited.proofs()]
      if (noted.length >= proofsAtOnce) {
        yield* judge(genesis.network, noted)
        noted = []
      }
      yield* tell({ units: seq, share: seq / total, at: `record ${seq}` })
      yield* Effect.yieldNow
    }
    yield* judge(genesis.network, [...noted, ...audited.proofs()])
    if (!isFit) {
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

const attempt = <A>({ directory }: Journal, read: () => A): Effect.Effect<A, JournalError> =>
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

interface Audited {
  readonly audited: AuditedLedger
  readonly genesis: GenesisFeed
  readonly pool: MemoryPoolStore
}

/** Whether those behind it can be judged. */
function auditEntry(
  { audited, genesis, pool }: Audited,
  entry: Entry,
  seq: number,
  findings: Findings
): boolean {
  const place = `record ${seq}`
  findings.checked("journal")
  if (entry.kind === "pool") {
    try {
      takeInEntry({ genesis, ledger: audited.ledger, pool }, entry)
      return true
    } catch (error) {
      findings.violate(
        "journal",
        place,
        error instanceof Error ? error.message : String(error),
        "a write that the pool can make"
      )
      return false
    }
  }
  const record = readFeedLine(entry.text)
  if (Exit.isFailure(record)) {
    findings.violate("journal", place, entry.text.slice(0, 200), "a record of a feed")
    return false
  }
  findings.checked("feed")
  const taken = audited.take(record.value, place)
  if (Result.isFailure(taken)) {
    const { expected, invariant, pointer, value } = taken.failure
    findings.violate(
      "feed",
      record.value.kind === "block"
        ? `${place}, block ${record.value.block.number}${pointer}`
        : `${place}${pointer}`,
      `${value} (${invariant})`,
      expected
    )
    return false
  }
  if (taken.success !== null) compareDecision(entry.decided, taken.success, place, findings)
  return true
}

/** What is read in place of deciding anew at each start. */
function compareDecision(
  decided: string | undefined,
  changes: BlockChanges,
  place: string,
  findings: Findings
): void {
  findings.checked("decisions")
  if (decided === undefined) {
    return findings.violate(
      "decisions",
      place,
      "no decision that can be read",
      "the one that was written; every start decides the block anew until then"
    )
  }
  const stored = unpackChanges(decided)
  // one of another version is not read either
  if (stored === undefined) return
  const different = differenceOf(stored, changes, "")
  if (different !== undefined) {
    findings.violate("decisions", `${place}${different.place}`, different.found, different.expected)
  }
}

interface Difference {
  readonly place: string
  readonly found: string
  readonly expected: string
}

function differenceOf(found: unknown, expected: unknown, place: string): Difference | undefined {
  if (isDeepStrictEqual(found, expected)) return undefined
  if (
    typeof found !== "object" || typeof expected !== "object" || found === null || expected === null
  ) {
    return found === expected
      ? undefined
      : { place, found: String(found), expected: String(expected) }
  }
  for (const name of new Set([...Object.keys(found), ...Object.keys(expected)])) {
    const difference = differenceOf(
      (found as Record<string, unknown>)[name],
      (expected as Record<string, unknown>)[name],
      `${place}/${name}`
    )
    if (difference !== undefined) return difference
  }
  return undefined
}
