import { runLoad, type Load } from "./_load.ts"

/* The clients, in their own process, so that they are not timed together with the server. */

process.on("message", (load: Load) => void runLoad(load).then((seen) => process.send!(seen)))
// open connections would keep the process alive
process.on("disconnect", () => process.exit())
