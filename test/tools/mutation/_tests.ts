/*
 * The tests that mutants are checked with: they start no program and no database and compute for a
 * second at most, the most effective first.
 */

const encoding = [
  "encoding/account_index",
  "encoding/address",
  "encoding/fee",
  "encoding/float40",
  "encoding/integer",
  "encoding/public_key",
  "encoding/transaction_id"
]
const domain = ["domain/slot", "domain/statistics", "domain/feed", "domain/views"]
const blocks = [
  "use_cases/bounds",
  "use_cases/block_changes",
  "use_cases/effective_amounts",
  "use_cases/process_batch",
  "use_cases/ledger",
  "use_cases/limits",
  "derived/decision",
  "domain/head",
  "use_cases/own_copy",
  "use_cases/unknown_members",
  "use_cases/decide_block"
]
const readings = ["use_cases/read", "use_cases/ports", "use_cases/write_counts"]
const feed = ["properties/feed"]
const pool = [
  "pool/same_transaction",
  "pool/posted_rules",
  "pool/selection",
  "pool/states",
  "pool/decisions",
  "pool/posting",
  "pool/groups",
  "pool/replace",
  "pool/group_rules",
  "pool/reconciliation",
  "pool/metrics",
  "pool/authorizations",
  "pool/list",
  "pool/pool_laws",
  "simulation/found"
]
const audit = ["audit/batch", "audit/parts"]
const contract = [
  "conformance/queries",
  "golden/contract",
  "conformance/objects",
  "conformance/scalars",
  "submission/malformed",
  "submission/examples",
  "submission/body",
  "http/revisions",
  "golden/golden"
]
/** Every object of all revisions, to the last character, and its documented type. */
const shapes = ["conformance/objects", "conformance/scalars", "golden/contract", "golden/golden"]
/** Slower tests, used only with `--all-tests`. */
const thorough = [
  "pool/pool_laws",
  "submission/transport",
  "audit/directory",
  "memory/store",
  "memory/frozen",
  "simulator/outside_exits",
  "conformance/occurrence",
  "conformance/wire",
  "http/problems",
  "http/paths",
  "properties/input"
]

const nearest: ReadonlyArray<readonly [path: string, tests: ReadonlyArray<string>]> = [
  ["core/encoding", encoding],
  ["core/domain", [...domain, ...blocks]],
  ["core/use_cases/audit", audit],
  ["core/use_cases/pool", pool],
  ["core/use_cases", [...blocks, ...readings]],
  ["core/ports", readings],
  ["core/contract/shapes", shapes],
  ["core/contract/earlier.ts", shapes],
  ["core/contract", contract],
  ["core", [...blocks, ...pool]]
]

/** Returns the test files for a path, the nearest first; with `all`, every file. */
export function testFilesOf(path: string, all: boolean): ReadonlyArray<string> {
  const near = nearest.find(([under]) => path.startsWith(under))?.[1] ?? []
  const names = all
    ? [
      ...near,
      ...encoding,
      ...domain,
      ...blocks,
      ...readings,
      ...feed,
      ...pool,
      ...contract,
      ...audit,
      ...thorough
    ]
    : near
  return [...new Set(names)].map((name) => `test/${name}.test.ts`)
}
