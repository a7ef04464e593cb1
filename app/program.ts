/* The command line: finds the command, reads its options, and runs it or reports problems. */

import { programVersion } from "../core/mod.ts"
import { commands } from "./commands/mod.ts"
import {
  type Command,
  commandHelp,
  formatOf,
  formatProblems,
  type Problem,
  programHelp,
  quoted,
  readInvocation,
  unknownName
} from "./config/mod.ts"
import { exitCodes, runCommand } from "./process/mod.ts"
import { isWorker } from "./workers/mod.ts"

/**
 * Runs the program with the arguments of its command line, without the program name.
 * `takeEarlySignal` stops remembering signals, and returns the first one that has arrived.
 */
export const runProgram = (
  words: ReadonlyArray<string>,
  takeEarlySignal: () => NodeJS.Signals | undefined
): void => {
  const isHelp = words[0] === "help"
  const named = isHelp ? words.slice(1) : words
  const command = findCommand(named)
  if (words[0] === "--version" || words[0] === "-v") printOut(`rollup-node ${programVersion}`)
  else if (command === undefined) withoutCommand(named, isHelp || hasHelpFlag(words))
  else if (isHelp || hasHelpFlag(words)) printOut(commandHelp(command, formatOf(process.stdout)))
  else {
    const options = named.slice(command.name.split(" ").length)
    const invocation = readInvocation(command, options, process.env, commands)
    const { problems, warnings } = invocation
    // the supervisor has warned before it starts workers
    if (!isWorker()) { for (const warning of warnings) printProblems([warning]) }
    if (problems.length > 0) refuse(problems)
    else runCommand(command, invocation, takeEarlySignal)
  }
}

const hasHelpFlag = (words: ReadonlyArray<string>): boolean => {
  const flagsEnd = words.indexOf("--")
  const flags = flagsEnd < 0 ? words : words.slice(0, flagsEnd)
  return flags.includes("--help") || flags.includes("-h")
}

const findCommand = ([first, second]: ReadonlyArray<string>): Command | undefined =>
  commands.find(({ name }) => name === first || name === `${first} ${second}`)

const withoutCommand = ([first, second]: ReadonlyArray<string>, asksForHelp: boolean): void => {
  const names = commands.map(({ name }) => name)
  if (first === undefined || first.startsWith("-")) {
    if (asksForHelp) return printOut(help(process.stdout))
    if (first !== undefined) return refuse([misplacedFlag(first)])
    process.stderr.write(`${help(process.stderr)}\n`)
    process.exitCode = exitCodes.usage.code
    return
  }
  const longer = names.filter((name) => name.startsWith(`${first} `))
  if (longer.length > 0 && (second === undefined || second.startsWith("-"))) {
    if (asksForHelp) return printOut(help(process.stdout))
    return refuse([{
      source: quoted(first),
      message: `Another word is missing: expected ${longer.join(" or ")}`
    }])
  }
  const name = longer.length > 0 ? `${first} ${second}` : first
  const candidates = names.flatMap((name) => [name, ...name.split(" ").slice(0, -1)])
  const known = `the known ones are ${names.join(", ")}`
  refuse([unknownName(quoted(name), "The command", name, candidates, known)])
}

/** Returns the problem of a flag in place of a command. */
const misplacedFlag = (word: string): Problem => {
  const [flag = word] = word.split("=")
  const owner = commands.find(({ options }) =>
    Object.values(options).some((option) => `--${option.flag}` === flag)
  )
  return owner === undefined
    ? unknownName(
      flag,
      "The flag",
      flag,
      ["--help", "--version"],
      "name a command first; rollup-node --help lists the commands"
    )
    : {
      source: flag,
      message: `A command is missing before it: did you mean ${owner.name} ${flag}?`
    }
}

const help = (stream: NodeJS.WriteStream): string =>
  programHelp(commands, Object.values(exitCodes), formatOf(stream))

const printOut = (text: string): void => {
  process.stdout.once("error", ({ code, message }: NodeJS.ErrnoException) => {
    // the reader may close the pipe early
    if (code === "EPIPE") return
    process.stderr.write(`The standard output cannot be written: ${message}\n`)
    process.exitCode = exitCodes.refused.code
  })
  process.stdout.write(`${text}\n`)
}

const printProblems = (problems: ReadonlyArray<Problem>): void => {
  process.stderr.write(`${formatProblems(problems, formatOf(process.stderr))}\n`)
}

const refuse = (problems: ReadonlyArray<Problem>): void => {
  printProblems(problems)
  process.exitCode = exitCodes.usage.code
}
