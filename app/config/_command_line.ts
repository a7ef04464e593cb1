import { Exit } from "effect"
import { brokenValue, type Problem, quoted, unknownName } from "./problem.ts"
import { decodeText, type Option, type Options } from "./setting.ts"

/** The parsed arguments after the name of a command. */
export interface CommandLine {
  /** Text of each flag's value. */
  readonly flags: ReadonlyMap<string, string>
  /** Positional arguments. */
  readonly rest: ReadonlyArray<string>
  readonly problems: ReadonlyArray<Problem>
}

/**
 * Parses `--flag value`, `--flag=value`, `--switch`, `--no-switch` and positional arguments; after
 * `--` all arguments are positional. `elsewhere` holds the flags of other commands, for messages.
 */
export const readCommandLine = (
  words: ReadonlyArray<string>,
  command: string,
  options: Options,
  elsewhere: ReadonlyMap<string, ReadonlyArray<string>>
): CommandLine => {
  const byFlag = new Map(Object.values(options).map((option) => [option.flag, option]))
  const flags = new Map<string, string>()
  const rest: Array<string> = []
  const problems: Array<Problem> = []

  const addFlag = (option: Option<unknown>, source: string, text: string): void => {
    if (flags.has(option.flag)) {
      problems.push({
        source,
        message: `--${option.flag} is given twice: leave out all but one`
      })
    } else flags.set(option.flag, text)
  }

  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (word === "--") {
      rest.push(...words.slice(i + 1))
      break
    }
    if (!word.startsWith("-") || word === "-" || /^-\d/u.test(word)) {
      rest.push(word)
      continue
    }
    const [, name = "", inlineValue] = /^--?([^=]*)(?:=(.*))?$/su.exec(word) ?? []
    const source = `--${name}`
    const negated = name.startsWith("no-") ? byFlag.get(name.slice(3)) : undefined
    const option = byFlag.get(name)
    if (option === undefined && negated?.value.placeholder === "" && inlineValue === undefined) {
      addFlag(negated, source, "false")
    } else if (option === undefined) {
      problems.push(
        unknownFlag(word.startsWith("--") ? source : word, name, command, byFlag, elsewhere)
      )
      // the next argument is probably the flag's value: do not report it too
      if (inlineValue === undefined && i + 1 < words.length && !words[i + 1]!.startsWith("-")) i++
    } else if (option.value.placeholder === "") addFlag(option, source, inlineValue ?? "true")
    else if (inlineValue !== undefined) addFlag(option, source, inlineValue)
    else if (i + 1 < words.length && !words[i + 1]!.startsWith("--")) {
      addFlag(option, source, words[++i]!)
    } else problems.push({ source, message: `The value is missing: expected ${option.value.rule}` })
  }
  return { flags, rest, problems }
}

const unknownFlag = (
  source: string,
  name: string,
  command: string,
  byFlag: ReadonlyMap<string, unknown>,
  elsewhere: ReadonlyMap<string, ReadonlyArray<string>>
): Problem => {
  const otherCommands = elsewhere.get(name)
  if (otherCommands !== undefined) {
    return {
      source,
      message: `The flag belongs to ${otherCommands.join(" and ")}, not to ${command}: leave it out`
    }
  }
  return unknownName(
    source,
    "The flag",
    `--${name}`,
    [...byFlag.keys()].map((flag) => `--${flag}`),
    `rollup-node ${command} --help lists all`
  )
}

/** Reads the positional argument of a command, and reports further arguments as problems. */
export const readArgument = (
  rest: ReadonlyArray<string>,
  argument: Option<unknown> | undefined
): { readonly value: unknown; readonly problems: ReadonlyArray<Problem> } => {
  const [text, ...more] = argument === undefined ? [undefined, ...rest] : rest
  const problems = more.map((word): Problem => ({
    source: quoted(word),
    message:
      `Unexpected argument, which belongs to no flag: leave it out, or put the flag before it`
  }))
  if (argument === undefined) return { value: undefined, problems }
  const { default: value, flag } = argument
  const source = `<${flag}>`
  if (text === undefined) {
    const message = `The ${flag} is missing: expected ${argument.value.rule}`
    return { value, problems: value === undefined ? [{ source, message }] : [] }
  }
  const read = decodeText(argument, text)
  return Exit.isSuccess(read)
    ? { value: read.value, problems }
    : { value: undefined, problems: [...problems, brokenValue(source, text, argument)] }
}
