/*
 * The tests that mutants are checked with: they start no program and no database and compute for a
 * second at most.
 */

const blocks = ["use_cases/*", "derived/decision", "domain/head"]
const pool = ["pool/!(laws_have_teeth)", "simulation/found"]
/** Every object of all revisions, to the last character, and its documented type. */
const shapes = ["conformance/{objects,scalars}", "golden/*"]
const contract = [
  ...shapes,
  "conformance/queries",
  "submission/{malformed,examples,body}",
  "http/revisions"
]

const nearest: ReadonlyArray<readonly [path: string, tests: ReadonlyArray<string>]> = [
  ["core/encoding", ["encoding/*"]],
  ["core/domain", ["domain/*", ...blocks]],
  ["core/use_cases/audit", ["audit/{batch,parts}"]],
  ["core/use_cases/pool", pool],
  ["core/use_cases", blocks],
  ["core/ports", ["use_cases/{read,ports,write_counts}"]],
  ["core/contract/shapes", shapes],
  ["core/contract/earlier.ts", shapes],
  ["core/contract", contract],
  ["core", [...blocks, ...pool]]
]

/** Slower tests, used only with `--all-tests`. */
const thorough = [
  "properties/{feed,input}",
  "submission/transport",
  "audit/directory",
  "memory/{store,frozen}",
  "simulator/outside_exits",
  "conformance/{occurrence,wire}",
  "http/{problems,paths}"
]

/** Returns patterns of the nearest test files for a path; with `all`, of every file. */
export function testFilesOf(path: string, all: boolean): ReadonlyArray<string> {
  const names = all
    ? [...nearest.flatMap(([, tests]) => tests), ...thorough]
    : nearest.find(([under]) => path.startsWith(under))?.[1] ?? []
  return [...new Set(names)].map((name) => `test/${name}.test.ts`)
}
