import { readArgument, readCommandLine } from "./_command_line.ts"
import { readConfigFile, withoutValues } from "./_file.ts"
import type { Command } from "./command.ts"
import type { Problem } from "./problem.ts"
import { type Environment, type Origins, readOptions, unknownVariables } from "./read.ts"
import { flagOnly, isSetting, type Options, type Setting } from "./setting.ts"
import { filePath } from "./value.ts"

/** The flag that names the configuration file. */
export const configFile = flagOnly({
  flag: "config",
  doc: "File in TOML to read settings from",
  value: { ...filePath, rule: "the path of a file in TOML" }
})
const configVariable = "CONFIG_FILE"

export interface Invocation {
  readonly origins: Origins<Options>
  /** Resolved options, and the positional argument if the command has one. */
  readonly resolved: { readonly [name: string]: unknown }
  readonly problems: ReadonlyArray<Problem>
  /** Variables that are probably misspelt, and prevent nothing. */
  readonly warnings: ReadonlyArray<Problem>
}

/**
 * Reads the options of a command from arguments, environment and file, and collects all problems.
 */
export const readInvocation = (
  command: Command,
  words: ReadonlyArray<string>,
  environment: Environment,
  commands: ReadonlyArray<Command>
): Invocation => {
  const { argument, name, options, rules } = command
  const settings = settingsOf(commands)
  const variables = new Set([...settings.map(({ variable }) => variable), configVariable])
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
    ? withoutValues()
    : readConfigFile(
      path,
      flag === undefined ? configVariable : `--${configFile.flag}`,
      new Set(settings.map(({ key }) => key))
    )
  const { origins, problems, resolved } = readOptions(options, { commandLine, environment, file })
  const unknown = unknownVariables(environment, variables)
  return {
    resolved: { ...resolved, argument: rest.value },
    origins,
    warnings: unknown.warnings,
    problems: [
      ...commandLine.problems,
      ...rest.problems,
      ...unknown.problems,
      ...file.problems,
      ...problems,
      ...rules(resolved as never, origins as never)
    ]
  }
}

/** Returns the settings of all commands: several commands can share a file and an environment. */
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
