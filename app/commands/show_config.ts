import { Console, Effect } from "effect"
import { type Asked, type Options, type Origins, printed, settings } from "../config/mod.ts"
import type { ServeSettings } from "./serve.ts"

type ServerSettings = typeof settings.serverSettings

/** Who asks was told before if anything is wrong. */
export const tellChecked = (_: ServeSettings, { origins }: Asked) => {
  const said = Object.values(origins).filter(({ kind }) => kind !== "default").length
  return Console.log(
    `Nothing is wrong; settings that are given: ${said}, at their default: ${
      Object.keys(origins).length - said
    }`
  )
}

export const printConfig = (settled: ServeSettings, { origins }: Asked): Effect.Effect<void> =>
  Console.log(
    printed<Options>(settings.serverSettings, settled, origins as Origins<ServerSettings>)
  )
