import { Record, Schema } from "effect"
import type { OptionAt, Target } from "./target.ts"
import type { Value } from "./value.ts"

/** An option that only the command line sets, since it belongs to one run. */
export interface Option<A> {
  /** Name on the command line, without the two hyphens. */
  readonly flag: string
  readonly value: Value<NonNullable<A>>
  readonly default: A
  /** One sentence for the help and the documentation, without a period. */
  readonly doc: string
  /** Heading in the help. */
  readonly group: string
  readonly isSecret: boolean
}

/** An option that an environment variable and the configuration file can set too. */
export interface Setting<A, T extends Target | undefined = Target | undefined> extends Option<A> {
  /** Table and name in the file, such as `server.port`. */
  readonly key: string
  /** Environment variable. */
  readonly variable: string
  /** The option of an adapter that has the value; undefined if the value is converted first. */
  readonly sets: T
  readonly limit: Limit | undefined
}

/** The effect of exceeding a limit, and the metric that counts it. */
export interface Limit {
  /** The effect on the excess, such as the status of the response. */
  readonly beyond: string
  /** Metric; `rollup_limit_hits_total` with the setting's name as the label `limit` by default. */
  readonly metric?: string
}

/** Options and settings of a command, by their names in the code. */
export interface Options {
  readonly [name: string]: Option<unknown>
}

/** The resolved values of a command's options. */
export type ResolvedOptions<O extends Options> = {
  readonly [name in keyof O]: O[name] extends Option<infer A> ? A : never
}

export const isSetting = (option: Option<unknown>): option is Setting<unknown> => "key" in option

/** Decodes the text of a flag, a variable or an argument. */
export const decodeText = ({ value: { fromText, schema } }: Option<unknown>, text: string) =>
  Schema.decodeUnknownExit(schema)(fromText(text))

/** Heading in the help of the options that only the command line sets. */
export const ownFlags = "Flags of this command"

/**
 * Prefix of the environment variables, except conventional names such as `PORT` and `DATABASE_URL`.
 */
export const variablePrefix = "ROLLUP_NODE_"

interface Declared<A> {
  readonly flag: string
  readonly value: Value<A>
  readonly doc: string
  readonly isSecret?: boolean
}

interface DeclaredSetting<A, T extends Target | undefined> extends Omit<Declared<A>, "flag"> {
  readonly key: string
  /** The name in the file with hyphens by default. */
  readonly flag?: string
  /** The prefix and the flag in capitals by default; set for a conventional name. */
  readonly variable?: string
  readonly sets?: T
  /** Set if the setting is a limit. */
  readonly limit?: Limit
}

/** Declares a setting; without a default it is optional. */
export function setting<A extends OptionAt<T>, const T extends Target | undefined = undefined>(
  declared: DeclaredSetting<A, T> & { readonly default: NoInfer<A> }
): Setting<A, T>
export function setting<A extends OptionAt<T>, const T extends Target | undefined = undefined>(
  declared: DeclaredSetting<A, T>
): Setting<A | undefined, T>
export function setting<A, T extends Target | undefined>(
  { key, limit, sets, variable, ...declared }: DeclaredSetting<A, T> & { readonly default?: A }
): Setting<A | undefined, T | undefined> {
  const flag = declared.flag ?? key.slice(key.indexOf(".") + 1).replaceAll("_", "-")
  return {
    ...flagOnly({ ...declared, flag }),
    key,
    variable: variable ?? variablePrefix + flag.toUpperCase().replaceAll("-", "_"),
    sets,
    limit
  }
}

/** Declares an option of one run; without a default it is optional. */
export function flagOnly<A>(declared: Declared<A> & { readonly default: NoInfer<A> }): Option<A>
export function flagOnly<A>(
  declared: Declared<A> & { readonly default?: A | undefined }
): Option<A | undefined>
export function flagOnly<A>(
  { isSecret = false, ...declared }: Declared<A> & { readonly default?: A }
): Option<A | undefined> {
  return {
    default: undefined,
    ...declared,
    value: declared.value as Value<NonNullable<A>>,
    group: ownFlags,
    isSecret
  }
}

/** Sets the help heading of some options. */
export const group = <O extends Options>(title: string, options: O): O =>
  Record.map(options as Options, (option) => ({ ...option, group: title })) as O
