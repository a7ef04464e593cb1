import { Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

/**
 * Whether a request has the token, as `Authorization: Bearer TOKEN`. What is compared are digests, in a time that depends neither on the
 * token nor on how much of it is right.
 */
export const tokenChecker = (
  token: Redacted.Redacted
): (headers: IncomingHttpHeaders) => boolean => {
  const expected = digest(Redacted.value(token))
  return ({ authorization = "" }) =>
    timingSafeEqual(digest(/^Bearer +(.*)$/iu.exec(authorization)?.[1] ?? ""), expected)
}

const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()
