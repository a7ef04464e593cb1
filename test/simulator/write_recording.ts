import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { initialHistory, Recording, simulate } from "../../app/simulator/mod.ts"

/*
 * Plays the network that `npm start` shows, computes everything, and writes down what took long:
 *
 *     node test/simulator/write_recording.ts
 *
 * Needed after each change of the simulator that changes its feed; recording.test.ts fails where it is missing.
 */

const recording = new Recording("", { keeps: true })
for (const _ of initialHistory(simulate({ seed: "1", recording }), 3000)) continue
writeFileSync(
  join(import.meta.dirname, "../../app/simulator/world/_recorded.ts"),
  [
    "/** What took long in the network of seed 1 with 3000 transactions, as test/simulator/write_recording.ts wrote it. */",
    "export const recorded: string = `" + recording.text + "`",
    ""
  ].join("\n")
)
