import type { PostedTransaction } from "../../core/domain/mod.ts"
import { formatPublicKey, INTERNAL_ADDRESS } from "../../core/encoding/mod.ts"
import {
  type ClientOptions,
  getNetwork,
  type later,
  type NetworkIdentity,
  rollupClient,
  valueOf,
  waitFor
} from "../client/mod.ts"
import { signAuthorization, verifyAuthorization } from "../crypto/mod.ts"
import { authorizationBody } from "./_wire.ts"
import { type Connection, valueOrNull, type WaitOptions } from "./_requests.ts"
import { type SentFrom, WalletAccount } from "./account.ts"
import { type SignedGroup, signGroup } from "./group.ts"
import { InvalidKey, type Wallet } from "./keys.ts"
import { type SentTransaction, sentTransaction } from "./transaction.ts"

/** The options of a connection: those of a client, without revision and prefix. */
export interface ConnectOptions extends Omit<ClientOptions<"later">, "revision" | "prefix"> {}

/** A network, as one of its servers shows it. */
export interface Rollup {
  readonly network: NetworkIdentity
  /** Returns the accounts of the wallet's key, one for each token that it has received. */
  readonly accounts: (
    wallet: Wallet,
    options?: WaitOptions
  ) => Promise<ReadonlyArray<WalletAccount>>
  /**
   * Returns the account of a wallet by the symbol of its token (the first one, if there are several)
   * or by its index, such as `zk:ETH:256`. Rejects with NoAccount if the wallet has none.
   */
  readonly account: (
    wallet: Wallet,
    symbolOrIndex: string,
    options?: WaitOptions
  ) => Promise<WalletAccount>
  /**
   * Posts the authorization that lets every coordinator create accounts for the wallet's key.
   * `signature` is that of `authorizationTypedData` by the wallet's address; without it the
   * Ethereum key of the wallet signs. Repeating it changes nothing. Rejects with InvalidKey if
   * there is no valid signature.
   */
  readonly authorize: (
    wallet: Wallet,
    options?: WaitOptions & { readonly signature?: string }
  ) => Promise<void>
  /**
   * Links transactions that `build` returned to an atomic group: all are forged in one batch, in
   * this order, or none. Each requires another one, and the accounts sign those that they send. The
   * transactions of other wallets keep their signatures: each party calls this with all
   * transactions in the same order, and the last one with those that the others have signed. Throws
   * InvalidTransaction with every rule that the group breaks.
   *
   * ```ts
   * import { rollupClient, valueOf } from "rollup-node-api/client"
   * import { openNode } from "rollup-node-api/embed"
   * import { simulate } from "rollup-node-api/simulator"
   * import { connect, walletFromSeed } from "rollup-node-api/wallet"
   *
   * const simulation = simulate({ seed: 1 })
   * const node = await openNode({ genesis: simulation.genesis })
   * while (simulation.demoAccounts().length < 2) await node.applyRecord(simulation.next())
   * const rollup = await connect({ url: "http://node", fetch: node.fetch })
   * const wallet = walletFromSeed(simulation.demoWallet.privateKey)
   * const [ether, gov] = await rollup.accounts(wallet)
   *
   * const to = `zk:0x${"12".repeat(20)}`
   * const transactions = [
   *   await ether!.build({ to, amount: "0.5" }),
   *   await gov!.build({ to, amount: "2" })
   * ]
   * const { body } = rollup.signGroup(transactions, [ether!, gov!])
   * const client = rollupClient({ url: "http://node/v1", revision: "v1", fetch: node.fetch })
   * const ids = valueOf(await client.postAtomicGroup(body))
   * const [first] = valueOf(await client.getAtomicGroup({ id: body.atomicGroupId }))
   * console.log(ids.length, first!.state, first!.requestOffset) // => 2 pend 1
   * await node.close()
   * ```
   */
  readonly signGroup: (
    transactions: ReadonlyArray<PostedTransaction>,
    accounts: ReadonlyArray<WalletAccount>
  ) => SignedGroup
  /** Returns the posted transaction with an id, for example after a page was loaded again. */
  readonly transaction: (id: string) => SentTransaction
}

