import { readArgument, readCommandLine } from "./_command_line.ts"
import { noFile, readConfigFile } from "./_file.ts"
import type { Command, InvocationContext } from "./command.ts"
import { brokenValue, type Problem } from "./problem.ts"
import { type Environment, readOptions, unknownVariables } from "./read.ts"
import { flagOnly, isSetting, type Options, type Setting } from "./setting.ts"
import { text } from "./value.ts"
import { Exit, Schema } from "effect"

/** Where the configuration file is; it cannot say so itself. */
export const configFile = flagOnly({
  flag: "config",
  doc: "File in TOML to read settings from",
  value: text({
    placeholder: "path",
    rule: "the path of a file in TOML",
    pattern: /\S/u,
    completions: "file"
  })
})
const configVariable = "CONFIG_FILE"

export interface Invocation extends InvocationContext {
  /** With the argument of the command, if it takes one. */
  readonly resolved: { readonly [name: string]: unknown }
  readonly problems: ReadonlyArray<Problem>
}

/** Everything that a command was told by its words, the environment and a file, and all that is wrong with it. */
export const readInvocation = (
  command: Command,
  words: ReadonlyArray<string>,
  environment: Environment,
  commands: ReadonlyArray<Command>
): Invocation => {
  const { argument, name, options, rules } = command
  const settings = settingsOf(commands)
  const commandLine = readCommandLine(
    words,
    name,
    { ...options, configFile },
    commandsByFlag(commands)
  )
  const rest = readArgument(commandLine.rest, argument)
  const flag = commandLine.flags.get(configFile.flag)
  const path = flag ??
    (environment[configVariable] === "" ? undefined : environment[configVariable])
  const file = path === undefined
    ? noFile
    : readConfigFile(
      path,
      flag === undefined ? configVariable : `--${configFile.flag}`,
      new Set(settings.map(({ key }) => key))
    )
  const { origins, problems, resolved } = readOptions(options, { commandLine, environment, file })
  const argumentValue = argument === undefined || rest.text === undefined
    ? undefined
    : Schema.decodeUnknownExit(argument.value.schema)(argument.value.fromText(rest.text))
  return {
    resolved: {
      ...resolved,
      argument: argumentValue === undefined
        ? argument?.default
        : Exit.isSuccess(argumentValue)
        ? argumentValue.value
        : undefined
    },
    origins,
    problems: [
      ...commandLine.problems,
      ...rest.problems,
      ...argumentValue !== undefined && Exit.isFailure(argumentValue)
        ? [brokenValue(`<${argument!.flag}>`, rest.text, argument!)]
        : [],
      ...unknownVariables(
        environment,
        new Set([...settings.map(({ variable }) => variable), configVariable])
      ),
      ...file.problems,
      ...problems,
      ...rules(resolved as never, origins as never)
    ]
  }
}

/** Those of all commands: a file and an environment may serve several. */
const settingsOf = (commands: ReadonlyArray<Command>): ReadonlyArray<Setting<unknown>> =>
  commands.flatMap(({ options }) => Object.values<Options[string]>(options).filter(isSetting))

const commandsByFlag = (
  commands: ReadonlyArray<Command>
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const by = new Map<string, Array<string>>()
  for (const { name, options } of commands) {
    for (const { flag } of Object.values(options)) by.set(flag, [...by.get(flag) ?? [], name])
  }
  return by
}
