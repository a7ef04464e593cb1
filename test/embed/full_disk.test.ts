import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeError, openNode } from "../../app/embed/mod.ts"
import type { NodeChange } from "../../core/mod.ts"
import { applyNext, newSimulation } from "./_network.ts"

const run = (command: string, ...words: ReadonlyArray<string>): void => {
  const { status, stderr } = spawnSync(command, words, { encoding: "utf8" })
  assert.strictEqual(status, 0, stderr)
}

describe("an embedded node on a full disk", () => {
  // only root can mount a small file system
  it.runIf(process.getuid?.() === 0)(
    "rejects writes with a StoreFailure, and loses nothing that it has acknowledged",
    async () => {
      const mount = mkdtempSync(join(tmpdir(), "rollup-embed-disk-"))
      run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", mount)
      try {
        const simulation = newSimulation()
        const { genesis } = simulation
        const options = { genesis, store: { directory: join(mount, "data") }, log: () => {} }
        const ballast = join(mount, "ballast")
        const changes: Array<NodeChange> = []
        let acknowledged = genesis.block.number
        {
          await using node = await openNode(options)
          await applyNext(node, simulation, 3)
          node.onChange((change) => changes.push(change))
          assert.throws(() => writeFileSync(ballast, Buffer.alloc(2 ** 23)), "ENOSPC")
          let refused: unknown
          while (refused === undefined) {
            const record = simulation.next()
            try {
              const report = await node.applyRecord(record)
              if (report.kind === "block") acknowledged = report.snapshotId.ethereumBlockNum
              if (report.kind === "rollBack") acknowledged = report.toBlock
            } catch (error) {
              refused = error
            }
          }
          assert.instanceOf(refused, NodeError)
          assert.deepStrictEqual([refused._tag, refused.retry], ["StoreFailure", true])
          assert.include(refused.message, "cannot be written")
        }
        // the refused write is not reported
        const last = changes.findLast(({ kind }) => kind === "block" || kind === "rollBack")
        if (last?.kind === "block") assert.strictEqual(last.ethereumBlockNum, acknowledged)
        if (last?.kind === "rollBack") assert.strictEqual(last.toBlock, acknowledged)
        rmSync(ballast)
        await using again = await openNode(options)
        assert.isAtLeast(
          Number((await again.state()).snapshotId.ethereumBlockNum),
          Number(acknowledged)
        )
      } finally {
        run("umount", "--lazy", mount)
        rmSync(mount, { recursive: true })
      }
    }
  )
})
