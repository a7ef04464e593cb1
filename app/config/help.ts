import type { Command, Example } from "./command.ts"
import { isSetting, type Option, ownFlags } from "./setting.ts"
import { plainText, type TextFormat, wrap } from "./terminal.ts"

/** Returns the help of the program: commands, examples, configuration and exit codes. */
export const programHelp = (
  commands: ReadonlyArray<Command>,
  exitCodes: ReadonlyArray<{ readonly code: number; readonly doc: string }>,
  format: TextFormat = plainText
): string => {
  const groups = Map.groupBy(commands, ({ group }) => group)
  const nameWidth = Math.max(...commands.map(({ name }) => name.length))
  const { style, width } = format
  return [
    ...wrap("The HTTP/JSON interface of a layer-two rollup node.", width, ""),
    "",
    ...usageLines("<command>", format),
    ...[...groups].flatMap(([title, members]) => [
      "",
      style("bold", title),
      ...members.flatMap(({ name, summary }) => row(name, summary, nameWidth, format))
    ]),
    "",
    style("bold", "Examples"),
    ...[...groups.values()].flatMap(([first]) => exampleLines(first!.examples.slice(0, 1), format)),
    "",
    ...wrap(configurationHelp, width, ""),
    "",
    style("bold", "Exit codes"),
    ...exitCodes.flatMap(({ code, doc }) => row(String(code), doc, 1, format)),
    "",
    ...wrap(
      "rollup-node <command> --help shows the flags of a command, --version the version.",
      width,
      ""
    )
  ].join("\n")
}

/** Returns the help of one command: argument, examples and flags. */
export const commandHelp = (
  { argument, description, examples, name, options, summary }: Command,
  format: TextFormat = plainText
): string => {
  const { style, width } = format
  const own = ({ group }: Option<unknown>) => group === ownFlags
  const groups = Map.groupBy(
    Object.values(options).toSorted((a, b) => Number(own(b)) - Number(own(a))),
    ({ group }) => group
  )
  const argumentName = argument === undefined
    ? ""
    : argument.default === undefined
    ? ` <${argument.flag}>`
    : ` [${argument.flag}]`
  return [
    ...wrap(`${summary}.`, width, ""),
    ...description.length === 0 ? [] : ["", ...wrap(description.join(" "), width, "")],
    "",
    ...usageLines(`${name}${argumentName}`, format),
    ...argument === undefined ? [] : [
      "",
      style("bold", "Argument"),
      ...row(
        argument.flag,
        `${argument.doc}; expected ${argument.value.rule}`,
        argument.flag.length,
        format
      )
    ],
    ...examples.length === 0
      ? []
      : ["", style("bold", "Examples"), ...exampleLines(examples, format)],
    ...[...groups].flatMap(([title, members]) => [
      "",
      style("bold", title),
      ...members.flatMap((option) => flagLines(option, format))
    ]),
    "",
    style("bold", "Configuration"),
    `  ${style("cyan", "--config")} <path>  (CONFIG_FILE)`,
    "      File in TOML to read settings from",
    "",
    ...wrap(configurationHelp, width, "")
  ].join("\n")
}

const usageLines = (command: string, { style, width }: TextFormat): ReadonlyArray<string> => {
  const [first = "", ...more] = wrap(`Usage: rollup-node ${command} [flags]`, width, "", "  ")
  return [first.replace("Usage", style("bold", "Usage")), ...more]
}

/** Returns the examples; a shell joins the lines of a long one, which end with a backslash. */
const exampleLines = (examples: ReadonlyArray<Example>, { width }: TextFormat) =>
  examples.flatMap(({ doc, words }) => [
    ...wrap(`rollup-node ${words}`, width - " \\".length, "  ", "    ").join(" \\\n").split("\n"),
    ...wrap(doc, width, "      ")
  ])

const flagLines = (option: Option<unknown>, { style, width }: TextFormat) => {
  const { default: defaultValue, doc, flag, value: { placeholder, rule } } = option
  const isSwitch = placeholder === ""
  const expected = [
    ...isSwitch ? [] : [rule],
    ...defaultValue === undefined || defaultValue === false
      ? []
      : [`default ${String(defaultValue)}`]
  ]
  const name = `--${isSwitch && defaultValue === true ? "[no-]" : ""}${flag}`
  const value = isSwitch ? "" : ` <${placeholder}>`
  const origins = isSetting(option) ? `(${option.variable}, ${option.key})` : ""
  const isOneLine = `  ${name}${value}  ${origins}`.length <= width
  return [
    `  ${style("cyan", name)}${value}${isOneLine && origins !== "" ? `  ${origins}` : ""}`,
    ...isOneLine ? [] : wrap(origins, width, "      "),
    ...wrap(
      `${doc}${expected.length === 0 ? "" : ` (${expected.join("; ")})`}`,
      width,
      "      "
    )
  ]
}

const configurationHelp =
  "Set options with flags, environment variables or a TOML file, in that order of precedence. --config or CONFIG_FILE names the file. If a value is invalid or a name is unknown, the program reports all problems and exits. rollup-node config print shows every setting and its origin."

/** Returns a name and its description, which continues below itself. */
const row = (name: string, doc: string, nameWidth: number, { style, width }: TextFormat) => {
  const indent = " ".repeat(nameWidth + 4)
  const [first = "", ...more] = wrap(doc, width, indent)
  return [`  ${style("cyan", name)}${first.slice(2 + name.length)}`, ...more]
}
