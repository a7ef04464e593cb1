/** A content coding of HTTP. */
export interface ContentCoding {
  /** Name in `Accept-Encoding` and `Content-Encoding`, such as `gzip`. */
  readonly name: string
  /** Compresses a body without blocking the thread. */
  readonly compress: (body: Uint8Array) => Promise<Uint8Array>
}

/** Compression of answers. */
export interface CompressionOptions {
  /** The offered codings; if the client accepts several of them equally, the first one is used. */
  readonly codings: ReadonlyArray<ContentCoding>
  /** Bodies below this size are sent uncompressed; 1024 by default. */
  readonly bytesMin?: number
}

/**
 * The coding gzip, by `CompressionStream`, which Node, Deno, Bun and browsers have.
 *
 * @example
 * ```ts
 * import { gzipCoding } from "rollup-node-api/http"
 *
 * const body = new TextEncoder().encode("a".repeat(5000))
 * console.log((await gzipCoding.compress(body)).length < 100) // => true
 * ```
 */
export const gzipCoding: ContentCoding = {
  name: "gzip",
  compress: async (body) => {
    const stream = new Blob([body as BlobPart]).stream().pipeThrough(new CompressionStream("gzip"))
    return new Uint8Array(await new Response(stream).arrayBuffer())
  }
}

/** The compression of an application if its options set none. */
export const defaultCompression: CompressionOptions = { codings: [gzipCoding] }
