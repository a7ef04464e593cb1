import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type LogEntry, openNode } from "../../app/embed/mod.ts"
import { applyNext, newSimulation, rejectionOf } from "./_network.ts"

describe("an embedded node whose directory is moved", () => {
  it("rejects each call until it is opened at the new path, and has everything there", async () => {
    const parent = mkdtempSync(join(tmpdir(), "rollup-embed-"))
    try {
      const [directory, moved] = [join(parent, "data"), join(parent, "moved")]
      const simulation = newSimulation()
      const { genesis } = simulation
      const entries: Array<LogEntry> = []
      const log = (entry: LogEntry) => void entries.push(entry)
      const node = await openNode({ genesis, store: { directory }, log })
      await applyNext(node, simulation, 3)
      const { snapshotId } = await node.state()
      renameSync(directory, moved)
      const error = await rejectionOf(node.applyRecord(simulation.next()))
      assert.deepStrictEqual([error._tag, error.retry], ["StoreFailure", false])
      assert.include(error.message, `Directory "${directory}" was moved, removed or replaced`)
      assert.strictEqual((await rejectionOf(node.state())).message, error.message)
      assert.isTrue(
        entries.some(({ level, message }) => level === "error" && message === error.message)
      )
      await node.close()
      assert.isFalse(existsSync(directory))
      await using again = await openNode({ genesis, store: { directory: moved }, log })
      assert.isAtLeast(
        Number((await again.state()).snapshotId.ethereumBlockNum),
        Number(snapshotId.ethereumBlockNum)
      )
    } finally {
      rmSync(parent, { recursive: true })
    }
  })
})
