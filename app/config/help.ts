import type { Command } from "./command.ts"
import { isSetting, type Option } from "./setting.ts"

/** What the program as a whole can do. */
export const programHelp = (
  commands: ReadonlyArray<Command>,
  endings: ReadonlyArray<{ readonly code: number; readonly doc: string }>
): string =>
  [
    "The HTTP/JSON interface of a layer-two rollup node.",
    "",
    "Usage: rollup-node <command> [flags]",
    "",
    "Commands",
    ...aligned(commands.map(({ name, summary }) => [name, summary])),
    "",
    "Examples",
    ...commands.slice(0, 4).flatMap(({ examples }) => examples.slice(0, 1)).map(({ doc, words }) =>
      `  rollup-node ${words}\n      ${doc}`
    ),
    "",
    ...configurationHelp,
    "",
    "Exit codes",
    ...aligned(endings.map(({ code, doc }) => [String(code), doc])),
    "",
    "rollup-node <command> --help tells the flags of a command, --version which program this is."
  ].join("\n")

/** What one command can be told. */
export const commandHelp = (
  { argument, description, examples, name, options, summary }: Command
): string => {
  const groups = Map.groupBy(Object.values(options), ({ group }) => group)
  return [
    `${summary}.`,
    ...description.length === 0 ? [] : ["", ...description],
    "",
    `Usage: rollup-node ${name}${
      argument === undefined
        ? ""
        : argument.default === undefined
        ? ` <${argument.flag}>`
        : ` [${argument.flag}]`
    } [flags]`,
    ...argument === undefined
      ? []
      : [
        "",
        "Argument",
        ...aligned([[argument.flag, `${argument.doc}; expected ${argument.value.rule}`]])
      ],
    ...examples.length === 0
      ? []
      : [
        "",
        "Examples",
        ...examples.map(({ doc, words }) => `  rollup-node ${words}\n      ${doc}`)
      ],
    ...[...groups].flatMap(([title, members]) => ["", title, ...members.flatMap(flagHelp)]),
    "",
    "Configuration",
    "  --config <path>  (CONFIG_FILE)",
    "      File in TOML to read settings from",
    "",
    ...configurationHelp
  ].join("\n")
}

const flagHelp = (option: Option<unknown>): ReadonlyArray<string> => {
  const { default: defaultValue, doc, flag, value: { placeholder, rule } } = option
  const isSwitch = placeholder === ""
  const expected = [
    ...isSwitch ? [] : [rule],
    ...defaultValue === undefined || defaultValue === false
      ? []
      : [`default ${String(defaultValue)}`]
  ]
  return [
    `  --${
      isSwitch ? `${defaultValue === true ? "[no-]" : ""}${flag}` : `${flag} <${placeholder}>`
    }${isSetting(option) ? `  (${option.variable}, ${option.key})` : ""}`,
    `      ${doc}${expected.length === 0 ? "" : ` (${expected.join("; ")})`}`
  ]
}

const configurationHelp = [
  "A setting is said by its flag, by its variable in the environment, or by its key in a file in TOML, which --config or CONFIG_FILE",
  "names; the first of them that speaks counts. What is wrong or unknown anywhere is told at once, and nothing is started.",
  "rollup-node config print shows every setting and who said it."
]

const aligned = (rows: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, doc]) => `  ${name.padEnd(width)}  ${doc}`)
}
