import { assert } from "@effect/vitest"
import { join } from "node:path"
import { type OutputChunk, rolldown } from "rolldown"
import { root } from "../packaging/_project.ts"

/** Bundles a module for a browser, without the imports that `external` matches, into one file. */
export const bundledForBrowser = async (
  module: string,
  external?: RegExp
): Promise<OutputChunk> => {
  const bundle = await rolldown({
    input: join(root, module),
    platform: "browser",
    logLevel: "silent",
    ...external === undefined ? {} : { external }
  })
  const { output: [chunk, ...others] } = await bundle.generate({ format: "esm", minify: true })
  await bundle.close()
  assert.isEmpty(others)
  return chunk
}
