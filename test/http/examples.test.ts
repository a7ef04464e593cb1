import { assert, describe, it } from "@effect/vitest"
import { openNode } from "../../app/embed/mod.ts"
import { simulate } from "../../app/simulator/mod.ts"
import { mounts } from "../_mounts.ts"

/* The examples of a documentation page, sent as "Test Request" of the page sends them. */

interface Document {
  readonly paths: {
    readonly [path: string]: {
      readonly get?: {
        readonly operationId: string
        readonly parameters: ReadonlyArray<{
          readonly name: string
          readonly in?: string
          readonly schema: { readonly examples?: ReadonlyArray<unknown> }
        }>
      }
    }
  }
}

/** What a ledger does not have: the pool, posted authorizations, and the prices of a host. */
const elsewhere = /transactions-pool|atomic-pool|account-creation|currencies/u

describe("the examples of the documents", () => {
  it("exist in the simulated network of seed 1", async () => {
    const simulation = simulate({ seed: 1, placeholderRoots: true })
    await using node = await openNode({ genesis: simulation.genesis })
    while (simulation.transactionCount() < 400) await node.applyRecord(simulation.next())
    const ask = (path: string) => node.fetch(new Request(`http://node${path}`))
    for (const base of mounts) {
      const { paths } = await (await ask(`${base}/openapi.json`)).json() as Document
      let asked = 0
      for (const [path, { get }] of Object.entries(paths)) {
        if (get === undefined || elsewhere.test(path) || !path.includes("{")) continue
        const filled = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
          const parameter = get.parameters.find((each) => each.name === name)!
          return encodeURIComponent(String(parameter.schema.examples![0]))
        })
        const answer = await ask(`${base}${filled}`)
        assert.strictEqual(answer.status, 200, `${base}${filled}: ${await answer.text()}`)
        asked++
      }
      assert.isAbove(asked, 6)
    }
  })
})
