import { Effect } from "effect"
import type { Application } from "../application.ts"
import { type HttpAnswer, rateLimited } from "../message/mod.ts"
import type { AdmissionQueue } from "./_admission_queue.ts"
import { makeClientAddress, rateLimitKey } from "./_client_address.ts"
import type { ServerLimits } from "./server_limits.ts"
import { type Allowance, TokenBuckets } from "./_token_buckets.ts"

type Limits = Pick<
  ServerLimits,
  "rateAddressesMax" | "rateBurstMax" | "ratePerSecondMax" | "trustedProxies"
>

/** The application behind the limits of a server: answers are computed as the queue admits them, requests are counted by address, and the clients of trusted proxies have addresses of their own. */
export const withAdmissionControl = (
  application: Application["Service"],
  { admit }: AdmissionQueue,
  limits: Limits
): Application["Service"] => {
  const { rateAddressesMax, rateBurstMax, ratePerSecondMax, trustedProxies } = limits
  const addressOf = makeClientAddress(trustedProxies)
  const buckets = ratePerSecondMax === 0
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
  const isAddressed = buckets !== null || trustedProxies.length > 0
  return {
    ...application,
    handle: (request) => {
      if (!isAddressed) return application.handle({ ...request, admit })
      const address = addressOf(request.peer?.remoteAddress, request.headers["x-forwarded-for"])
      if (address === undefined) return application.handle({ ...request, admit })
      const known = { ...request, admit, peer: { remoteAddress: address } }
      if (buckets === null) return application.handle(known)
      const allowance = buckets.take(rateLimitKey(address), performance.now())
      const answer = application.handle(
        allowance.isAllowed
          ? known
          : { ...known, refused: rateLimited(ratePerSecondMax, allowance.retryAfterMs) }
      )
      return Effect.mapEager(answer, (answer) => withRateLimitHeaders(answer, allowance))
    }
  }
}
