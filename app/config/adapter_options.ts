import type { Mount } from "../../adapters/http/mod.ts"
import type { DatabaseOptions } from "../../adapters/sql/mod.ts"
import { revisionList, type RevisionName } from "../../core/mod.ts"
import { isSetting, type Options, type ResolvedOptions } from "./setting.ts"
import * as settings from "./settings/mod.ts"
import type { RevisionPaths } from "./settings/mod.ts"
import type { TargetIn, Targets } from "./target.ts"

/** The names of the options in a group that no setting of `O` sets. */
type Missing<O extends Options, G extends keyof Targets> = Exclude<
  TargetIn<G>,
  { [N in keyof O]: O[N] extends { readonly sets: infer T } ? T : never }[keyof O]
>

/** Settings that set each option of a group: a compile error names the missing ones. */
type Complete<O extends Options, G extends keyof Targets> = [Missing<O, G>] extends [never] ? O
  : { readonly [T in Missing<O, G>]: "No setting sets this option" }

/** Returns the options in a group that settings set, without those that have no value. */
export const optionsOf = <O extends Options, G extends keyof Targets>(
  group: G,
  options: Complete<O, G> & O,
  resolved: ResolvedOptions<O>
): { readonly [Name in keyof Targets[G]]?: NonNullable<Targets[G][Name]> } =>
  Object.fromEntries(
    Object.entries<Options[string]>(options).flatMap(([name, option]) => {
      const target = isSetting(option) ? option.sets : undefined
      const value = resolved[name]
      return target?.startsWith(`${group}.`) === true && value !== undefined
        ? [[target.slice(group.length + 1), value]]
        : []
    })
  ) as { readonly [Name in keyof Targets[G]]?: NonNullable<Targets[G][Name]> }

/**
 * Converts settings to the options of connections, except the URL. `waitSeconds` is the default of
 * `--database-wait`: by default a command does not wait.
 */
export const connectionOptions = (
  resolved: ResolvedOptions<typeof settings.connections>,
  { waitSeconds = 0 }: { readonly waitSeconds?: number } = {}
): Omit<DatabaseOptions, "url"> => ({
  ...optionsOf("database", settings.connections, resolved),
  waitMs: 1000 * (resolved.waitSeconds ?? waitSeconds)
})

/** Returns the path of each enabled revision. */
export const mountsOf = (paths: RevisionPaths): ReadonlyArray<Mount> =>
  revisionList.flatMap((revision) => {
    const path = paths[`${revision.name as RevisionName}Path`]
    return path === "off" ? [] : [{ path, revision }]
  })
