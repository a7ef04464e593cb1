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
import { TextMemory } from "./text_memory.ts"

/** How this deployment writes identifiers. Built once: the texts of addresses and keys are remembered. */
export interface WireContext {
  readonly network: Network
  /** A name of the contract (`zkEthereumAddress`) as this network spells it. */
  readonly name: (name: string) => string
  /** `zk:0x…` in EIP-55 mixed case. */
  readonly address: (address: EthereumAddress) => string
  /** `zk:` and 44 characters. */
  readonly publicKey: (key: PublicKey) => string
  readonly accountIndex: (symbol: string, index: number) => string
  /** Objects that are kept written, within a bound. */
  readonly texts: TextMemory
  /** The one writer of a shape, which its fields stand for; made when it is first asked for. */
  readonly writerOf: <V>(fields: object, make: () => (view: V) => string) => (view: V) => string
}

/** Entries each of the two memories holds before it starts anew: some 20 MB at most. */
const rememberedMax = 65536

const remember = (write: (value: string) => string): (value: string) => string => {
  const known = new Map<string, string>()
  return (value) => {
    let text = known.get(value)
    if (text === undefined) {
      text = write(value)
      if (known.size >= rememberedMax) known.clear()
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

/** What the texts that are kept ready may take, in characters. */
const textsMaxDefault = 64 * 2 ** 20

/**
 * @param keccak256 checks and writes the mixed case of addresses
 * @param texts how much of written objects is kept ready, and of which shapes alone where a store makes the others anew for each answer
 */
export const wireContext = (
  network: Network,
  keccak256: Keccak256,
  { charactersMax = textsMaxDefault, shapes }: {
    readonly charactersMax?: number
    readonly shapes?: ReadonlyArray<string>
  } = {}
): WireContext => ({
  texts: new TextMemory(charactersMax, shapes),
  writerOf: writers(),
  network,
  name: (name) => localName(network, name),
  address: remember((address) =>
    formatPrefixedAddress(network.prefix, checksumAddress(address, keccak256))
  ),
  publicKey: remember((key) => formatPublicKey(network.prefix, key)),
  accountIndex: (symbol, index) => formatAccountIndex(network.prefix, symbol, index)
})
