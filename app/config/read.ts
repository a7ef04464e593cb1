import { Exit, Schema } from "effect"
import { nearestName } from "../../core/mod.ts"
import { type CommandLine } from "./_command_line.ts"
import type { ConfigFile } from "./_file.ts"
import { brokenValue, type Problem, unknownName } from "./problem.ts"
import {
  decodeText,
  isSetting,
  type Option,
  type Options,
  type ResolvedOptions,
  variablePrefix
} from "./setting.ts"

/** Environment variables by name; an empty one counts as not set. */
export interface Environment {
  readonly [name: string]: string | undefined
}

/** The origin of an option's value: the source with the highest precedence. */
export interface Origin {
  readonly kind: "flag" | "variable" | "file" | "default"
  /** The place for the user to look at: `--port`, `PORT`, `rollup.toml, line 3`. */
  readonly source: string
}

export type Origins<O extends Options> = { readonly [name in keyof O]: Origin }

/** The values of a command's options. An invalid value is replaced by its default. */
export interface Reading<O extends Options> {
  readonly resolved: ResolvedOptions<O>
  readonly origins: Origins<O>
  readonly problems: ReadonlyArray<Problem>
}

export interface Sources {
  readonly commandLine: CommandLine
  readonly environment: Environment
  readonly file: ConfigFile
}

/**
 * Resolves each option: flags override variables, which override the file, which overrides the
 * defaults. An invalid value is a problem even if another source overrides it.
 */
export const readOptions = <O extends Options>(options: O, sources: Sources): Reading<O> => {
  const problems: Array<Problem> = []
  const resolved: Record<string, unknown> = {}
  const origins: Record<string, Origin> = {}
  for (const [name, option] of Object.entries(options)) {
    resolved[name] = option.default
    origins[name] = { kind: "default", source: "default" }
    for (const { rawValue, ...origin } of sourcesOf(option, sources)) {
      const value = origin.kind === "file"
        ? Schema.decodeUnknownExit(option.value.schema)(rawValue)
        : decodeText(option, rawValue as string)
      if (Exit.isFailure(value)) problems.push(brokenValue(origin.source, rawValue, option))
      // in ascending precedence
      else resolved[name] = value.value
      origins[name] = origin
    }
  }
  return { resolved: resolved as ResolvedOptions<O>, origins: origins as Origins<O>, problems }
}

/** Returns the values that the sources set for an option, in ascending precedence. */
const sourcesOf = (
  option: Option<unknown>,
  { commandLine, environment, file }: Sources
): ReadonlyArray<Origin & { readonly rawValue: unknown }> => {
  const found: Array<Origin & { readonly rawValue: unknown }> = []
  if (isSetting(option)) {
    const { key, variable } = option
    const entry = file.entries.get(key)
    if (entry !== undefined) {
      found.push({ kind: "file", source: `${entry.source}: ${key}`, rawValue: entry.value })
    }
    const text = environment[variable] ?? ""
    if (text !== "" && !isOfKubernetes(variable, text)) {
      found.push({ kind: "variable", source: variable, rawValue: text })
    }
  }
  const flag = commandLine.flags.get(option.flag)
  if (flag !== undefined) found.push({ kind: "flag", source: `--${option.flag}`, rawValue: flag })
  return found
}

/**
 * Returns a problem for each unknown variable with the prefix of this program, or with a misspelt
 * prefix; ignores the variables that Kubernetes sets for services `rollup-node` and `rollup-node-…`.
 * Returns a warning for each variable that is probably a misspelt one without the prefix, such as
 * `DATABSE_URL`: another program may own it, so it prevents nothing.
 */
export const unknownVariables = (
  environment: Environment,
  known: ReadonlySet<string>
): { readonly [kind in "problems" | "warnings"]: ReadonlyArray<Problem> } => {
  const isSet = (name: string) => (environment[name] ?? "") !== ""
  const names = Object.keys(environment).filter((name) => isSet(name) && !known.has(name))
  const unset = [...known].filter((name) => !isSet(name))
  const withoutPrefix = unset.filter((name) => !name.startsWith(variablePrefix))
  /** The known variables by their name with the prefix: `ROLLUP_NODE_PORT` is near to `PORT`. */
  const prefixed = new Map(
    [...known].map((name) => [
      name.startsWith(variablePrefix) ? name : `${variablePrefix}${name}`,
      name
    ])
  )
  return {
    problems: names.filter((name) =>
      !isOfKubernetes(name, environment[name]!) &&
      (name.startsWith(variablePrefix) || isMisspelt(name, [...prefixed.keys()]))
    ).map((name) => {
      const nearest = prefixed.get(nearestName(name, prefixed.keys()) ?? "") ?? name
      const hint = "rollup-node serve --help lists all"
      return unknownName(name, "The variable", nearest, [...known], hint)
    }),
    warnings: names.filter((name) => isMisspelt(name, withoutPrefix)).map((name) => {
      const hint = "rollup-node serve --help lists the known ones"
      return unknownName(name, "The variable has no effect, since it", name, unset, hint)
    })
  }
}

/** Whether a name is a known one with a spelling mistake: only long names are distinctive. */
const isMisspelt = (name: string, known: ReadonlyArray<string>): boolean =>
  name.length > 8 && nearestName(name, known.filter(({ length }) => length > 8), 2) !== undefined

const isOfKubernetes = (name: string, value: string): boolean =>
  name.startsWith(variablePrefix) &&
  (/_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?$/u.test(name) ||
    (name.endsWith("_PORT") && value.includes("://")))
