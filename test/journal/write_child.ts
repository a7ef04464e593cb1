import { rolldown } from "rolldown"

/*
 * Bundles a program of the crash tests (first argument) into one file (second argument). Dozens of
 * processes start it, and locating many modules takes half the time of a start.
 */

const [input, file] = process.argv.slice(2) as [string, string]
const bundle = await rolldown({ input, platform: "node", logLevel: "silent" })
await bundle.write({ file, format: "esm", codeSplitting: false })
await bundle.close()
