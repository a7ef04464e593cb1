import { settings } from "../../app/config/mod.ts"

const variables = new Set([
  "CONFIG_FILE",
  ...Object.values(settings.serverSettings).map(({ variable }) => variable)
])

/**
 * The environment for a program that tests start: without the variables that configure the program
 * or the tests.
 */
export const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !variables.has(name))
)
