import * as Result from "effect/Result"
import { feeUnits, type PostedTransaction } from "../../core/domain/mod.ts"
import { type AccountIndex, parseAccountIndex } from "../../core/encoding/mod.ts"
import { postedFaults, refuseFor } from "../../core/use_cases/mod.ts"
import { type later, valueOf } from "../client/mod.ts"
import { keccak256, signTransaction } from "../crypto/mod.ts"
import { ownerAddress, transactionBody } from "./_wire.ts"
import { buildTransaction } from "./_build.ts"
import type { Connection, WaitOptions } from "./_requests.ts"
import type { Wallet } from "./keys.ts"
import { InvalidTransaction, type TransactionRequest } from "./request.ts"
import { type SentTransaction, sentTransaction } from "./transaction.ts"
import { type WithdrawData, withdrawDataOf } from "./withdrawal.ts"

/** Options of the functions that build a transaction. */
export interface BuildOptions extends WaitOptions {
  /**
   * Transactions that were built before this one and not posted by the account: it gets a nonce
   * after theirs, and the balance that they leave. Those of other accounts do not count.
   */
  readonly after?: ReadonlyArray<PostedTransaction>
}

/** An account of a wallet. */
export interface WalletAccount {
  readonly index: AccountIndex
  /** The index as text, such as `zk:ETH:256`. */
  readonly accountIndex: string
  readonly token: later.Token
  /** Returns the account as the server shows it now, with balance and nonce. */
  readonly read: (options?: WaitOptions) => Promise<later.Account>
  /**
   * Builds, checks, signs and posts a transaction. Rejects with InvalidTransaction if it breaks a
   * rule, and with RequestFailed if the server refuses it or is unreachable. Calls for one account
   * run one after the other, so that each gets its own nonce.
   */
  readonly transfer: (
    request: TransactionRequest,
    options?: BuildOptions
  ) => Promise<SentTransaction>
  /** Like `transfer` to `exit`: after it is forged, the exit can be withdrawn on Ethereum. */
  readonly exit: (
    request: Omit<TransactionRequest, "to">,
    options?: BuildOptions
  ) => Promise<SentTransaction>
  /** Builds, checks and signs a transaction without posting it. Rejects as `transfer` does. */
  readonly build: (
    request: TransactionRequest,
    options?: BuildOptions
  ) => Promise<PostedTransaction>
  /**
   * Returns the transaction with a new signature of the wallet, for example after its `request` was
   * set, which is signed. Throws InvalidTransaction if another account sends it, or if it breaks a
   * rule that needs no server.
   */
  readonly sign: <T extends PostedTransaction>(transaction: T) => T
  /** Posts a transaction that `build` returned. Posting it again changes nothing. */
  readonly post: (transaction: PostedTransaction, options?: WaitOptions) => Promise<SentTransaction>
  /** Returns the exits of the account; with `pending` only those that were not withdrawn. */
  readonly exits: (
    options?: WaitOptions & { readonly pending?: boolean }
  ) => Promise<ReadonlyArray<later.Exit>>
  /**
   * Returns the data that withdraw an exit on Ethereum, after its Merkle proof was verified against
   * the exit root of its batch. `exitRoot` is the one that the server names by default; a wallet
   * that does not trust the server reads it from the rollup contract. `instant` is true by default.
   * Rejects with InvalidExit if the proof is wrong.
   */
  readonly withdrawData: (
    exit: later.Exit,
    options?: WaitOptions & { readonly exitRoot?: bigint; readonly instant?: boolean }
  ) => Promise<WithdrawData>
}

/** The transactions of one account that were sent and may not be forged. */
export interface SentFrom {
  transactions: ReadonlyArray<PostedTransaction>
  /** Settles when the last call has built and posted its transaction. */
  last: Promise<unknown>
}

/** Returns the symbol of the token of the transaction that another one requires. */
const requestSymbolOf = async (
  { client }: Connection,
  { id, symbol }: later.Token,
  { request }: PostedTransaction,
  options: WaitOptions
): Promise<string> => {
  const tokenId = request?.tokenId ?? id
  return tokenId === id ? symbol : valueOf(await client.getToken({ id: tokenId }, options)).symbol
}

/** An account of a wallet, and the transactions that were sent from it. */
interface OwnAccount {
  readonly connection: Connection
  readonly wallet: Wallet
  readonly account: later.Account
  readonly index: AccountIndex
  readonly sent: SentFrom
}

