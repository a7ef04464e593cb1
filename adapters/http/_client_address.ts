// see server.ts
const { BlockList, isIP } = process.getBuiltinModule("node:net")

/**
 * Finds out who sends a request: the peer, or where that is a trusted proxy the last address of `X-Forwarded-For` that is none. What
 * stands before it was written by somebody who is not trusted.
 *
 * @param trusted addresses, and networks such as `10.0.0.0/8`
 */
export const clientAddresses = (trusted: ReadonlyArray<string>): (peer: string | undefined, forwarded: string | ReadonlyArray<string> | undefined) => string | undefined => {
  const proxies = new BlockList()
  for (const text of trusted) {
    const { address, family, prefix } = networkOf(text)
    proxies.addSubnet(address, Number(prefix), family === 4 ? "ipv4" : "ipv6")
  }
  const isTrusted = (address: string) => proxies.check(address, isIP(address) === 4 ? "ipv4" : "ipv6")
  return (peer, forwarded) => {
    if (peer === undefined) return undefined
    let address = plain(peer)
    if (trusted.length === 0 || forwarded === undefined) return address
    for (const text of String(forwarded).split(",").reverse()) {
      if (!isTrusted(address)) return address
      const before = plain(withoutPort(text.trim()))
      if (isIP(before) === 0) return address
      address = before
    }
    return address
  }
}

/** Who shares a limit: an address of version 4, or the network of 64 bits that one line of version 6 has. */
export const rateKey = (address: string): string => {
  if (isIP(address) !== 6) return address
  const [before = "", after] = address.split("%", 1)[0]!.split("::")
  const groups = (text: string) => text === "" ? [] : text.split(":")
  const [first, last] = [groups(before), groups(after ?? "")]
  // an address of version 4 at the end takes the place of two groups
  const given = first.length + last.length + (last.at(-1)?.includes(".") === true ? 1 : 0)
  const all = after === undefined ? first : [...first, ...Array.from({ length: 8 - given }, () => "0"), ...last]
  return `${all.slice(0, 4).map((group) => parseInt(group, 16).toString(16)).join(":")}::/64`
}

/** Version 4 within version 6 is version 4. */
const plain = (address: string): string => {
  const within = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1]
  return within ?? address
}

const withoutPort = (text: string): string => /^\[([^\]]+)\](?::\d+)?$/u.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/u.exec(text)?.[1] ?? text

const networkOf = (text: string) => {
  const [address = "", prefix] = text.trim().split("/")
  const family = isIP(address)
  return { address, family, prefix: prefix ?? (family === 4 ? "32" : "128") }
}
