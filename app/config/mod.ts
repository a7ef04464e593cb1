export {
  type ConnectionOptions,
  connectionOptions,
  databaseOf,
  mountsOf
} from "./adapter_options.ts"
export { type Asked, type Command, command } from "./command.ts"
export { commandHelp, programHelp } from "./help.ts"
export { configFile, type Invocation, readInvocation } from "./invocation.ts"
export { limitsTable } from "./limits.ts"
export { printed, settingsTable } from "./print.ts"
export { type Problem, quoted, toldProblems, unknownName } from "./problem.ts"
export { type Environment, type Origins } from "./read.ts"
export { flagOnly, type Option, type Options, type Setting, type Settled } from "./setting.ts"
export * as settings from "./settings.ts"
export { choice, integer, number, text, yesNo } from "./value.ts"
