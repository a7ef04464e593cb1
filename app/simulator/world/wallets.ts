import {
  accessKey,
  derivePublicKey,
  ethereumAddress,
  signAccessMessage,
  signAuthorization,
  signerOf
} from "../../../adapters/crypto/mod.ts"
import type { Network } from "../../../core/domain/mod.ts"
import {
  type EthereumAddress,
  hexOfBytes,
  INTERNAL_ADDRESS,
  keysOfLeaf,
  leafKey,
  type PublicKey
} from "../../../core/encoding/mod.ts"
import { digestOf } from "./random.ts"

/** The keys of a user or a coordinator. */
export interface Wallet {
  readonly privateKey: Uint8Array
  readonly publicKey: PublicKey
  /**
   * The key with which its accounts are created on L1: `publicKey`, or for some wallets another key
   * with the same leaf.
   */
  readonly creationKey: PublicKey
  /** `INTERNAL_ADDRESS` for an internal user, which has no Ethereum key. */
  readonly address: EthereumAddress
  readonly ethereumKey: Uint8Array | undefined
}

/** The demo wallet, whose keys are public. */
export interface DemoWallet extends Wallet {
  readonly ethereumKey: Uint8Array
}

/** The wallets of the network by role and number. Keys are derived from the seed on first use. */
export class Wallets {
  readonly #seed: string
  readonly #network: Network
  readonly #byName = new Map<string, Wallet>()
  /**
   * Users of the program send from it; the simulator never does. Wallets derive its BabyJubJub key
   * from its Ethereum key.
   */
  readonly demo: DemoWallet
  readonly #coordinators = new Set<PublicKey>()
  /** By the key of the leaf. */
  readonly #byKey = new Map<PublicKey, Wallet>()
  readonly #authorizations = new Map<PublicKey, string>()
  readonly #signers = new Map<PublicKey, (message: bigint) => string>()

  constructor(seed: string, network: Network) {
    this.#seed = seed
    this.#network = network
    const ethereumKey = this.#secret("demo/ethereum")
    const privateKey = accessKey(signAccessMessage(ethereumKey, network))
    this.demo = { ...this.#wallet("demo", { privateKey }), ethereumKey }
  }

  /**
   * Returns the wallet of a user. Every twelfth user is internal. Some users create their accounts
   * with a key in which bit 254 is set, or with an unreduced y.
   */
  user(number: number): Wallet {
    const internal = number % 12 === 11
    const isUnusual = number % 7 === 4 || (internal && number % 24 === 11)
    return this.#wallet(`user/${number}`, {
      internal,
      creationKeyOf: (publicKey) => {
        const others = isUnusual ? keysOfLeaf(publicKey).slice(1) : []
        return others[number % others.length] ?? publicKey
      }
    })
  }

  /** Returns the wallet of a coordinator; number 0 is the boot coordinator. */
  coordinator(number: number): Wallet {
    const wallet = this.#wallet(`coordinator/${number}`)
    this.#coordinators.add(wallet.publicKey)
    return wallet
  }

  /**
   * Whether the simulator sends from the accounts of a key: it is the key of a wallet here, and not
   * of the demo wallet.
   */
  controls(publicKey: PublicKey): boolean {
    const key = leafKey(publicKey)
    return this.#byKey.has(key) && key !== this.demo.publicKey
  }

  isCoordinator(publicKey: PublicKey): boolean {
    return this.#coordinators.has(publicKey)
  }

  /**
   * Returns the wallet that signs for an account with a key; undefined if it does not belong to the
   * simulator.
   */
  find(publicKey: PublicKey): Wallet | undefined {
    return this.#byKey.get(leafKey(publicKey))
  }

  /** Returns the wallet's signature of a field element. */
  sign({ privateKey, publicKey }: Wallet, message: bigint): string {
    const signer = this.#signers.get(publicKey) ?? signerOf(privateKey)
    this.#signers.set(publicKey, signer)
    return signer(message)
  }

  /**
   * Returns the signature that authorizes coordinators to create accounts for the wallet's key;
   * null for an internal user, which needs no authorization.
   */
  authorization({ ethereumKey, publicKey }: Wallet): string | null {
    const known = this.#authorizations.get(publicKey)
    if (known !== undefined || ethereumKey === undefined) return known ?? null
    const signature = signAuthorization(ethereumKey, publicKey, this.#network)
    this.#authorizations.set(publicKey, signature)
    return signature
  }

  /** Returns an address without a wallet, for example of a contract. */
  contractAddress(name: string): EthereumAddress {
    return `0x${hexOfBytes(this.#secret(name).subarray(12))}`
  }

  #secret(name: string): Uint8Array {
    return digestOf(`${this.#seed}/${name}`)
  }

  #wallet(
    name: string,
    { creationKeyOf = (publicKey) => publicKey, internal = false, ...options }: {
      readonly creationKeyOf?: (publicKey: PublicKey) => PublicKey
      readonly internal?: boolean
      readonly privateKey?: Uint8Array
    } = {}
  ): Wallet {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const privateKey = options.privateKey ?? this.#secret(`${name}/key`)
    const ethereumKey = internal ? undefined : this.#secret(`${name}/ethereum`)
    const publicKey = derivePublicKey(privateKey)
    const wallet = {
      ethereumKey,
      privateKey,
      publicKey,
      creationKey: creationKeyOf(publicKey),
      address: ethereumKey === undefined ? INTERNAL_ADDRESS : ethereumAddress(ethereumKey)
    }
    this.#byName.set(name, wallet)
    this.#byKey.set(publicKey, wallet)
    return wallet
  }
}
