/* Prints a report of Stryker (mutation testing report schema) in few lines. */

export interface Report {
  readonly files: {
    readonly [file: string]: { readonly source: string; readonly mutants: ReadonlyArray<Mutant> }
  }
}
interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status:
    | "Killed"
    | "Timeout"
    | "Survived"
    | "NoCoverage"
    | "RuntimeError"
    | "CompileError"
    | "Ignored"
    | "Pending"
  readonly location: { readonly start: Position; readonly end: Position }
}
interface Position {
  readonly line: number
  readonly column: number
}

/**
 * Prints the share of detected mutants of each file, and below it the undetected ones: the original
 * line, and its replacement.
 */
export function printReport(path: string, { files }: Report): void {
  const all = Object.values(files).flatMap(({ mutants }) => mutants)
  for (const [file, { mutants, source }] of Object.entries(files)) {
    // nothing to mutate in it, or interrupted before it
    if (!mutants.some(({ status }) => status !== "Ignored" && status !== "Pending")) continue
    console.log(`\n${file}: ${score(mutants)}`)
    for (
      const mutant of mutants.filter(({ status }) => status !== "Killed" && status !== "Ignored")
    ) console.log(describeMutant(mutant, source.split("\n")))
  }
  console.log(`\n${path}: ${score(all)}`)
}

function score(mutants: ReadonlyArray<Mutant>): string {
  const count = (...those: ReadonlyArray<Mutant["status"]>) =>
    mutants.filter(({ status }) => those.includes(status)).length
  const [found, valid] = [
    count("Killed", "Timeout"),
    count("Killed", "Timeout", "Survived", "NoCoverage")
  ]
  return `${found} of ${valid} found (${(100 * found / valid).toFixed(1)} %), ${
    count("NoCoverage")
  } that no test reaches, ${count("RuntimeError")} that could not be tried`
}

function describeMutant(
  { location: { end, start }, mutatorName, replacement, status }: Mutant,
  lines: ReadonlyArray<string>
): string {
  const line = lines[start.line - 1]!
  const last = lines[end.line - 1]!
  const rest = start.line === end.line
    ? line.slice(end.column - 1)
    : ` … ${last.slice(end.column - 1)}`
  return `  ${status} ${mutatorName} ${start.line}:${start.column}\n    - ${line.trim()}\n    + ${
    (line.slice(0, start.column - 1) + (replacement ?? "").replaceAll(/\s+/gu, " ") + rest).trim()
  }`
}
