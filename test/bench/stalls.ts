import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { program } from "../program/_program.ts"

/*
 * Measures for a minute how long the simulated network delays an idle server: the longest turn of
 * its event loop in CPU time, and the longest delay, which includes the time that other processes
 * take. The first of the lines, one every ten seconds, contains the start.
 *
 *     node test/bench/stalls.ts
 */
const probe = join(import.meta.dirname, "_stall_probe.ts")
const words = ["serve", "--memory", "--port", "0", "--pace", "0.2"]
spawnSync(process.execPath, ["--import", probe, program, ...words], {
  stdio: ["ignore", "ignore", "inherit"],
  timeout: 60_500
})
