import type { Effect } from "effect"
import type { Problem } from "./problem.ts"
import type { Origins } from "./read.ts"
import type { Option, Options, ResolvedOptions } from "./setting.ts"

export interface Example {
  /** Behind `rollup-node`. */
  readonly words: string
  readonly doc: string
}

/** A command as its user sees it, and what it does. */
export interface Command {
  /** One word, or two. */
  readonly name: string
  /** One line, without a period. */
  readonly summary: string
  /** What one has to know to use it. */
  readonly description: ReadonlyArray<string>
  readonly examples: ReadonlyArray<Example>
  readonly options: Options
  /** The word that it takes besides, with its name for the help. */
  readonly argument: Option<unknown> | undefined
  /** Whether a signal to stop is how it ends. */
  readonly isService: boolean
  /** Whether its standard output is data, so that what is told goes elsewhere. */
  readonly writesData: boolean
  /** Of what its own options are resolved to, and nothing else: `readInvocation` and `runCommand` see to it. */
  readonly rules: (resolved: never, origins: never) => ReadonlyArray<Problem>
  readonly run: (resolved: never, context: InvocationContext) => Effect.Effect<void, unknown>
}

/** What a command may want to know of how it was asked. */
export interface InvocationContext {
  readonly origins: Origins<Options>
}

interface Declared<O extends Options, A> {
  readonly name: string
  readonly summary: string
  readonly description?: ReadonlyArray<string>
  readonly examples: ReadonlyArray<Example>
  readonly options: O
  readonly argument?: Option<A>
  readonly isService?: boolean
  readonly writesData?: boolean
  /** What options may not say together. */
  readonly rules?: (resolved: ResolvedOptions<O>, origins: Origins<O>) => ReadonlyArray<Problem>
  /** Loads what it needs itself, since a start is paid for by everybody. */
  readonly run: (
    resolved: ResolvedOptions<O> & { readonly argument: NonNullable<A> },
    context: InvocationContext
  ) => Effect.Effect<void, unknown>
}

export const command = <O extends Options, A = undefined>(declared: Declared<O, A>): Command => ({
  description: [],
  argument: undefined,
  isService: false,
  writesData: false,
  rules: () => [],
  ...declared
})
