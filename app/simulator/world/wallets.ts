import * as Hex from "effect/encoding/Hex"
import {
  derivePublicKey,
  ethereumAddress,
  signAuthorization,
  signerOf
} from "../../../adapters/crypto/mod.ts"
import type { Network } from "../../../core/domain/mod.ts"
import {
  type EthereumAddress,
  INTERNAL_ADDRESS,
  type PublicKey
} from "../../../core/encoding/mod.ts"
import { digestOf } from "./chain.ts"
import type { Recording } from "./recording.ts"

/** Somebody with keys: a user or a coordinator. */
export interface Wallet {
  readonly privateKey: Uint8Array
  readonly publicKey: PublicKey
  /** The all-F address of an internal user, who has no Ethereum key. */
  readonly address: EthereumAddress
}

export interface DemoWallet extends Wallet {
  readonly ethereumKey: Uint8Array
}

/** Everybody there is, by role and number; keys follow from the seed and are derived when somebody first appears. */
export class Wallets {
  readonly #seed: string
  readonly #network: Network
  readonly #recording: Recording
  readonly #wallets = new Map<string, Wallet>()
  readonly #coordinators = new Set<PublicKey>()
  readonly #byKey = new Map<PublicKey, Wallet>()
  readonly #ethereumKeys = new Map<PublicKey, Uint8Array>()
  readonly #authorizations = new Map<PublicKey, string>()
  readonly #signers = new Map<PublicKey, (message: bigint) => string>()

  constructor(seed: string, network: Network, recording: Recording) {
    this.#seed = seed
    this.#network = network
    this.#recording = recording
  }

  /** Every twelfth user is internal. */
  user(number: number): Wallet {
    return this.#wallet(`user/${number}`, number % 12 === 11)
  }

  coordinator(number: number): Wallet {
    const wallet = this.#wallet(`coordinator/${number}`, false)
    this.#coordinators.add(wallet.publicKey)
    return wallet
  }

  /** Whose keys everybody may use: wallets at a keyboard send with them, the simulator never does. */
  demo(): DemoWallet {
    const wallet = this.#wallet("demo", false)
    return { ...wallet, ethereumKey: this.#ethereumKeys.get(wallet.publicKey)! }
  }

  /** Whether the simulator sends from accounts of the key: not from the demo wallet's, nor from those of strangers. */
  controls(publicKey: PublicKey): boolean {
    return this.#byKey.has(publicKey) && publicKey !== this.demo().publicKey
  }

  isCoordinator(publicKey: PublicKey): boolean {
    return this.#coordinators.has(publicKey)
  }

  /** The one who signs for an account. */
  find(publicKey: PublicKey): Wallet | undefined {
    return this.#byKey.get(publicKey)
  }

  /** The wallet's signature of a field element. */
  sign({ privateKey, publicKey }: Wallet, message: bigint): string {
    const signer = this.#signers.get(publicKey) ?? signerOf(privateKey)
    this.#signers.set(publicKey, signer)
    return signer(message)
  }

  /** Lets any coordinator create accounts for the wallet's key; null for an internal user, for whom nobody needs to be asked. */
  authorization({ publicKey }: Wallet): string | null {
    const known = this.#authorizations.get(publicKey)
    const ethereumKey = this.#ethereumKeys.get(publicKey)
    if (known !== undefined || ethereumKey === undefined) return known ?? null
    const signature = signAuthorization(ethereumKey, publicKey, this.#network)
    this.#authorizations.set(publicKey, signature)
    return signature
  }

  /** An address behind which nobody stands: of a contract, say. */
  contractAddress(name: string): EthereumAddress {
    return `0x${Hex.encode(this.#secret(name).subarray(12))}`
  }

  #secret(name: string): Uint8Array {
    return digestOf(`${this.#seed}/${name}`)
  }

  #wallet(name: string, internal: boolean): Wallet {
    const known = this.#wallets.get(name)
    if (known !== undefined) return known
    const privateKey = this.#secret(`${name}/key`)
    const ethereumKey = internal ? undefined : this.#secret(`${name}/ethereum`)
    const [ownKey, ownAddress] = this.#recording.getOrCompute(`keys ${this.#seed}/${name}`, () => [
      BigInt(`0x${derivePublicKey(privateKey)}`),
      BigInt(ethereumKey === undefined ? INTERNAL_ADDRESS : ethereumAddress(ethereumKey))
    ])
    const publicKey = hexDigits(ownKey!, 64)
    const wallet = { privateKey, publicKey, address: `0x${hexDigits(ownAddress!, 40)}` }
    this.#wallets.set(name, wallet)
    this.#byKey.set(publicKey, wallet)
    if (ethereumKey !== undefined) this.#ethereumKeys.set(publicKey, ethereumKey)
    return wallet
  }
}

const hexDigits = (number: bigint, length: number): string =>
  number.toString(16).padStart(length, "0")
