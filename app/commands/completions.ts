import * as Completions from "effect/cli/Completions"
import { type Command, configFile, type Option } from "../config/mod.ts"
import { printText } from "./output.ts"

/** Prints the completion script of a shell for the program with these commands. */
export const printCompletions = (shell: Completions.Shell, commands: ReadonlyArray<Command>) => {
  const script = Completions.generate("rollup-node", shell, program(commands))
    // its comment on the installation assumes a flag
    .replaceAll(`rollup-node --completions ${shell}`, `rollup-node completions ${shell}`)
  return printText(script)
}

const program = (commands: ReadonlyArray<Command>): Completions.CommandDescriptor => {
  const groups = Map.groupBy(commands, ({ name }) => name.split(" ")[0]!)
  return {
    ...parent(
      "rollup-node",
      Array.from(
        groups,
        ([name, members]) =>
          members.length === 1
            ? commandOf(members[0]!)
            : parent(name, members.map(commandOf), summaryOf(members))
      )
    ),
    flags: [helpFlag, {
      ...helpFlag,
      name: "version",
      aliases: ["v"],
      description: "Print the version"
    }]
  }
}

const parent = (
  name: string,
  subcommands: ReadonlyArray<Completions.CommandDescriptor>,
  description?: string
): Completions.CommandDescriptor => ({
  name,
  description,
  flags: [],
  arguments: [],
  subcommands
})

/** Returns the description of a word with which several commands begin. */
const summaryOf = (members: ReadonlyArray<Command>): string =>
  members.map(({ name }) => name).join(", ")

const commandOf = (
  { argument, name, options, summary }: Command
): Completions.CommandDescriptor => ({
  name: name.split(" ").at(-1)!,
  description: summary,
  flags: [...[...Object.values(options), configFile].map(flagOf), helpFlag],
  arguments: argument === undefined ? [] : [{
    name: argument.flag,
    description: argument.doc,
    required: argument.default === undefined,
    variadic: false,
    type: typeOf(argument)
  }],
  subcommands: []
})

const helpFlag: Completions.FlagDescriptor = {
  name: "help",
  aliases: ["h"],
  description: "Show the help",
  type: { _tag: "Boolean" },
  negation: false
}

const flagOf = (option: Option<unknown>): Completions.FlagDescriptor => ({
  name: option.flag,
  aliases: [],
  description: option.doc,
  type: option.value.placeholder === "" ? { _tag: "Boolean" } : typeOf(option),
  negation: option.default === true ? undefined : false
})

const typeOf = ({ value: { completions } }: Option<unknown>): Completions.ArgumentType =>
  completions === undefined ?
    { _tag: "String" }
    : typeof completions === "string" ?
    { _tag: "Path", pathType: completions }
    : { _tag: "Choice", values: completions }