/**
 * Returns a connection to the server at a URL, where it mounts the revision `later`. Reads the
 * identity of the network once. Rejects with RequestFailed, as all its functions do if the server
 * refuses a request or is unreachable.
 *
 * ```ts
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 * import { connect, walletFromSeed } from "rollup-node-api/wallet"
 *
 * const simulation = simulate({ seed: 1 })
 * const node = await openNode({ genesis: simulation.genesis })
 * while (simulation.demoAccounts().length < 2) await node.applyRecord(simulation.next())
 *
 * // over a network: connect({ url: "http://localhost:8080" })
 * const rollup = await connect({ url: "http://node", fetch: node.fetch })
 * const wallet = walletFromSeed(simulation.demoWallet.privateKey)
 * const accounts = await rollup.accounts(wallet)
 * console.log(accounts.map(({ accountIndex }) => accountIndex).join(" ")) // => zk:ETH:296 zk:GOV:297
 * await node.close()
 * ```
 */
export async function connect(
  options: ConnectOptions,
  { signal }: WaitOptions = {}
): Promise<Rollup> {
  const network = valueOf(await getNetwork(options, signal === undefined ? {} : { signal }))
  const connection: Connection = {
    network,
    client: rollupClient({ ...options, prefix: network.prefix as "zk" }),
    wait: options.wait ?? waitFor
  }
  const { client } = connection
  const sentByIndex = new Map<string, SentFrom>()
  const accountOf = (wallet: Wallet, account: later.Account): WalletAccount => {
    const sent = sentByIndex.get(account.accountIndex) ??
      { transactions: [], last: Promise.resolve() }
    sentByIndex.set(account.accountIndex, sent)
    return new WalletAccount(connection, wallet, account, sent)
  }
  const keyOf = ({ publicKey }: Wallet) => formatPublicKey(network.prefix, publicKey)
  const accounts: Rollup["accounts"] = async (wallet, options = {}) => {
    const found: Array<WalletAccount> = []
    for await (const account of client.items("getAccounts", { BJJ: keyOf(wallet) }, options)) {
      found.push(accountOf(wallet, account))
    }
    return found
  }

  return {
    network,
    accounts,
    account: async (wallet, symbolOrIndex, options = {}) => {
      if (!symbolOrIndex.includes(":")) {
        const found = await accounts(wallet, options)
        return found.find(({ token }) => token.symbol === symbolOrIndex) ??
          throwNoAccount(symbolOrIndex, found)
      }
      const account = valueOrNull(await client.getAccount({ accountIndex: symbolOrIndex }, options))
      return account !== null && account.bjj === keyOf(wallet)
        ? accountOf(wallet, account)
        : throwNoAccount(symbolOrIndex, await accounts(wallet, options))
    },
    authorize: async (wallet, { signature, ...options } = {}) => {
      const { address, ethereumKey, publicKey } = wallet
      const signed = signature ??
        (ethereumKey === null ? undefined : signAuthorization(ethereumKey, publicKey, network))
      if (signed === undefined || address === INTERNAL_ADDRESS) {
        throw new InvalidKey(
          address === INTERNAL_ADDRESS
            ? "The wallet of a seed has no Ethereum address: its accounts need no authorization"
            : "The wallet does not have its Ethereum key: pass the signature of authorizationTypedData"
        )
      }
      const posted = { address, publicKey, signature: signed }
      if (!verifyAuthorization(posted, network)) {
        throw new InvalidKey(
          `The signature is not one of the authorization by ${address}: sign authorizationTypedData of this wallet and this network`
        )
      }
      valueOf(await client.postRegister(authorizationBody(posted, network.prefix), options))
    },
    signGroup: (transactions, accounts) => signGroup(network.prefix, transactions, accounts),
    transaction: (id) => sentTransaction(connection, id)
  }
}

const throwNoAccount = (symbolOrIndex: string, found: ReadonlyArray<WalletAccount>): never => {
  const others = found.map(({ accountIndex }) => accountIndex).join(", ")
  throw new NoAccount(
    `The wallet has no account ${symbolOrIndex}: ${
      others === "" ? "it has none yet" : `expected one of ${others}`
    }`
  )
}

/**
 * The wallet does not have the account. The message names the accounts that it has.
 *
 * @example
 * ```ts
 * import { openNode } from "rollup-node-api/embed"
 * import { simulate } from "rollup-node-api/simulator"
 * import { connect, NoAccount, walletFromSeed } from "rollup-node-api/wallet"
 *
 * const node = await openNode({ genesis: simulate({ seed: 1 }).genesis })
 * const rollup = await connect({ url: "http://node", fetch: node.fetch })
 * const wallet = walletFromSeed(new Uint8Array(32).fill(1))
 * const error = await rollup.account(wallet, "ETH").catch((error: unknown) => error)
 * if (error instanceof NoAccount) console.log(error.message)
 * // => The wallet has no account ETH: it has none yet
 * await node.close()
 * ```
 */
export class NoAccount extends Error {
  readonly _tag = "NoAccount"
}
