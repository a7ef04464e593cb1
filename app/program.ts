/* The command line: finds the command, reads its options, and runs it or reports problems. */

import { programVersion } from "../core/mod.ts"
import { commands } from "./commands/mod.ts"
import {
  type Command,
  commandHelp,
  formatProblems,
  programHelp,
  quoted,
  readInvocation,
  unknownName
} from "./config/mod.ts"
import { exitCodes } from "./exit_codes.ts"
import { runCommand } from "./running.ts"

/** Runs the program with the arguments of its command line, without the program name. */
export const runProgram = (words: ReadonlyArray<string>): void => {
  const isHelp = words[0] === "help"
  const named = isHelp ? words.slice(1) : words
  const command = findCommand(named)
  if (words[0] === "--version" || words[0] === "-v") printOut(`rollup-node ${programVersion}`)
  else if (command === undefined) withoutCommand(named[0], isHelp || hasHelpFlag(words))
  else if (isHelp || hasHelpFlag(words)) printOut(commandHelp(command))
  else {
    const options = named.slice(command.name.split(" ").length)
    const invocation = readInvocation(command, options, process.env, commands)
    if (invocation.problems.length > 0) refuse(formatProblems(invocation.problems))
    else runCommand(command, invocation)
  }
}

const hasHelpFlag = (words: ReadonlyArray<string>): boolean => {
  const flagsEnd = words.indexOf("--")
  const flags = flagsEnd < 0 ? words : words.slice(0, flagsEnd)
  return flags.includes("--help") || flags.includes("-h")
}

const findCommand = ([first, second]: ReadonlyArray<string>): Command | undefined =>
  commands.find(({ name }) => name === first || name === `${first} ${second}`)

const withoutCommand = (first: string | undefined, asksForHelp: boolean): void => {
  const help = programHelp(commands, Object.values(exitCodes))
  if (asksForHelp) return printOut(help)
  if (first === undefined) return refuse(help)
  const names = commands.map(({ name }) => name)
  const longer = names.filter((name) => name.startsWith(`${first} `))
  if (longer.length > 0) {
    return refuse(`${quoted(first)}: Another word is missing: expected ${longer.join(" or ")}`)
  }
  const candidates = names.flatMap((name) => [name, ...name.split(" ").slice(0, -1)])
  const known = `the known ones are ${names.join(", ")}`
  const { message, source } = unknownName(quoted(first), "The command", first, candidates, known)
  refuse(`${source}: ${message}`)
}

const printOut = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const refuse = (text: string): void => {
  process.stderr.write(`${text}\n`)
  process.exitCode = exitCodes.usage.code
}
