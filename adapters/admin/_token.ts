import { Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

/**
 * Returns a function that checks whether a request has the token, as `Authorization: Bearer TOKEN`.
 * It compares digests in constant time, so the duration reveals nothing about the token.
 */
export const tokenChecker = (
  token: Redacted.Redacted
): (headers: IncomingHttpHeaders) => boolean => {
  const expected = digest(Redacted.value(token))
  return ({ authorization = "" }) =>
    timingSafeEqual(digest(/^Bearer +(.*)$/iu.exec(authorization)?.[1] ?? ""), expected)
}

const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()
