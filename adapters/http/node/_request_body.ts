import { Effect } from "effect"
import type { IncomingMessage } from "node:http"
import type { ProblemName } from "../message/mod.ts"

/**
 * Reads a body of at most `bytesMax` bytes. Fails with `body-too-large` if it is longer, and with
 * `malformed-request` if it is malformed or the client disconnects.
 */
export const readBody = (
  source: IncomingMessage,
  bytesMax: number
): Effect.Effect<Uint8Array, ProblemName> =>
  Effect.callback((resume) => {
    // `optimizeEmptyRequests`: a request without a body emits no `end`
    if (source.readableEnded) return resume(Effect.succeed(new Uint8Array()))
    const chunks: Array<Uint8Array> = []
    let bytes = 0
    const stop = () => {
      source.off("data", take).off("end", finish).off("close", fail).off("error", fail)
      // an error without a listener would end the process
      source.on("error", () => undefined)
    }
    const take = (chunk: Uint8Array) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes <= bytesMax) return
      stop()
      source.pause()
      resume(Effect.fail("body-too-large"))
    }
    const finish = () => {
      stop()
      resume(Effect.succeed(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    }
    const fail = () => {
      stop()
      resume(Effect.fail("malformed-request"))
    }
    if (source.destroyed) return fail()
    source.on("data", take).on("end", finish).on("close", fail).on("error", fail)
    return Effect.sync(stop)
  })
