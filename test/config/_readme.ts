import { join } from "node:path"
import { limitsTable, settings, settingsTable } from "../../app/config/mod.ts"
import { exitCodes } from "../../app/process/exit_codes.ts"

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
