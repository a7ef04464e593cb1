import { rolldown } from "rolldown"

/*
 * Writes a program of the crash tests, which is named first, as the one file that is named next. Nothing of it is replaced: dozens of
 * processes start it, and half of the time of a start goes into finding the files of its modules.
 */

const [input, file] = process.argv.slice(2) as [string, string]
const bundle = await rolldown({ input, platform: "node", logLevel: "silent" })
await bundle.write({ file, format: "esm", codeSplitting: false })
await bundle.close()
