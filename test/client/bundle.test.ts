import { assert, describe, it } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import { read } from "../packaging/_project.ts"
import { wideNames } from "../../adapters/client/generated/mod.ts"
import { bundledForBrowser } from "./_bundle.ts"

/*
 * The size of the client for a browser. Schemas of one small object alone are 24 kB after gzip,
 * those of the contract 35 kB.
 */

/* Without the names of large integers, to which each revision adds its own. */
const clientBytesMax = 7_824
const clientGzipBytesMax = 3_450

const bundled = (door: string) => bundledForBrowser(`adapters/client/${door}`, /^[^./]/u)

describe("the client in a browser", () => {
  it(`is one file of at most ${clientBytesMax} bytes, ${clientGzipBytesMax} after gzip, that imports nothing`, async () => {
    const { code: whole, dynamicImports, imports } = await bundled("mod.ts")
    const names = [...wideNames].join(" ")
    assert.include(whole, names)
    const code = whole.replace(names, "")
    assert.deepStrictEqual([...imports, ...dynamicImports], [])
    assert.isAtMost(Buffer.byteLength(code), clientBytesMax)
    assert.isAtMost(gzipSync(code, { level: 9 }).length, clientGzipBytesMax)
    assert.include(
      read("adapters/client/README.md"),
      `at most ${clientGzipBytesMax / 1000} kB after gzip, without the names of large`
    )
    assert.notMatch(code, /process\.|Buffer|require\(|node:/u)
  })

  it("imports Effect only through the entry point for Effect, and nothing else", async () => {
    assert.deepStrictEqual((await bundled("effect.ts")).imports, ["effect"])
  })
})
