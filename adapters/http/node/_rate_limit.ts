import { Effect } from "effect"
import type { Application } from "../application.ts"
import { type HttpAnswer, rateLimited } from "../message/mod.ts"
import { makeClientAddress, rateLimitKey } from "./_client_address.ts"
import type { ServerLimits } from "./server_limits.ts"
import { type Allowance, TokenBuckets } from "./_token_buckets.ts"

/**
 * Returns the application with a rate limit for each client address, and with the client addresses
 * that trusted proxies report. Returns it unchanged if neither is configured.
 */
export const withRateLimit = (
  application: Application["Service"],
  { rateAddressesMax, rateBurstMax, ratePerSecondMax, trustedProxies }: ServerLimits
): Application["Service"] => {
  const isUnlimited = ratePerSecondMax === 0
  if (isUnlimited && trustedProxies.length === 0) return application
  const addressOf = makeClientAddress(trustedProxies)
  const buckets = isUnlimited
    ? null
    : new TokenBuckets({
      perSecondMax: ratePerSecondMax,
      burstMax: rateBurstMax,
      addressesMax: rateAddressesMax
    })
  const policy = `"address";q=${rateBurstMax};w=${Math.ceil(rateBurstMax / ratePerSecondMax)}`

  const withRateLimitHeaders = (
    answer: HttpAnswer,
    { remaining, restoredAfterMs }: Allowance
  ): HttpAnswer => {
    const exposed = answer.headers["access-control-expose-headers"]
    return {
      ...answer,
      headers: {
        ...answer.headers,
        ...exposed === undefined
          ? {}
          : { "access-control-expose-headers": `${exposed}, RateLimit, RateLimit-Policy` },
        "ratelimit-policy": policy,
        ratelimit: `"address";r=${remaining};t=${Math.ceil(restoredAfterMs / 1000)}`
      }
    }
  }
  return {
    ...application,
    handle: (request) => {
      const address = addressOf(request.peer?.remoteAddress, request.headers["x-forwarded-for"])
      if (address === undefined) return application.handle(request)
      const addressed = { ...request, peer: { remoteAddress: address } }
      if (buckets === null) return application.handle(addressed)
      const allowance = buckets.take(rateLimitKey(address), performance.now())
      const answer = application.handle(
        allowance.isAllowed
          ? addressed
          : { ...addressed, refusal: rateLimited(ratePerSecondMax, allowance.retryAfterMs) }
      )
      return Effect.mapEager(answer, (answer) => withRateLimitHeaders(answer, allowance))
    }
  }
}
