import { Record } from "effect"
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
export interface Setting<A> extends Option<A> {
  /** Table and name in the file, such as `server.port`. */
  readonly key: string
  /** Environment variable. */
  readonly variable: string
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

interface DeclaredSetting<A> extends Declared<A> {
  readonly key: string
  /** The prefix and the flag in capitals by default; set for a conventional name. */
  readonly variable?: string
}

/** Declares a setting; without a default it is optional. */
export function setting<A>(
  declared: DeclaredSetting<A> & { readonly default: NoInfer<A> }
): Setting<A>
export function setting<A>(declared: DeclaredSetting<A>): Setting<A | undefined>
export function setting<A>(
  { key, variable, ...declared }: DeclaredSetting<A> & { readonly default?: A }
): Setting<A | undefined> {
  const option = flagOnly(declared)
  return {
    ...option,
    key,
    variable: variable ?? variablePrefix + declared.flag.toUpperCase().replaceAll("-", "_")
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
