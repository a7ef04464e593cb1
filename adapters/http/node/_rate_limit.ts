import * as IpInterface from "effect/net/IpInterface"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import { Result, Effect } from "effect"
import type { Application } from "../application.ts"
import { type HttpAnswer, isPreflight, rateLimited } from "../message/mod.ts"
import type { ServerLimits } from "./server_limits.ts"

/**
 * Returns a function that returns the address of a client: the peer or, if the peer is a trusted
 * proxy, the last address in `X-Forwarded-For` that is not a trusted proxy. The addresses before it
 * may be forged.
 *
 * @param trusted addresses, and networks such as `10.0.0.0/8`
 */
export const makeClientAddress = (trusted: ReadonlyArray<string>) => {
  const proxies = trusted.map((text) =>
    IpNetwork.fromInterface(Result.getOrThrow(IpInterface.fromString(text.trim())))
  )
  const isTrusted = (address: NetAddress.IpAddress): boolean => {
    const asIpv6 = NetAddress.isIpv4Address(address) ? NetAddress.toIpv4Mapped(address) : address
    return proxies.some((proxy) =>
      IpNetwork.contains(proxy, IpNetwork.isIpv4Network(proxy) ? address : asIpv6)
    )
  }
  return (peer: string | undefined, forwarded: string | ReadonlyArray<string> | undefined) => {
    const isForwarded = forwarded !== undefined && proxies.length > 0
    // this runs for each request: do not parse plain IPv4
    if (peer === undefined || (!isForwarded && !peer.includes(":"))) return peer
    let address = parseAddress(peer)
    if (address === undefined) return peer
    for (const text of isForwarded ? String(forwarded).split(",").reverse() : []) {
      if (!isTrusted(address)) break
      const previous = parseAddress(withoutPort(text.trim()))
      if (previous === undefined) break
      address = previous
    }
    return NetAddress.formatIp(address)
  }
}

/** Returns the key of a rate limit: an IPv4 address, or the /64 network of an IPv6 address. */
export const rateLimitKey = (text: string): string => {
  const address = text.includes(":") ? parseAddress(text) : undefined
  return address === undefined || NetAddress.isIpv4Address(address)
    ? text
    : IpNetwork.format(IpNetwork.fromAddressUnsafe(address, 64))
}

/** Parses an address without its zone (`%eth0`). An IPv4-mapped IPv6 address becomes IPv4. */
const parseAddress = (text: string): NetAddress.IpAddress | undefined => {
  const parsed = NetAddress.ipFromString(text.split("%", 1)[0]!)
  return Result.isSuccess(parsed) ? NetAddress.toCanonical(parsed.success) : undefined
}

const withoutPort = (text: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/u.exec(text)?.[1] ?? /^([\d.]+):\d+$/u.exec(text)?.[1] ?? text

type RateLimits = Pick<ServerLimits, "rateAddressesMax" | "rateBurstMax" | "ratePerSecondMax">

/** The decision about one request of a client. */
interface Allowance {
  readonly isAllowed: boolean
  /** Requests that the client may still send now. */
  readonly remaining: number
  /** Time until the client may send a whole burst again. */
  readonly restoredAfterMs: number
  /** Time until the next request is allowed; 0 if this one is. */
  readonly retryAfterMs: number
}

/**
 * A token bucket for each client: it holds `rateBurstMax` tokens and is refilled at a constant rate.
 * Its state is one number (the generic cell rate algorithm).
 */
export class TokenBuckets {
  readonly #limits: RateLimits
  readonly #spacingMs: number
  /** When the bucket of each client is full again; the least recently active client first. */
  readonly #fullAt = new Map<string, number>()

  constructor(limits: RateLimits) {
    this.#limits = limits
    this.#spacingMs = 1000 / limits.ratePerSecondMax
  }

  /** Takes a token from the bucket of a client. A request that is not allowed takes none. */
  take(key: string, nowMs: number): Allowance {
    const { rateAddressesMax, rateBurstMax } = this.#limits
    const depthMs = rateBurstMax * this.#spacingMs
    const fullAt = Math.max(this.#fullAt.get(key) ?? 0, nowMs)
    const after = fullAt + this.#spacingMs
    const missingMs = after - nowMs - depthMs
    // tolerate rounding errors
    if (missingMs > 1e-6) {
      return {
        isAllowed: false,
        remaining: 0,
        restoredAfterMs: fullAt - nowMs,
        retryAfterMs: missingMs
      }
    }
    this.#fullAt.delete(key)
    if (this.#fullAt.size >= rateAddressesMax) {
      this.#fullAt.delete(this.#fullAt.keys().next().value!)
    }
    this.#fullAt.set(key, after)
    return {
      isAllowed: true,
      remaining: Math.floor((depthMs - (after - nowMs)) / this.#spacingMs + 1e-6),
      restoredAfterMs: after - nowMs,
      retryAfterMs: 0
    }
  }

  /** Number of clients that have a bucket. */
  get addresses(): number {
    return this.#fullAt.size
  }
}

/**
 * Returns the application with a rate limit for each client address, and with the client addresses
 * that trusted proxies report. Returns it unchanged if neither is configured.
 */
export const withRateLimit = (
  application: Application["Service"],
  limits: ServerLimits
): Application["Service"] => {
  const { rateBurstMax, ratePerSecondMax, trustedProxies } = limits
  const isUnlimited = ratePerSecondMax === 0
  if (isUnlimited && trustedProxies.length === 0) return application
  const addressOf = makeClientAddress(trustedProxies)
  const buckets = isUnlimited ? null : new TokenBuckets(limits)
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
      // a browser shows a refused preflight as a network error
      if (buckets === null || isPreflight(request)) return application.handle(addressed)
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
