import { join } from "node:path"
import { isSetting, type Options, settings } from "../../app/config/mod.ts"
import { exitCodes } from "../../app/process/exit_codes.ts"

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
const limitsTable = (options: Options): string => {
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

/** Returns the exit codes as a table in Markdown. */
export const exitTable = (): string =>
  [
    "| exit code | meaning |",
    "|---|---|",
    ...Object.values(exitCodes).map(({ code, doc }) => `| ${code} | ${doc} |`)
  ].join("\n")

const tables: { readonly [name: string]: () => string } = {
  settings: () => settingsTable(settings.serverSettings),
  limits: () => limitsTable(settings.serverSettings),
  "exit codes": exitTable
}

/** The document that holds the tables. */
export const readmePath = join(import.meta.dirname, "../../app/README.md")

/**
 * Returns the document with its generated tables up to date. Throws if the comments around a table
 * are missing.
 */
export const withTables = (readme: string): string => {
  let rewritten = readme
  for (const [name, table] of Object.entries(tables)) {
    const place = new RegExp(
      `(<!-- ${name}: written by test/config/write_readme.ts -->\n\n).*?(\n\n<!-- end of ${name} -->)`,
      "su"
    )
    if (!place.test(rewritten)) {
      throw new Error(
        `app/README.md has no place for the ${name}: expected the comments around their table`
      )
    }
    rewritten = rewritten.replace(
      place,
      (_, before: string, after: string) => before + table() + after
    )
  }
  return rewritten
}
