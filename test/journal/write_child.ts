import { rolldown } from "rolldown"

/*
 * Bundles the program of its first argument into the file of its second. The crash tests start it
 * dozens of times, and resolving the modules would take half of each start.
 */

const [input, file] = process.argv.slice(2) as [string, string]
const bundle = await rolldown({ input, platform: "node", logLevel: "silent" })
await bundle.write({ file, format: "esm", codeSplitting: false })
await bundle.close()
