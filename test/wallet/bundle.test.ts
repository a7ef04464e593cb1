import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { type OutputChunk, rolldown } from "rolldown"
import { read } from "../packaging/_project.ts"

/* The size of the wallet for a browser, with everything that it imports. */

/** 60 kB without the client is the bound that browsers need; this is with it. */
const gzipBytesMax = 44_000
const brotliBytesMax = 38_000

const bundled = async (): Promise<OutputChunk> => {
  const bundle = await rolldown({
    input: join(import.meta.dirname, "../../adapters/wallet/mod.ts"),
    platform: "browser",
    logLevel: "silent"
  })
  const { output: [chunk, ...others] } = await bundle.generate({ format: "esm", minify: true })
  await bundle.close()
  assert.isEmpty(others)
  return chunk
}

describe("the wallet in a browser", () => {
  it(`is one file of at most ${gzipBytesMax} bytes after gzip, ${brotliBytesMax} after Brotli, client included`, async () => {
    const { code, dynamicImports, imports } = await bundled()
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
  })

  it("uses nothing of Node, and no schema", async () => {
    const { code, modules } = await bundled()
    assert.notMatch(code, /\bprocess\.(?!env)|\bBuffer\b|require\(|node:/u)
    assert.isEmpty(
      Object.keys(modules).filter((path) =>
        /effect\/dist\/Schema/u.test(path) && modules[path]!.renderedLength > 0
      )
    )
  })
})
