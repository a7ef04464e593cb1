import { randomBytes } from "node:crypto"
import { accountsOf } from "./_accounts.ts"
import { newAuthorization, walletSigner } from "./_authorizing.ts"
import { assertShows, type Checks } from "./_checks.ts"
import { lastBatchMax, laterOf } from "./_expected.ts"
import type { LoadedLibrary } from "./_library.ts"
import {
  checkForging,
  checkGroup,
  checkNextNonce,
  checkRefusal,
  checkTransfer,
  type Sender
} from "./_posts.ts"
import { networkOf, waitUntil } from "./_waiting.ts"

/* Authorizations and transactions that the library builds, signs and posts to a live network. */

export interface Server {
  readonly url: string
  readonly ethereumUrl: string
  /** The Ethereum key of the demo wallet, and the key that `wallet` derives from it. */
  readonly key: string
  readonly publicKey: string
}

/** What the checks of the reads know about the posts. */
export interface Facts {
  /** The owner of the sending accounts, as the library writes them. */
  readonly address: string
  readonly publicKey: string
  /** An address that has posted an authorization. */
  readonly authorized: string
  /** Ids of the forged transactions, by type. */
  readonly ids: Readonly<Record<string, string>>
}

/** A rollback of the simulated network is less deep. */
const finalAfterBlocks = 6

/** Posts each type of transaction and waits until all are forged. */
export const checkPosts = async (
  loaded: LoadedLibrary,
  server: Server,
  checks: Checks
): Promise<Facts> => {
  const { CoordinatorAPI: api, Environment, HermezWallet, Providers, TxPool } = loaded.library
  const later = laterOf(server.url)
  Providers.setProvider(server.ethereumUrl)
  Environment.setEnvironment({ baseApiUrl: server.url })
  TxPool?.initializeTransactionPool()
  const { hermezWallet: wallet } = await HermezWallet.createWalletFromEtherAccount(
    server.ethereumUrl,
    walletSigner(server.key)
  )
  await checks.run(
    "createWalletFromEtherAccount",
    "derives the key of the demo wallet",
    () => assertShows(wallet.publicKeyBase64, server.publicKey)
  )
  const [ether, token] = await accountsOf(later, wallet)
  const sender: Sender = { loaded, checks, wallet, ether, token, ids: {} }
  const { hermezWallet: internal } = await HermezWallet.createWalletFromBjjPvtKey(randomBytes(32))
  const receiver = await newAuthorization(loaded, server.ethereumUrl, checks)

  await checkUrls(loaded, server.url, checks)
  await checkNextNonce(sender)
  await checkRefusal(sender)
  await checkTransfer(sender, "Transfer", {
    to: ether.other,
    ...TxPool === undefined ? { maxNumBatch: lastBatchMax } : {}
  })
  await checkTransfer(sender, "Exit", { type: "Exit" })
  await checkTransfer(sender, "TransferToEthAddr", { to: receiver.hermezEthereumAddress })
  await checkTransfer(sender, "TransferToBJJ", { to: internal.publicKeyBase64 })
  if (api.postAtomicGroup !== undefined) await checkGroup(sender)
  await checkForging(sender)
  // none of the finished transactions counts any more
  const afterwards: Sender = { ...sender, ids: {} }
  await checkNextNonce(afterwards)
  await checkForging(afterwards)
  for (const [i, id] of Object.values(afterwards.ids).entries()) {
    sender.ids[`afterwards ${i + 1}`] = id
  }

  const { lastEthereumBlock } = await networkOf(later)
  await waitUntil(async () =>
    (await networkOf(later)).lastEthereumBlock >= lastEthereumBlock + finalAfterBlocks
  )
  return {
    address: wallet.hermezEthereumAddress,
    publicKey: wallet.publicKeyBase64,
    authorized: receiver.hermezEthereumAddress,
    ids: sender.ids
  }
}

/** Checks the URL of the API, and that the library finds no other server. */
const checkUrls = async (
  { library: { CoordinatorAPI: api } }: LoadedLibrary,
  url: string,
  checks: Checks
): Promise<void> => {
  await checks.run("setBaseApiUrl", "is the URL that getBaseApiUrl returns", async () => {
    api.setBaseApiUrl!("http://other")
    assertShows(api.getBaseApiUrl!(), "http://other")
    api.setBaseApiUrl!(url)
    assertShows(api.getBaseApiUrl!(), url)
  })
  await checks.run(
    "_getPageData",
    "returns the parameters of a page",
    () => assertShows(api._getPageData!(5, "DESC", 3), { fromItem: 5, order: "DESC", limit: 3 })
  )
  await checks.run("getState", "lists this server as the only coordinator", async () => {
    const { network } = await api.getState!() as {
      readonly network: { readonly nextForgers: ReadonlyArray<{ coordinator: { URL: string } }> }
    }
    const urls = new Set(network.nextForgers.map(({ coordinator }) => coordinator.URL))
    assertShows([...urls], [url])
  })
}
