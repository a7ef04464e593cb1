import { Effect } from "effect"
import { clientAddresses, rateKey } from "./_client_address.ts"
import { type Allowance, Rates } from "./_rates.ts"
import { Turns } from "./_turns.ts"
import type { Application } from "./application.ts"
import type { HttpAnswer } from "./message.ts"
import { rateLimited } from "./problem.ts"
import type { ServerLimits } from "./server_limits.ts"

type Limits = Pick<ServerLimits, "busyMs" | "rateAddressesMax" | "rateBurstMax" | "ratePerSecondMax" | "trustedProxies">

/** The application behind a server's limits: late requests are told so, those of one address are counted, and clients of trusted proxies have their own address. */
export const admitted = (application: Application["Service"], limits: Limits): Application["Service"] => {
  const { busyMs, rateAddressesMax, rateBurstMax, ratePerSecondMax, trustedProxies } = limits
  if (busyMs === 0 && ratePerSecondMax === 0 && trustedProxies.length === 0) return application
  const turns = new Turns(busyMs)
  const late = busyMs === 0 ? {} : { isLate: () => turns.isLate() }
  const addressOf = clientAddresses(trustedProxies)
  const rates = ratePerSecondMax === 0 ? null : new Rates({ perSecondMax: ratePerSecondMax, burstMax: rateBurstMax, addressesMax: rateAddressesMax })
  const policy = `"address";q=${rateBurstMax};w=${Math.ceil(rateBurstMax / ratePerSecondMax)}`

  const told = (answer: HttpAnswer, { remaining, restoredAfterMs }: Allowance): HttpAnswer => {
    const exposed = answer.headers["access-control-expose-headers"]
    return {
      ...answer,
      headers: {
        ...answer.headers,
        ...exposed === undefined ? {} : { "access-control-expose-headers": `${exposed}, RateLimit, RateLimit-Policy` },
        "ratelimit-policy": policy,
        ratelimit: `"address";r=${remaining};t=${Math.ceil(restoredAfterMs / 1000)}`
      }
    }
  }
  return {
    ...application,
    handle: (request) => {
      const address = rates === null && trustedProxies.length === 0 ? undefined : addressOf(request.peer?.remoteAddress, request.headers["x-forwarded-for"])
      const known = address === undefined ? { ...request, ...late } : { ...request, ...late, peer: { remoteAddress: address } }
      if (rates === null || address === undefined) return application.handle(known)
      const allowance = rates.take(rateKey(address), performance.now())
      const answer = application.handle(allowance.isAllowed ? known : { ...known, refused: rateLimited(ratePerSecondMax, allowance.retryAfterMs) })
      return Effect.mapEager(answer, (answer) => told(answer, allowance))
    }
  }
}
