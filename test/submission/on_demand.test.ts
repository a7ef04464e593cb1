import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { writeFeedLine } from "../../core/domain/mod.ts"
import { genesis } from "../use_cases/_network.ts"
import { ann, blocks, signed, transactionText } from "./_wallets.ts"

describe("an embedded node", () => {
  it("loads the code that verifies signatures with the first submission that needs it", async () => {
    const feed = [
      writeFeedLine({ kind: "genesis", genesis }),
      ...blocks.map((block) => writeFeedLine({ kind: "block", block }))
    ]
    const bodies = [
      "{}",
      transactionText({ ...signed(ann), fee: 256 }),
      transactionText(signed(ann))
    ]
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, "_on_demand.ts")
    ], { env: { ...process.env, SUBMISSION: JSON.stringify({ feed, bodies }) } })
    assert.deepStrictEqual(stdout.trim().split("\n"), [
      "200 false",
      "400 false",
      "400 false",
      "200 true"
    ])
  })
})
