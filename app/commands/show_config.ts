import type { Effect } from "effect"
import { formatConfigFile, type Options, type Origins, settings } from "../config/mod.ts"
import { printText } from "./output.ts"

type ServerSettings = typeof settings.serverSettings

/** Reports that the configuration is valid: the caller has reported problems before. */
export const reportValidConfig = (_: settings.ServeSettings, origins: Origins<Options>) => {
  const setCount = Object.values(origins).filter(({ kind }) => kind !== "default").length
  return printText(
    `The configuration is valid; settings that are set: ${setCount}, at their default: ${
      Object.keys(origins).length - setCount
    }`
  )
}

export const printConfig = (
  resolved: settings.ServeSettings,
  origins: Origins<Options>
): Effect.Effect<void, Error> =>
  printText(
    formatConfigFile<Options>(settings.serverSettings, resolved, origins as Origins<ServerSettings>)
  )
