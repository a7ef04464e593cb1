import { ask, type Load } from "./_asking.ts"

/* The clients, in their own process, so that they are not timed together with the server. */

process.on("message", (load: Load) => void ask(load).then((seen) => process.send!(seen)))
// open connections would keep the process alive
process.on("disconnect", () => process.exit())
