import { settings } from "../../app/config/mod.ts"

const variables = new Set([
  "CONFIG_FILE",
  ...Object.values(settings.serverSettings).map(({ variable }) => variable)
])

/** For a program that tests start: without what the environment of the tests says to it. */
export const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !variables.has(name))
)
