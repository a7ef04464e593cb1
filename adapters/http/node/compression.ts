import { promisify } from "node:util"
import { brotliCompress, constants, gzip, zstdCompress } from "node:zlib"
import type { CompressionOptions } from "../compression/mod.ts"

const [brotliOf, gzipOf, zstdOf] = [
  promisify(brotliCompress),
  promisify(gzip),
  promisify(zstdCompress)
]

/**
 * The codings zstd, br and gzip of `node:zlib`, which compresses in the thread pool of Node. The
 * levels are those at which a page costs a few milliseconds.
 *
 * @example
 * ```ts
 * import { openNode } from "rollup-node-api/embed"
 * import { nodeCompression } from "rollup-node-api/http/node"
 * import { simulate } from "rollup-node-api/simulator"
 *
 * const { genesis } = simulate({ seed: 1 })
 * const node = await openNode({ genesis, compression: nodeCompression })
 * const headers = { "Accept-Encoding": "gzip;q=0.5, zstd" }
 * const response = await node.fetch(new Request("http://node/openapi.json", { headers }))
 * console.log(response.headers.get("content-encoding")) // => zstd
 * await node.close()
 * ```
 */
export const nodeCompression: CompressionOptions = {
  codings: [
    { name: "zstd", compress: (body) => zstdOf(body) },
    {
      name: "br",
      compress: (body) =>
        brotliOf(body, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: 4,
            [constants.BROTLI_PARAM_SIZE_HINT]: body.length
          }
        })
    },
    { name: "gzip", compress: (body) => gzipOf(body) }
  ]
}
