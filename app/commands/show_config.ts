import { Console, Effect } from "effect"
import {
  formatConfigFile,
  type InvocationContext,
  type Options,
  type Origins,
  settings
} from "../config/mod.ts"
import type { ServeSettings } from "./serve.ts"

type ServerSettings = typeof settings.serverSettings

/** Who asks was told before if anything is wrong. */
export const reportValidConfig = (_: ServeSettings, { origins }: InvocationContext) => {
  const said = Object.values(origins).filter(({ kind }) => kind !== "default").length
  return Console.log(
    `Nothing is wrong; settings that are given: ${said}, at their default: ${
      Object.keys(origins).length - said
    }`
  )
}

export const printConfig = (
  resolved: ServeSettings,
  { origins }: InvocationContext
): Effect.Effect<void> =>
  Console.log(
    formatConfigFile<Options>(settings.serverSettings, resolved, origins as Origins<ServerSettings>)
  )
