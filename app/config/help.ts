import type { Command } from "./command.ts"
import { isSetting, type Option } from "./setting.ts"

/** Returns the help of the program: commands, examples, configuration and exit codes. */
export const programHelp = (
  commands: ReadonlyArray<Command>,
  exitCodes: ReadonlyArray<{ readonly code: number; readonly doc: string }>
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
    ...aligned(exitCodes.map(({ code, doc }) => [String(code), doc])),
    "",
    "rollup-node <command> --help shows the flags of a command, --version the version."
  ].join("\n")

/** Returns the help of one command: argument, examples and flags. */
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
  "Set options with flags, environment variables or a TOML file, in that order of precedence.",
  "--config or CONFIG_FILE names the file. If a value is invalid or a name is unknown, the",
  "program reports all problems and exits. rollup-node config print shows every setting and its",
  "origin."
]

const aligned = (rows: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, doc]) => `  ${name.padEnd(width)}  ${doc}`)
}
