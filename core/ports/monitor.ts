import { Context, Effect, type Scope } from "effect"

export type Labels = { readonly [name: string]: string }

/** One figure at the time when it was read. */
export interface Sample {
  readonly labels: Labels
  readonly value: number
}

/** How a quantity was distributed up to the time when it was read. */
export interface Distribution {
  readonly labels: Labels
  /** Observations at most as large as each bound and larger than the one before it; last those above all bounds. */
  readonly counts: ArrayLike<number>
  readonly sum: number
}

interface Described {
  /** snake_case, with the unit at its end; a counter ends in `_total`. */
  readonly name: string
  /** A sentence for a person. */
  readonly help: string
}

export interface Figures extends Described {
  readonly kind: "counter" | "gauge"
  readonly read: Effect.Effect<Iterable<Sample>, unknown>
}

export interface Histogram extends Described {
  readonly kind: "histogram"
  /** Ascending. */
  readonly bounds: ReadonlyArray<number>
  readonly read: Effect.Effect<Iterable<Distribution>, unknown>
}

/** Something that is measured. Several parts of a node may bring samples of the same name, with other labels. */
export type Metric = Figures | Histogram

/** How a part of a node is: `degraded` serves and somebody should look, `failing` should be asked nothing. */
export interface Health {
  readonly state: "ok" | "degraded" | "failing"
  /** A sentence for a person. */
  readonly detail: string
}

/**
 * Port: where the parts of a node say what they count and how they are. They keep plain numbers, which are read when somebody asks, so
 * that counting costs next to nothing and nothing is kept of what nobody asks for.
 */
export interface Monitor {
  /** Until the scope closes. */
  readonly measure: (...metrics: ReadonlyArray<Metric>) => Effect.Effect<void, never, Scope.Scope>
  /** Until the scope closes. */
  readonly check: (name: string, health: Effect.Effect<Health>) => Effect.Effect<void, never, Scope.Scope>
}

/** Null where nobody watches: then nothing is told. */
export const Monitor = Context.Reference<Monitor | null>("rollup/core/Monitor", { defaultValue: () => null })

/** Tells the monitor, where there is one, what is measured, until the scope closes. */
export const measure = (...metrics: ReadonlyArray<Metric>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Monitor, (monitor) => monitor === null ? Effect.void : monitor.measure(...metrics))

/** Tells the monitor, where there is one, how to learn about a part of the node, until the scope closes. */
export const checkHealth = (name: string, health: Effect.Effect<Health>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Monitor, (monitor) => monitor === null ? Effect.void : monitor.check(name, health))

/** A figure without labels, or with the same ones each time. */
export const figure = (kind: Figures["kind"], name: string, help: string, value: () => number, labels: Labels = {}): Figures =>
  ({ kind, name, help, read: Effect.sync(() => [{ labels, value: value() }]) })

/** The limits that were hit, by the name of the setting: every part that has limits brings its own. */
export const limitHits = (read: () => Iterable<Sample>): Figures =>
  ({ kind: "counter", name: "rollup_limit_hits_total", help: "What was refused because of a limit, by the limit", read: Effect.sync(read) })
