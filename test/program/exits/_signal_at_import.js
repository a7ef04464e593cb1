/*
 * Preloaded with `node --import`: sends SIGTERM to its process while the program is loaded, that is
 * before it knows its command. With `SIGNALLED=worker` only the workers do so.
 */
import cluster from "node:cluster"
import module from "node:module"

const isSignalled = (process.env.SIGNALLED === "worker") === cluster.isWorker
module.registerHooks({
  load: (url, context, next) => {
    if (isSignalled && url.endsWith("/app/program.ts")) process.kill(process.pid, "SIGTERM")
    return next(url, context)
  }
})
