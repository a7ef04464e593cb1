import type { Origins } from "./read.ts"
import { isSetting, type Options, type ResolvedOptions, type Setting } from "./setting.ts"

/**
 * Returns all settings as a TOML configuration file, with the origin of each value. Omits secrets.
 * Settings at their default are comments.
 */
export const formatConfigFile = <O extends Options>(
  options: O,
  resolved: ResolvedOptions<O>,
  origins: Origins<O>
): string => {
  const tables = Map.groupBy(
    Object.entries(options).flatMap(([name, option]) =>
      isSetting(option) ? [[name, option] as const] : []
    ),
    ([, { key }]) => key.slice(0, key.indexOf("."))
  )
  return [...tables].map(([table, settings]) =>
    [
      `[${table}]`,
      ...settings.map(([name, option]) =>
        `${origins[name]!.kind === "default" ? "# " : ""}${line(option, resolved[name])}  # ${
          origins[name]!.source
        }`
      )
    ].join("\n")
  ).join("\n\n")
}

const line = (
  { default: defaultValue, isSecret, key }: Setting<unknown>,
  value: unknown
): string => {
  const name = key.slice(key.indexOf(".") + 1)
  if (value === undefined) return `${name} is not set`
  return isSecret && value !== defaultValue
    ? `# ${name} is set, and secret`
    // unlike JSON, TOML does not allow this control character
    : `${name} = ${JSON.stringify(value).replaceAll("\x7f", "\\u007f")}`
}
