import { OPERATIONS, type Report, type SimulationOptions, simulateSeed } from "./simulation.ts"

/**
 * Searches for the fewest operations that still fail with the same seed; returns them with their
 * report.
 */
export function shrink(
  seed: string,
  options: SimulationOptions = {},
  tries = 150
): { readonly operations: ReadonlyArray<number>; readonly report: Report } {
  let operations: ReadonlyArray<number> = Array.from(
    { length: options.operations ?? OPERATIONS },
    (_, number) => number
  )
  const broken = (only: ReadonlyArray<number>) => {
    const report = simulateSeed(seed, { ...options, keepTrace: true, only: new Set(only) })
    return report.violation === undefined ? undefined : report
  }
  let report = simulateSeed(seed, { ...options, keepTrace: true })
  for (let size = operations.length >> 1; size >= 1 && tries > 0; size = size > 1 ? size >> 1 : 0) {
    for (let from = 0; from < operations.length && tries > 0; tries--) {
      const rest = [...operations.slice(0, from), ...operations.slice(from + size)]
      const found = broken(rest)
      if (found === undefined) from += size
      else [operations, report] = [rest, found]
    }
  }
  return { operations, report }
}

/** Describes a failed seed: the violation, the last events and how to replay it. */
export function describeFailure(
  { seed, violation }: Report,
  options: SimulationOptions = {}
): string {
  const { operations, report } = shrink(seed, options)
  return [
    `Seed ${seed}: ${violation}`,
    `replay: node test/tools/campaigns/simulation.ts --replay ${seed}, or SEED=${seed} npx vitest run test/simulation/simulation.test.ts`,
    `With ${operations.length} of its operations (--only ${
      operations.join(",")
    }): ${report.violation}`,
    ...report.trace.map((line) => `  ${line}`)
  ].join("\n")
}
