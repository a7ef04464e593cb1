import type { Origins } from "./read.ts"
import { isSetting, type Options, type ResolvedOptions, type Setting } from "./setting.ts"

/**
 * Returns all settings as a TOML configuration file, with the origin of each value. Omits secrets.
 * Settings at their default are comments.
 */
export const formatConfigFile = <O extends Options>(
  options: O,
  resolved: ResolvedOptions<O>,
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
        `${origins[name]!.kind === "default" ? "# " : ""}${line(option, resolved[name])}  # ${
          origins[name]!.source
        }`
      )
    ].join("\n")
  ).join("\n\n")
}

const line = (
  { default: defaultValue, isSecret, key }: Setting<unknown>,
  value: unknown
): string => {
  const name = key.slice(key.indexOf(".") + 1)
  if (value === undefined) return `${name} is not set`
  return isSecret && value !== defaultValue
    ? `# ${name} is set, and secret`
    : `${name} = ${JSON.stringify(value)}`
}

/** Returns the settings as a Markdown table. */
export const settingsTable = (options: Options): string => {
  const rows = Object.values(options).filter(isSetting).map((
    { default: defaultValue, doc, flag, key, value: { rule }, variable }
  ) => [
    `\`--${flag}\``,
    `\`${variable}\``,
    `\`${key}\``,
    doc,
    rule,
    defaultValue === undefined ? "" : `\`${String(defaultValue)}\``
  ])
  return markdownTable(["flag", "environment", "file", "meaning", "expected", "default"], rows)
}

/** Returns a Markdown table. */
const markdownTable = (
  headings: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): string =>
  [headings, headings.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

/** Returns the settings that are limits as a Markdown table. */
export const limitsTable = (options: Options): string => {
  const rows = Object.entries(options).flatMap(([name, option]) => {
    if (!isSetting(option) || option.limit === undefined) return []
    const { default: defaultValue, doc, key } = option
    const { beyond, metric = `rollup_limit_hits_total{limit="${name}"}` } = option.limit
    return [[
      doc,
      defaultValue === undefined ? "" : `\`${String(defaultValue)}\``,
      `\`${key}\``,
      beyond,
      metric.startsWith("none") ? metric : `\`${metric}\``
    ]]
  })
  return markdownTable(["limit", "default", "setting", "beyond it", "counted by"], rows)
}
