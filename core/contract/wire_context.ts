import { localName, type Network } from "../domain/mod.ts"
import {
  checksumAddress,
  type EthereumAddress,
  formatAccountIndex,
  formatPrefixedAddress,
  formatPublicKey,
  type Keccak256,
  type PublicKey
} from "../encoding/mod.ts"

/** The cache key of a fragment: immutable values, so that equal keys always give the same text. */
export type FragmentKey = readonly [object, object | string | undefined]

/** The writers of an object: one segment, or two segments around a volatile property. */
export interface Segments<in V> {
  readonly before: (view: V) => string
  /**
   * The property that changes while the rest stays, such as the price of a token. It is not cached.
   */
  readonly volatile?: { readonly write: (view: V) => string; readonly after: (view: V) => string }
}

interface CachedFragment {
  readonly second: object | string | undefined
  readonly before: string
  readonly after: string
}

/** The cached fragments of one writer, by the first value of their key. */
interface CacheGenerations {
  current: Map<object, CachedFragment>
  previous: Map<object, CachedFragment>
}

/** Memory that an entry takes besides its text, in characters of one byte. */
const entryCharacters = 120

/**
 * Caches the JSON text of objects within one bound for all writers. It holds two generations: a hit
 * in the older one moves the fragment to the newer one, and the older one is dropped when the newer
 * one is full.
 */
export class JsonFragmentCache {
  private readonly generations: Array<CacheGenerations> = []
  private readonly generationMax: number
  private used = 0
  private usedBefore = 0

  private readonly shapes: ReadonlyArray<string> | undefined

  /**
   * @param charactersMax bound for both generations; 0 disables the cache. A character takes one
   * byte, or two in a text that is not Latin-1
   * @param shapes names of the shapes to cache; all shapes by default
   */
  constructor(charactersMax: number, shapes?: ReadonlyArray<string>) {
    this.generationMax = charactersMax / 2
    this.shapes = shapes
  }

  /** Returns a writer that finds cached texts by the identity of the values in their key. */
  cachedWriter<V>(
    shape: string,
    keyOf: (view: V) => FragmentKey,
    segments: Segments<V>
  ): (view: V) => string {
    if (this.generationMax === 0 || this.shapes?.includes(shape) === false) {
      return joinSegments(segments)
    }
    const { volatile, before } = segments
    const generations: CacheGenerations = { current: new Map(), previous: new Map() }
    this.generations.push(generations)
    const fragmentOf = (view: V): CachedFragment => {
      const [first, second] = keyOf(view)
      const current = generations.current.get(first)
      if (current !== undefined && current.second === second) return current
      const previous = generations.previous.get(first)
      const fragment = previous !== undefined && previous.second === second
        ? previous
        : {
          second,
          before: flattenRope(before(view)),
          after: volatile === undefined ? "" : flattenRope(volatile.after(view))
        }
      generations.current.set(first, fragment)
      this.add(fragment.before.length + fragment.after.length + entryCharacters)
      return fragment
    }
    if (volatile === undefined) return (view) => fragmentOf(view).before
    return (view) => {
      const fragment = fragmentOf(view)
      return fragment.before + volatile.write(view) + fragment.after
    }
  }

  /** Returns the size of the cached texts in characters; at most one text above the bound. */
  get characters(): number {
    return this.used + this.usedBefore
  }

  private add(characters: number): void {
    this.used += characters
    if (this.used <= this.generationMax) return
    this.usedBefore = this.used
    this.used = 0
    for (const generations of this.generations) {
      generations.previous = generations.current
      generations.current = new Map()
    }
  }
}

/** Returns a writer without a cache. */
export const joinSegments = <V>({ volatile, before }: Segments<V>): (view: V) => string =>
  volatile === undefined
    ? before
    : (view) => before(view) + volatile.write(view) + volatile.after(view)

/**
 * Returns the same text, stored in one piece: V8 builds long strings as ropes, and converting one
 * to a number flattens it.
 */
const flattenRope = (text: string): string => {
  Number(text)
  return text
}

/**
 * Writes identifiers as this deployment spells them. Make one per process: it caches the texts of
 * addresses and keys.
 */
export interface WireContext {
  readonly network: Network
  /** A name of the contract (`zkEthereumAddress`) as this network spells it. */
  readonly name: (name: string) => string
  /** `zk:0x…` in EIP-55 mixed case. */
  readonly address: (address: EthereumAddress) => string
  /** `zk:` and 44 characters. */
  readonly publicKey: (key: PublicKey) => string
  readonly accountIndex: (symbol: string, index: number) => string
  /** The cached JSON texts of objects. */
  readonly fragments: JsonFragmentCache
  /** Returns the writer of the shape that has these fields; `make` runs on the first call only. */
  readonly writerOf: <V>(fields: object, make: () => (view: V) => string) => (view: V) => string
}

/**
 * The version of this package in `package.json`. The serialization of answers may differ between
 * versions.
 */
export const programVersion = "0.0.1"

/** Entries of each of the two caches before it is cleared: at most about 20 MB. */
const cachedIdentifiersMax = 65536

const memoize = (write: (value: string) => string): (value: string) => string => {
  const known = new Map<string, string>()
  return (value) => {
    let text = known.get(value)
    if (text === undefined) {
      text = write(value)
      if (known.size >= cachedIdentifiersMax) known.clear()
      known.set(value, text)
    }
    return text
  }
}

const writers = (): WireContext["writerOf"] => {
  const known = new WeakMap<object, (view: never) => string>()
  return <V>(fields: object, make: () => (view: V) => string) => {
    const writer = known.get(fields) as ((view: V) => string) | undefined ?? make()
    known.set(fields, writer)
    return writer
  }
}

/** Characters. */
const fragmentCharactersMaxDefault = 64 * 2 ** 20

/**
 * Returns how a network writes identifiers and names, with the caches of written texts. Create one
 * for each process: all answers share its caches, at most about 20 MB and the bound of `fragments`.
 *
 * @param keccak256 checks and writes the mixed case of addresses
 * @param fragments bound of the cached JSON texts, and the shapes to cache: objects that a store
 * creates anew for each answer never hit
 *
 * @example
 * ```ts
 * import { wireContext } from "rollup-node-api"
 * import { keccak256 } from "rollup-node-api/crypto"
 *
 * const network = { prefix: "hez", name: "Demo", chainId: 1, rollupAddress: `0x${"1".repeat(40)}` }
 * const { accountIndex, name } = wireContext(network, keccak256)
 * console.log(accountIndex("ETH", 256)) // => hez:ETH:256
 * console.log(name("zkEthereumAddress")) // => hezEthereumAddress
 * ```
 */
export const wireContext = (
  network: Network,
  keccak256: Keccak256,
  { charactersMax = fragmentCharactersMaxDefault, shapes }: {
    readonly charactersMax?: number
    readonly shapes?: ReadonlyArray<string>
  } = {}
): WireContext => ({
  fragments: new JsonFragmentCache(charactersMax, shapes),
  writerOf: writers(),
  network,
  name: (name) => localName(network, name),
  address: memoize((address) =>
    formatPrefixedAddress(network.prefix, checksumAddress(address, keccak256))
  ),
  publicKey: memoize((key) => formatPublicKey(network.prefix, key)),
  accountIndex: (symbol, index) => formatAccountIndex(network.prefix, symbol, index)
})
