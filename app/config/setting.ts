import type { Value } from "./value.ts"

/** Something that can be said on the command line alone, since it belongs to one run. */
export interface Option<A> {
  /** On the command line, after two hyphens. */
  readonly flag: string
  readonly value: Value<NonNullable<A>>
  readonly default: A
  /** One sentence for the help and the documentation, without a period. */
  readonly doc: string
  /** Under which heading the help shows it. */
  readonly group: string
  readonly isSecret: boolean
}

/** Something that can also be said by the environment and by the configuration file. */
export interface Setting<A> extends Option<A> {
  /** Where it stands in the file: its table and its name there. */
  readonly key: string
  /** In the environment. */
  readonly variable: string
}

/** Options and settings of a command, by the names that its code has for them. */
export interface Options {
  readonly [name: string]: Option<unknown>
}

/** What a command gets to know: a value for each of its options. */
export type ResolvedOptions<O extends Options> = {
  readonly [name in keyof O]: O[name] extends Option<infer A> ? A : never
}

export const isSetting = (option: Option<unknown>): option is Setting<unknown> => "key" in option

/** Begins the variables of this program, but for those names that hosts of programs have agreed on, such as `PORT` and `DATABASE_URL`. */
export const variablePrefix = "ROLLUP_NODE_"

interface Declared<A> {
  readonly flag: string
  readonly value: Value<A>
  readonly doc: string
  readonly isSecret?: boolean
}

interface DeclaredSetting<A> extends Declared<A> {
  readonly key: string
  /** The flag in capitals, behind the prefix, unless there is a name that everybody knows. */
  readonly variable?: string
}

/** Declares a setting; without a default it may stay unsaid. */
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

/** Declares an option of one run; without a default it may stay unsaid. */
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
    group: "Options",
    isSecret
  }
}

/** Puts a heading over some of them. */
export const group = <O extends Options>(title: string, options: O): O =>
  Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, { ...option, group: title }])
  ) as unknown as O
