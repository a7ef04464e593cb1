import { ask, type Load } from "./_asking.ts"

/* The clients, in a process of their own so that the server is not timed together with them. */

process.on("message", (load: Load) => void ask(load).then((seen) => process.send!(seen)))
// connections that are open would keep it alive
process.on("disconnect", () => process.exit())
