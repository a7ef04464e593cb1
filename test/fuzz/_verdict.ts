import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import type { Answer } from "./_connection.ts"
import type { Ask } from "./_requests.ts"

/** Describes why a response does not match the document; undefined if it does. */
export const faultOf = (
  { document, expected, isConditional, isHead, isPreflight, operation }: Ask,
  answer: Answer
): string | undefined => {
  const { body, headers, status } = answer
  if (status >= 500) return "the server failed"
  if (isPreflight && status === 204) return headers.has("allow") ? undefined : "no header Allow"
  if (operation === undefined && isRedirect(status)) {
    // a location that begins with two slashes names another host
    return /^\/(?!\/)/u.test(headers.get("location") ?? "") && body.length === 0
      ? undefined
      : "a redirect to another host, or with a body"
  }
  const declared = operation?.answer(status) ??
    (operation === undefined ? document.refusal(status) : undefined)
  if (declared === undefined) {
    return `status ${status} is not declared for ${operation?.id ?? "an undocumented request"}`
  }
  if (status === 304 && !isConditional) return "304 for an unconditional request"
  const headerFault = declared.headerFault(headers)
  if (headerFault !== undefined) return `header ${headerFault} is not what is declared`
  if (!headers.has("api-revision")) return "no header Api-Revision"
  if (operation !== undefined && !headers.has("ledger-version")) return "no header Ledger-Version"
  if (status === 405 && !headers.has("allow")) return "405 without Allow"
  if (expected === "given" && status === 400) return "an allowed request is refused"
  if (expected === "refused" && (status === 200 || status === 304)) {
    return "a forbidden request is answered"
  }
  if (isHead || status === 304) return undefined
  if (!declared.hasBody) return body.length === 0 ? undefined : "an undeclared body"
  if (headers.get("content-type") !== "application/json") {
    return `a body of type ${headers.get("content-type")}`
  }
  const json = jsonOf(answer)
  if (json === undefined) return "a body that is no JSON"
  const fault = declared.fault(json)
  if (fault !== undefined) return `the schema refuses it: ${fault}`
  if (status < 400) return undefined
  const problem = json as { readonly status: number; readonly message: string }
  if (problem.status !== status) return "a problem of another status"
  return /^[A-Z0-9].*[^.]$/su.test(problem.message) ? undefined : "a message that is no sentence"
}

/** The description of the document states the redirects from a path with a slash at its end. */
const isRedirect = (status: number): boolean => status === 301 || status === 307

/** Returns the JSON value of a body, decompressed; undefined if there is none. */
export const jsonOf = ({ body, headers }: Pick<Answer, "body" | "headers">): unknown => {
  try {
    const decode = decoders.get(headers.get("content-encoding") ?? "identity")!
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(decode(body)))
  } catch {
    return undefined
  }
}

const decoders = new Map<string, (body: Buffer) => Buffer>([
  ["identity", (body) => body],
  ["gzip", gunzipSync],
  ["br", brotliDecompressSync],
  ["zstd", zstdDecompressSync]
])
