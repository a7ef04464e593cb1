/* The command line: which command is meant, what it was told, and how the program ends. */

import { programVersion } from "../core/mod.ts"
import { commands } from "./commands.ts"
import { type Command, commandHelp, programHelp, quoted, readInvocation, toldProblems, unknownName } from "./config/mod.ts"
import { exitCodes } from "./exit_codes.ts"
import { runCommand } from "./running.ts"

const words = process.argv.slice(2)
const flagsEnd = words.indexOf("--")
const asks = (...flags: ReadonlyArray<string>) => (flagsEnd < 0 ? words : words.slice(0, flagsEnd)).some((word) => flags.includes(word))

const named = words[0] === "help" ? words.slice(1) : words
const command = commandOf(named)

if (words[0] === "--version" || words[0] === "-v") say(`rollup-node ${programVersion}`)
else if (command === undefined) withoutCommand(named[0])
else if (words[0] === "help" || asks("--help", "-h")) say(commandHelp(command))
else {
  const invocation = readInvocation(command, named.slice(command.name.split(" ").length), process.env, commands)
  if (invocation.problems.length > 0) refuse(toldProblems(invocation.problems))
  else runCommand(command, invocation)
}

function commandOf([first, second]: ReadonlyArray<string>): Command | undefined {
  return commands.find(({ name }) => name === first || name === `${first} ${second}`)
}

function withoutCommand(first: string | undefined): void {
  const help = programHelp(commands, Object.values(exitCodes))
  if (asks("--help", "-h") || words[0] === "help" && first === undefined) return say(help)
  if (first === undefined) return refuse(help)
  const names = commands.map(({ name }) => name)
  const longer = names.filter((name) => name.startsWith(`${first} `))
  const { message, source } = longer.length > 0
    ? { source: quoted(first), message: `Another word is missing: expected ${longer.join(" or ")}` }
    : unknownName(quoted(first), "The command", first, names.flatMap((name) => [name, ...name.split(" ").slice(0, -1)]), `the known ones are ${names.join(", ")}`)
  refuse(`${source}: ${message}`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function refuse(text: string): void {
  process.stderr.write(`${text}\n`)
  process.exitCode = exitCodes.usage.code
}
