import { format } from "node:util"

/** A printed line, or the end of the example. */
export type ExampleEvent =
  | { readonly _tag: "Printed"; readonly text: string }
  | { readonly _tag: "Ended"; readonly error?: string }

/*
 * The child process of `examples.test.ts`: imports one example after another and reports what each
 * prints. The examples share one process, because loading the modules takes longer than an example.
 */
const send = (event: ExampleEvent) => process.send!(event)

/** The first characters of a line of Effect's log, which is no output of the example. */
const logLine = /^\[[\d:.]+\] [A-Z]+ \(#\d+\)/u

console.log = (...values: ReadonlyArray<unknown>) => {
  const text = format(...values)
  if (!logLine.test(text)) send({ _tag: "Printed", text })
}

interface ExampleTask {
  readonly module: string
  readonly databaseUrl?: string
}

process.on("message", async ({ databaseUrl, module }: ExampleTask) => {
  try {
    if (databaseUrl !== undefined) process.env.DATABASE_URL = databaseUrl
    await import(module)
    // a rejection that the example does not handle ends the process in this turn of the event loop
    await new Promise(setImmediate)
    send({ _tag: "Ended" })
  } catch (error) {
    send({ _tag: "Ended", error: error instanceof Error ? error.stack! : String(error) })
  }
})
