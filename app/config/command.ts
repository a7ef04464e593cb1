import { Effect } from "effect"
import type { Problem } from "./problem.ts"
import type { Origins } from "./read.ts"
import type { Option, Options, ResolvedOptions } from "./setting.ts"

/** An example call of a command. */
export interface Example {
  /** Arguments after `rollup-node`. */
  readonly words: string
  readonly doc: string
}

/** The headings of the help, by purpose of the commands. */
export type CommandGroup = "Run a server" | "Load, move and verify data" | "Use a server"

/** A command: its documentation, options and implementation. */
export interface Command {
  /** One word, or two. */
  readonly name: string
  /** Heading in the help. */
  readonly group: CommandGroup
  /** One line, without a period. */
  readonly summary: string
  /** Lines of the help after the summary. */
  readonly description: ReadonlyArray<string>
  readonly examples: ReadonlyArray<Example>
  readonly options: Options
  /** Positional argument; its flag is the name in the help. */
  readonly argument: Option<unknown> | undefined
  /** Whether the command runs until a signal stops it. */
  readonly isService: boolean
  /** Whether standard output carries data, so that logs go to standard error. */
  readonly writesData: boolean
  /** Receives the resolved values of the command's own options only, from `readInvocation`. */
  readonly rules: (resolved: never, origins: never) => ReadonlyArray<Problem>
  readonly run: (resolved: never, origins: Origins<Options>) => Effect.Effect<void, unknown>
}

interface Declared<O extends Options, A>
  extends
    Pick<Command, "name" | "group" | "summary" | "examples">,
    Partial<Pick<Command, "description" | "isService" | "writesData">>
{
  readonly options: O
  readonly argument?: Option<A>
  /** Returns problems of options that contradict each other. */
  readonly rules?: (resolved: ResolvedOptions<O>, origins: Origins<O>) => ReadonlyArray<Problem>
  /** Imports the implementation when the command runs, so that other commands start without it. */
  readonly load: () => Promise<
    (
      resolved: ResolvedOptions<O> & { readonly argument: NonNullable<A> },
      origins: Origins<Options>
    ) => Effect.Effect<void, unknown>
  >
}

/** Declares a command. */
export const command = <O extends Options, A = undefined>(
  { load, ...declared }: Declared<O, A>
): Command => ({
  description: [],
  argument: undefined,
  isService: false,
  writesData: false,
  rules: () => [],
  ...declared,
  run: (resolved, origins) => Effect.flatMap(Effect.promise(load), (run) => run(resolved, origins))
})
