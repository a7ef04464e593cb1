export {
  type ConnectionOptions,
  connectionOptions,
  databaseOf,
  mountsOf
} from "./adapter_options.ts"
export { type Command, command, type InvocationContext } from "./command.ts"
export { commandHelp, programHelp } from "./help.ts"
export { formatOf } from "./terminal.ts"
export { configFile, type Invocation, readInvocation } from "./invocation.ts"
export { limitsTable, formatConfigFile, settingsTable } from "./print.ts"
export { formatProblems, type Problem, quoted, unknownName } from "./problem.ts"
export { type Environment, type Origins } from "./read.ts"
export {
  flagOnly,
  type Option,
  type Options,
  type ResolvedOptions,
  type Setting
} from "./setting.ts"
export * as settings from "./settings/mod.ts"
export { choice, filePath, integer, nonEmptyText, number, text, yesNo } from "./value.ts"
