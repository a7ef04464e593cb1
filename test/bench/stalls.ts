import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { program } from "../program/_program.ts"

/*
 * Measures how long the simulated network delays an idle server: the longest turn of its event loop
 * in CPU time, and the longest delay, which includes the time that other processes take. The first
 * of the lines, one every ten seconds, contains the start.
 *
 *     node test/bench/stalls.ts
 */

const seconds = 60
const child = spawn(process.execPath, [
  "--import",
  join(import.meta.dirname, "_stall_probe.ts"),
  program,
  "serve",
  "--memory",
  "--port",
  "0",
  "--pace",
  "0.2"
], { stdio: ["ignore", "ignore", "inherit"] })
const ended = once(child, "exit")
setTimeout(() => child.kill("SIGTERM"), 1000 * seconds)
await ended
