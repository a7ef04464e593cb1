import { createRequire } from "node:module"
import { join } from "node:path"

/* The parts of the published client library that the checks use, as it documents them. */

/** An answer or a posted body: JSON. */
export type Value = Readonly<Record<string, unknown>>

/** A compressed amount of the library. */
type Amount = object

export interface LibraryWallet {
  readonly publicKeyCompressedHex: string
  readonly publicKeyBase64: string
  readonly hermezEthereumAddress: string
  readonly signTransaction: (transaction: Value, encoded: Value) => Value
  readonly signCreateAccountAuthorization: (
    ethereumUrl: string,
    signer: Signer
  ) => Promise<string>
}

export interface Signer {
  readonly type: "WALLET"
  readonly privateKey: string
}

export interface Transfer {
  readonly from: string
  /** Not set for an exit. */
  readonly to?: string
  readonly type?: string
  readonly amount: Amount
  /** Whole tokens. */
  readonly fee: number
  readonly nonce?: number
}

interface Created {
  readonly hermezWallet: LibraryWallet
}

/** The functions of the API of the coordinator, by name; 1.x has no `postAtomicGroup`. */
export interface CoordinatorApi {
  readonly [name: string]: (...args: ReadonlyArray<unknown>) => Promise<unknown>
}

export interface Library {
  readonly CoordinatorAPI: CoordinatorApi
  readonly HermezWallet: {
    readonly createWalletFromEtherAccount: (url: string, signer: Signer) => Promise<Created>
    readonly createWalletFromBjjPvtKey: (privateKey: Buffer) => Promise<Created>
  }
  readonly HermezCompressedAmount: { readonly compressAmount: (units: string) => Amount }
  readonly Providers: { readonly setProvider: (url: string) => void }
  readonly Environment: { readonly setEnvironment: (environment: { baseApiUrl: string }) => void }
  readonly TxUtils: {
    readonly generateL2Transaction: (
      transfer: Transfer,
      publicKey: string,
      token: Value
    ) => Promise<{ readonly transaction: Value; readonly encodedTransaction: Value }>
  }
  readonly Tx: {
    readonly generateAndSendL2Tx: (
      transfer: Transfer,
      wallet: LibraryWallet,
      token: Value
    ) => Promise<{ readonly status: number; readonly id: string; readonly nonce: number }>
  }
  /** The list of sent transactions that 1.x keeps in a folder. */
  readonly TxPool?: { readonly initializeTransactionPool: () => void }
  readonly AtomicUtils?: {
    readonly buildAtomicTransaction: (
      transaction: Value,
      wallet: LibraryWallet,
      linked: Value
    ) => Promise<Value>
    readonly generateAtomicGroup: (transactions: ReadonlyArray<Value>) => Value
  }
}

export interface LoadedLibrary {
  readonly library: Library
  /** The names of the API's functions that were called. */
  readonly called: ReadonlySet<string>
  /** The URL of each POST so far. */
  readonly posts: ReadonlyArray<string>
}

interface Axios {
  readonly interceptors: {
    readonly request: {
      readonly use: <R extends { readonly method?: string; readonly url?: string }>(
        observe: (request: R) => R
      ) => void
    }
  }
}

/** Loads a version from the folder in which it is installed, and observes its calls and posts. */
export const loadLibrary = (folder: string, name: string): LoadedLibrary => {
  const require = createRequire(join(folder, "package.json"))
  const { default: library } = require(name) as { readonly default: Library }
  const posts: Array<string> = []
  const axios = createRequire(require.resolve(name))("axios") as Axios
  axios.interceptors.request.use((request) => {
    if (request.method === "post") posts.push(String(request.url))
    return request
  })
  const called = new Set<string>()
  const observed = Object.entries(library.CoordinatorAPI).filter(([, value]) =>
    typeof value === "function"
  ).map(([name, call]) => [name, (...args: ReadonlyArray<unknown>) => {
    called.add(name)
    return call(...args)
  }])
  const api = Object.fromEntries(observed) as CoordinatorApi
  return { library: { ...library, CoordinatorAPI: api }, called, posts }
}
