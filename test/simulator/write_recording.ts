import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { prehistory, Recording, simulate } from "../../app/simulator/mod.ts"

/*
 * Runs the network of `npm start`, computes everything, and writes the expensive results to a file:
 *
 *     node test/simulator/write_recording.ts
 *
 * Needed after each change of the simulator that changes its feed; recording.test.ts fails if it is
 * missing.
 */

const recording = new Recording("", { keeps: true })
for (const _ of prehistory(simulate({ seed: "1", recording }), 3000)) continue
writeFileSync(
  join(import.meta.dirname, "../../app/simulator/world/_recorded.ts"),
  [
    "/** What took long in the network of seed 1 with 3000 transactions, as test/simulator/write_recording.ts wrote it. */",
    "export const recorded: string = `" + recording.text + "`",
    ""
  ].join("\n")
)
