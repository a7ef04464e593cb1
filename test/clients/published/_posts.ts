import type { Account } from "./_accounts.ts"
import { assertShows, type Checks, refusalOf, rule } from "./_checks.ts"
import { postedTransaction } from "./_expected.ts"
import type { LibraryWallet, LoadedLibrary, Transfer, Value } from "./_library.ts"
import { waitUntil, waitUntilForged } from "./_waiting.ts"

/** The sender of the transactions, and what it has sent. */
export interface Sender {
  readonly loaded: LoadedLibrary
  readonly checks: Checks
  readonly wallet: LibraryWallet
  /** The nonce of an account grows with each accepted transaction. */
  readonly ether: Account
  readonly token: Account
  /** Ids of the accepted transactions. */
  readonly ids: Record<string, string>
}

/** Whole tokens. */
const fee = 0.0005

/** Returns a signed transaction of an account, with its next nonce. */
const signed = async (
  { loaded: { library }, wallet }: Sender,
  account: Account,
  { units, ...transfer }: Partial<Transfer> & { readonly units: string }
): Promise<Value> => {
  const { HermezCompressedAmount, TxUtils } = library
  const { encodedTransaction, transaction } = await TxUtils.generateL2Transaction(
    {
      from: account.accountIndex,
      amount: HermezCompressedAmount.compressAmount(units),
      fee,
      nonce: account.nonce,
      ...transfer
    },
    wallet.publicKeyCompressedHex,
    account.token
  )
  return wallet.signTransaction(transaction, encodedTransaction)
}

export const checkNextNonce = ({ checks, ether, ids, loaded, wallet }: Sender): Promise<void> =>
  checks.run("Tx.generateAndSendL2Tx", "finds the next nonce itself, twice", async () => {
    const { HermezCompressedAmount, Tx } = loaded.library
    const amount = HermezCompressedAmount.compressAmount("1000000000")
    const transfer = { from: ether.accountIndex, to: ether.other, amount, fee }
    for (const i of [0, 1]) {
      const sent = await Tx.generateAndSendL2Tx(transfer, wallet, ether.token)
      assertShows(sent, { status: 200, id: rule("an id", (id) => String(id).startsWith("0x02")) })
      ids[`generated ${i + 1}`] = sent.id
      ether.nonce = sent.nonce + 1
    }
  })

export const checkRefusal = (sender: Sender): Promise<void> =>
  sender.checks.run("postPoolTransaction", "a wrong signature: refused, posted once", async () => {
    const { ether, loaded: { library, posts } } = sender
    const transaction = await signed(sender, ether, { to: ether.other, units: "1" })
    const before = posts.length
    const refused = await refusalOf(
      library.CoordinatorAPI.postPoolTransaction!({ ...transaction, signature: "0".repeat(128) })
    )
    assertShows(refused, { status: 400, code: 11, type: "ErrInvalidSignature" })
    assertShows(posts.length - before, 1)
  })

/** Posts a transaction of a type, twice as the library does for two coordinators. */
export const checkTransfer = async (
  sender: Sender,
  type: string,
  destination: Partial<Transfer>
): Promise<void> => {
  const { checks, ether, ids, loaded: { library: { CoordinatorAPI: api }, posts } } = sender
  await checks.run("postPoolTransaction", `${type} is accepted, posted once`, async () => {
    const transaction = await signed(sender, ether, { ...destination, units: "10000000000000000" })
    const { id } = transaction
    assertShows(transaction, { type })
    const before = posts.length
    for (const count of [1, 2]) {
      assertShows(await api.postPoolTransaction!(transaction), { status: 200, data: id })
      assertShows(posts.length - before, count)
    }
    ids[type] = String(id)
    ether.nonce++
    assertShows(await api.getPoolTransaction!(id), postedTransaction(transaction))
  })
}

/** Posts two transfers, of ether and of a token, each of which requires the other. */
export const checkGroup = (sender: Sender): Promise<void> =>
  sender.checks.run("postAtomicGroup", "two linked transfers are accepted", async () => {
    const { ether, ids, loaded: { library }, token, wallet } = sender
    const { buildAtomicTransaction, generateAtomicGroup } = library.AtomicUtils!
    const units = "20000000000000000"
    const first = await signed(sender, ether, { to: ether.other, units })
    const second = await signed(sender, token, { to: token.other, units })
    const group = generateAtomicGroup([
      await buildAtomicTransaction(first, wallet, second),
      await buildAtomicTransaction(second, wallet, first)
    ])
    const members = [String(first.id), String(second.id)]
    assertShows(await library.CoordinatorAPI.postAtomicGroup!(group), {
      status: 200,
      data: members
    })
    for (const [i, id] of members.entries()) ids[`in a group ${i + 1}`] = id
  })

export const checkForging = async ({ checks, ids, loaded }: Sender): Promise<void> => {
  const { CoordinatorAPI: api } = loaded.library
  for (const [name, id] of Object.entries(ids)) {
    await checks.run("getPoolTransaction", `${name} is followed to fged`, async () => {
      const batchNum = await waitUntilForged(api, id)
      // the state is fged when the batch is sent; the history has it when the batch is stored
      const stored = () => api.getHistoryTransaction!(id).catch(() => null)
      await waitUntil(async () => await stored() !== null)
      assertShows(await stored(), { id, batchNum })
    })
  }
}
