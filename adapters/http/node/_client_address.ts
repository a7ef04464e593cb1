import { Result } from "effect"
import * as IpInterface from "effect/net/IpInterface"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"

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
