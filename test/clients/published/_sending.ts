import { randomBytes } from "node:crypto"
import { newAuthorization, walletSigner } from "./_authorizing.ts"
import { assertShows, type Checks, refusalOf, rule } from "./_checks.ts"
import { type Later, laterOf } from "./_expected.ts"
import type { LibraryWallet, LoadedLibrary, Transfer, Value } from "./_library.ts"

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

const forgingTimeoutMs = 180_000
/** A rollback of the simulated network is less deep. */
const finalAfterBlocks = 6

/** Posts each type of transaction and waits until all are forged. */
export const checkPosts = async (
  loaded: LoadedLibrary,
  server: Server,
  checks: Checks
): Promise<Facts> => {
  const { library, posts } = loaded
  const { CoordinatorAPI: api, HermezWallet, Tx, TxPool } = library
  const later = laterOf(server.url)
  library.Providers.setProvider(server.ethereumUrl)
  library.Environment.setEnvironment({ baseApiUrl: server.url })
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
  const ids: Record<string, string> = {}
  const { hermezWallet: internal } = await HermezWallet.createWalletFromBjjPvtKey(randomBytes(32))
  const receiver = await newAuthorization(loaded, server.ethereumUrl, checks)

  await checks.run("setBaseApiUrl", "is the URL that getBaseApiUrl returns", async () => {
    api.setBaseApiUrl!("http://other")
    assertShows(api.getBaseApiUrl!(), "http://other")
    api.setBaseApiUrl!(server.url)
    assertShows(api.getBaseApiUrl!(), server.url)
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
    assertShows([...new Set(network.nextForgers.map(({ coordinator }) => coordinator.URL))], [
      server.url
    ])
  })

  /** Whole tokens; the library compresses amounts to 40 bits. */
  const amount = (units: string) => library.HermezCompressedAmount.compressAmount(units)
  const fee = 0.0005
  const signed = async (transfer: Transfer, { token }: Account): Promise<Value> => {
    const { encodedTransaction, transaction } = await library.TxUtils.generateL2Transaction(
      transfer,
      wallet.publicKeyCompressedHex,
      token
    )
    return wallet.signTransaction(transaction, encodedTransaction)
  }

  await checks.run("Tx.generateAndSendL2Tx", "finds the next nonce itself, twice", async () => {
    const transfer = {
      from: ether.accountIndex,
      to: ether.other,
      amount: amount("1000000000"),
      fee
    }
    for (const i of [0, 1]) {
      const sent = await Tx.generateAndSendL2Tx(transfer, wallet, ether.token)
      assertShows(sent, { status: 200, id: rule("an id", (id) => String(id).startsWith("0x02")) })
      ids[`generated ${i + 1}`] = sent.id
      ether.nonce = sent.nonce + 1
    }
  })

  await checks.run(
    "postPoolTransaction",
    "a wrong signature: our refusal, posted once",
    async () => {
      const transfer = { from: ether.accountIndex, to: ether.other, amount: amount("1"), fee }
      const transaction = await signed({ ...transfer, nonce: ether.nonce }, ether)
      const before = posts.length
      const refused = await refusalOf(
        api.postPoolTransaction!({ ...transaction, signature: "0".repeat(128) })
      )
      assertShows(refused, { status: 400, code: 11, type: "ErrInvalidSignature" })
      assertShows(posts.length - before, 1)
    }
  )

  const transfers = {
    Transfer: { to: ether.other },
    Exit: { type: "Exit" },
    TransferToEthAddr: { to: receiver.hermezEthereumAddress },
    TransferToBJJ: { to: internal.publicKeyBase64 }
  }
  for (const [type, destination] of Object.entries(transfers)) {
    await checks.run("postPoolTransaction", `${type} is accepted, posted once`, async () => {
      const transfer = { from: ether.accountIndex, amount: amount("10000000000000000"), fee }
      const transaction = await signed({ ...transfer, ...destination, nonce: ether.nonce }, ether)
      assertShows(transaction.type, type)
      const before = posts.length
      for (let i = 1; i <= 2; i++) {
        // the library posts the same transaction to several coordinators
        assertShows(await api.postPoolTransaction!(transaction), {
          status: 200,
          data: transaction.id
        })
        assertShows(posts.length - before, i)
      }
      ids[type] = String(transaction.id)
      ether.nonce++
    })
  }

  if (api.postAtomicGroup !== undefined) {
    await checks.run("postAtomicGroup", "two linked transfers are accepted", async () => {
      const { buildAtomicTransaction, generateAtomicGroup } = library.AtomicUtils!
      const built = await Promise.all([ether, token].map(async (account) =>
        await signed({
          from: account.accountIndex,
          to: account.other,
          amount: amount("20000000000000000"),
          fee,
          nonce: account.nonce
        }, account)
      ))
      const group = generateAtomicGroup([
        await buildAtomicTransaction(built[0]!, wallet, built[1]!),
        await buildAtomicTransaction(built[1]!, wallet, built[0]!)
      ])
      const members = (group.transactions as ReadonlyArray<Value>).map(({ id }) => String(id))
      assertShows(await api.postAtomicGroup!(group), { status: 200, data: members })
      ids["in a group 1"] = members[0]!
      ids["in a group 2"] = members[1]!
    })
  }

  for (const [name, id] of Object.entries(ids)) {
    await checks.run("getPoolTransaction", `${name} is followed to fged`, async () => {
      const batchNum = await forged(api, id)
      // the state is fged when the batch is sent; the history has it when the batch is stored
      const stored = async () => await api.getHistoryTransaction!(id).catch(() => null) as Value
      await until(async () => await stored() !== null)
      assertShows(await stored(), { id, batchNum })
    })
  }
  const { lastEthereumBlock } = await networkOf(later)
  await until(async () =>
    (await networkOf(later)).lastEthereumBlock >= lastEthereumBlock + finalAfterBlocks
  )
  return {
    address: wallet.hermezEthereumAddress,
    publicKey: wallet.publicKeyBase64,
    authorized: receiver.hermezEthereumAddress,
    ids
  }
}