/** Returns the account of a wallet. */
export function walletAccount(
  connection: Connection,
  wallet: Wallet,
  account: later.Account,
  sent: SentFrom
): WalletAccount {
  const { accountIndex, token } = account
  const index = Result.getOrThrow(parseAccountIndex(connection.network.prefix, accountIndex))
  const own = { connection, wallet, account, index, sent }
  const transfer: WalletAccount["transfer"] = (request, options) => {
    const build = () => buildFrom(own, request, options)
    const next = sent.last.then(async () => await postFrom(own, await build(), options))
    sent.last = next.catch(() => {})
    return next
  }
  return {
    index,
    accountIndex,
    token,
    read: (options) => readAccount(own, options),
    build: (request, options) => buildFrom(own, request, options),
    sign: (transaction) => signFrom(own, transaction),
    post: (transaction, options) => postFrom(own, transaction, options),
    transfer,
    exit: (request, options) => transfer({ ...request, to: "exit" }, options),
    exits: (options) => exitsOf(own, options),
    withdrawData: (exit, options) => withdrawFrom(own, exit, options)
  }
}

const readAccount = async (
  { account: { accountIndex }, connection: { client } }: OwnAccount,
  options: WaitOptions = {}
): Promise<later.Account> => valueOf(await client.getAccount({ accountIndex }, options))

const buildFrom = async (
  own: OwnAccount,
  request: Parameters<WalletAccount["build"]>[0],
  { after = [], ...options }: Parameters<WalletAccount["build"]>[1] = {}
): ReturnType<WalletAccount["build"]> => {
  const { connection, index, sent, wallet } = own
  const account = await readAccount(own, options)
  sent.transactions = sent.transactions.filter(({ nonce }) => nonce >= account.nonce)
  const known = new Set(sent.transactions.map(({ id }) => id))
  const transactions = [
    ...sent.transactions,
    ...after.filter(({ fromAccountIndex, id, nonce }) =>
      fromAccountIndex === index && nonce >= account.nonce && !known.has(id)
    )
  ]
  return await buildTransaction(
    connection,
    {
      wallet,
      index,
      account,
      nextNonce: freeNonce(account.nonce, transactions),
      committed: transactions.reduce(
        (sum, transaction) => sum + transaction.amount + feeUnits(transaction),
        0n
      )
    },
    request,
    options
  )
}

const postFrom = async (
  { account: { token }, connection, sent }: OwnAccount,
  transaction: PostedTransaction,
  options: WaitOptions = {}
): ReturnType<WalletAccount["post"]> => {
  const { client, network: { prefix } } = connection
  const { symbol } = token
  const requestSymbol = await requestSymbolOf(connection, token, transaction, options)
  const body = transactionBody(transaction, prefix, { symbol, requestSymbol })
  valueOf(await client.postTx(body, options))
  const forget = () => {
    sent.transactions = sent.transactions.filter(({ id }) => id !== transaction.id)
  }
  forget()
  sent.transactions = [...sent.transactions, transaction]
  return sentTransaction(connection, transaction.id, forget)
}

const signFrom = <T extends PostedTransaction>(
  { connection: { network: { chainId, prefix } }, index, wallet }: OwnAccount,
  transaction: T
): T => {
  const refuse = refuseFor({ prefix })
  const sender = transaction.fromAccountIndex
  const faults = [
    ...sender === index ? [] : [
      refuse("fromAccountIndex", sender, `${index}, the account that signs`)
    ],
    ...postedFaults(transaction, refuse, keccak256)
  ]
  if (faults.length > 0) throw new InvalidTransaction(faults)
  return { ...transaction, signature: signTransaction(wallet.privateKey, transaction, chainId) }
}

const exitsOf = async (
  { account: { accountIndex }, connection: { client } }: OwnAccount,
  { pending, ...options }: Parameters<WalletAccount["exits"]>[0] = {}
): ReturnType<WalletAccount["exits"]> => {
  const filter = pending === true ? { accountIndex, onlyPendingWithdraws: true } : { accountIndex }
  const exits: Array<later.Exit> = []
  for await (const exit of client.items("getExits", filter, options)) exits.push(exit)
  return exits
}

const withdrawFrom = async (
  { account, connection: { client, network: { prefix } }, index, wallet }: OwnAccount,
  exit: later.Exit,
  { exitRoot, instant = true, ...options }: Parameters<WalletAccount["withdrawData"]>[1] = {}
): ReturnType<WalletAccount["withdrawData"]> =>
  withdrawDataOf(
    exit,
    {
      accountIndex: index,
      tokenId: account.token.id,
      publicKey: wallet.publicKey,
      address: ownerAddress(account, prefix)
    },
    exitRoot ??
      BigInt(valueOf(await client.getBatch({ batchNum: exit.batchNum }, options)).exitRoot),
    instant
  )

/** Returns the lowest nonce from `nonce` on that no transaction has. */
function freeNonce(nonce: bigint, transactions: ReadonlyArray<PostedTransaction>): bigint {
  const used = new Set(transactions.map(({ nonce }) => nonce))
  let free = nonce
  while (used.has(free)) free++
  return free
}
