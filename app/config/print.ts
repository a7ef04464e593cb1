import type { Origins } from "./read.ts"
import { isSetting, type Options, type Setting, type Settled } from "./setting.ts"

/** Every setting as a configuration file, with who said it; secrets are left out, and what is at its default stands there as a comment. */
export const printed = <O extends Options>(
  options: O,
  settled: Settled<O>,
  origins: Origins<O>
): string => {
  const tables = Map.groupBy(
    Object.entries(options).flatMap(([name, option]) =>
      isSetting(option) ? [[name, option] as const] : []
    ),
    ([, { key }]) => key.slice(0, key.indexOf("."))
  )
  return [...tables].map(([table, settings]) =>
    [
      `[${table}]`,
      ...settings.map(([name, option]) =>
        `${origins[name]!.kind === "default" ? "# " : ""}${line(option, settled[name])}  # ${
          origins[name]!.source
        }`
      )
    ].join("\n")
  ).join("\n\n")
}

const line = ({ default: usual, isSecret, key }: Setting<unknown>, value: unknown): string => {
  const name = key.slice(key.indexOf(".") + 1)
  if (value === undefined) return `${name} is not set`
  return isSecret && value !== usual
    ? `# ${name} is set, and secret`
    : `${name} = ${JSON.stringify(value)}`
}

/** The settings as a table in Markdown. */
export const settingsTable = (options: Options): string => {
  const rows = Object.values(options).filter(isSetting).map((
    { default: usual, doc, flag, key, value: { rule }, variable }
  ) => [
    `\`--${flag}\``,
    `\`${variable}\``,
    `\`${key}\``,
    doc,
    rule,
    usual === undefined ? "" : `\`${String(usual)}\``
  ])
  return [["flag", "environment", "file", "meaning", "expected", "default"], [
    "---",
    "---",
    "---",
    "---",
    "---",
    "---"
  ], ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")
}