interface Account {
  readonly accountIndex: string
  readonly token: Value
  /** Another account of the token. */
  readonly other: string
  nonce: number
}

interface AccountAnswer {
  readonly accountIndex: string
  readonly nonce: number
  readonly token: Value
}

/** Returns the accounts of ether and of the first token. */
const accountsOf = async (
  later: Later,
  { hermezEthereumAddress }: LibraryWallet
): Promise<readonly [Account, Account]> => {
  const accounts = async (query: string) =>
    (await later(`/accounts?${query}`)).accounts as ReadonlyArray<AccountAnswer>
  const own = await accounts(`hezEthereumAddress=${hermezEthereumAddress}&tokenIds=0,1`)
  const found = await Promise.all(own.map(async ({ accountIndex, nonce, token }) => {
    const [first] = await accounts(`tokenIds=${token.id}&limit=1`)
    return { accountIndex, token, other: first!.accountIndex, nonce }
  }))
  if (found.length !== 2) throw new Error(`${hermezEthereumAddress} has ${found.length} accounts`)
  return [found[0]!, found[1]!]
}

/** Waits until a transaction is forged; returns its batch. */
const forged = async (api: LoadedLibrary["library"]["CoordinatorAPI"], id: string) => {
  let shown: Value = {}
  await until(async () => {
    shown = await api.getPoolTransaction!(id) as Value
    if (shown.state === "invl") throw new Error(`${id} is invalid: ${JSON.stringify(shown)}`)
    return shown.state === "fged"
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${JSON.stringify(shown)}`)
  })
  return shown.batchNum
}

const networkOf = async (later: Later) =>
  (await later("/state")).network as { readonly lastEthereumBlock: number }

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  for (const end = Date.now() + forgingTimeoutMs; !(await holds());) {
    if (Date.now() > end) throw new Error(`Not within ${forgingTimeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
