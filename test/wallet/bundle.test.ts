import { assert, describe, it } from "@effect/vitest"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { bundledForBrowser } from "../client/_bundle.ts"
import { read } from "../packaging/_project.ts"

/* The size of the wallet for a browser, with everything that it imports. */

/** 60 kB without the client is the bound that browsers need; this is with it. */
const gzipBytesMax = 44_000
const brotliBytesMax = 38_000

describe("the wallet in a browser", () => {
  it(`is one file of at most ${gzipBytesMax} bytes after gzip, ${brotliBytesMax} after Brotli, client included, without Node and schemas`, async () => {
    const bundle = await bundledForBrowser("adapters/wallet/mod.ts")
    const { code, dynamicImports, imports, modules } = bundle
    assert.deepStrictEqual([...imports, ...dynamicImports], [])
    const [gzip, brotli] = [
      gzipSync(code, { level: 9 }).length,
      brotliCompressSync(code).length
    ]
    console.log(`wallet: ${code.length} bytes, ${gzip} after gzip, ${brotli} after Brotli`)
    assert.isAtMost(gzip, gzipBytesMax)
    assert.isAtMost(brotli, brotliBytesMax)
    assert.include(
      read("adapters/wallet/README.md"),
      `at most ${gzipBytesMax / 1000} kB after gzip`
    )
    assert.notMatch(code, /\bprocess\.(?!env)|\bBuffer\b|require\(|node:/u)
    assert.isEmpty(
      Object.keys(modules).filter((path) =>
        /effect\/dist\/Schema/u.test(path) && modules[path]!.renderedLength > 0
      )
    )
  })
})
