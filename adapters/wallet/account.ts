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

/** The transactions of one account that were sent and may not be forged. */
export interface SentFrom {
  transactions: ReadonlyArray<PostedTransaction>
  /** Settles when the last call has built and posted its transaction. */
  last: Promise<unknown>
}

/** An account of a wallet. Its functions need no `this`. */
export class WalletAccount {
  readonly index: AccountIndex
  /** The index as text, such as `zk:ETH:256`. */
  readonly accountIndex: string
  readonly token: later.Token
  readonly #connection: Connection
  readonly #wallet: Wallet
  readonly #account: later.Account
  readonly #sent: SentFrom

  /** @param account the account as the server shows it */
  constructor(connection: Connection, wallet: Wallet, account: later.Account, sent: SentFrom) {
    const { accountIndex, token } = account
    this.accountIndex = accountIndex
    this.token = token
    this.index = Result.getOrThrow(parseAccountIndex(connection.network.prefix, accountIndex))
    this.#connection = connection
    this.#wallet = wallet
    this.#account = account
    this.#sent = sent
  }

  /** Returns the account as the server shows it now, with balance and nonce. */
  readonly read = async (options: WaitOptions = {}): Promise<later.Account> =>
    valueOf(await this.#connection.client.getAccount({ accountIndex: this.accountIndex }, options))

  /**
   * Builds, checks, signs and posts a transaction. Rejects with InvalidTransaction if it breaks a
   * rule, and with RequestFailed if the server refuses it or is unreachable. Calls for one account
   * run one after the other, so that each gets its own nonce.
   */
  readonly transfer = (
    request: TransactionRequest,
    options?: BuildOptions
  ): Promise<SentTransaction> => {
    const next = this.#sent.last.then(async () =>
      await this.post(await this.build(request, options), options)
    )
    this.#sent.last = next.catch(() => {})
    return next
  }

  /** Like `transfer` to `exit`: after it is forged, the exit can be withdrawn on Ethereum. */
  readonly exit = (
    request: Omit<TransactionRequest, "to">,
    options?: BuildOptions
  ): Promise<SentTransaction> => this.transfer({ ...request, to: "exit" }, options)

  /** Builds, checks and signs a transaction without posting it. Rejects as `transfer` does. */
  readonly build = async (
    request: TransactionRequest,
    { after = [], ...options }: BuildOptions = {}
  ): Promise<PostedTransaction> => {
    const sent = this.#sent
    const account = await this.read(options)
    sent.transactions = sent.transactions.filter(({ nonce }) => nonce >= account.nonce)
    const known = new Set(sent.transactions.map(({ id }) => id))
    const transactions = [
      ...sent.transactions,
      ...after.filter(({ fromAccountIndex, id, nonce }) =>
        fromAccountIndex === this.index && nonce >= account.nonce && !known.has(id)
      )
    ]
    const committed = transactions.reduce(
      (sum, transaction) => sum + transaction.amount + feeUnits(transaction),
      0n
    )
    const nextNonce = freeNonce(account.nonce, transactions)
    return await buildTransaction(
      this.#connection,
      { wallet: this.#wallet, index: this.index, account, nextNonce, committed },
      request,
      options
    )
  }

  /**
   * Returns the transaction with a new signature of the wallet, for example after its `request` was
   * set, which is signed. Throws InvalidTransaction if another account sends it, or if it breaks a
   * rule that needs no server.
   */
  readonly sign = <T extends PostedTransaction>(transaction: T): T => {
    const { network: { chainId, prefix } } = this.#connection
    const refuse = refuseFor({ prefix })
    const sender = transaction.fromAccountIndex
    const faults = [
      ...sender === this.index ? [] : [
        refuse("fromAccountIndex", sender, `${this.index}, the account that signs`)
      ],
      ...postedFaults(transaction, refuse, keccak256)
    ]
    if (faults.length > 0) throw new InvalidTransaction(faults)
    const signature = signTransaction(this.#wallet.privateKey, transaction, chainId)
    return { ...transaction, signature }
  }

  /** Posts a transaction that `build` returned. Posting it again changes nothing. */
  readonly post = async (
    transaction: PostedTransaction,
    options: WaitOptions = {}
  ): Promise<SentTransaction> => {
    const { client, network: { prefix } } = this.#connection
    const { id, symbol } = this.token
    const requested = transaction.request?.tokenId ?? id
    const requestSymbol = requested === id
      ? symbol
      : valueOf(await client.getToken({ id: requested }, options)).symbol
    const body = transactionBody(transaction, prefix, { symbol, requestSymbol })
    valueOf(await client.postTx(body, options))
    const sent = this.#sent
    const forget = () => {
      sent.transactions = sent.transactions.filter(({ id }) => id !== transaction.id)
    }
    forget()
    sent.transactions = [...sent.transactions, transaction]
    return sentTransaction(this.#connection, transaction.id, forget)
  }

  /** Returns the exits of the account; with `pending` only those that were not withdrawn. */
  readonly exits = async (
    { pending, ...options }: WaitOptions & { readonly pending?: boolean } = {}
  ): Promise<ReadonlyArray<later.Exit>> => {
    const { accountIndex } = this
    const filter = pending === true
      ? { accountIndex, onlyPendingWithdraws: true }
      : { accountIndex }
    const exits: Array<later.Exit> = []
    const items = this.#connection.client.items("getExits", filter, options)
    for await (const exit of items) exits.push(exit)
    return exits
  }

  /**
   * Returns the data that withdraw an exit on Ethereum, after its Merkle proof was verified against
   * the exit root of its batch. `exitRoot` is the one that the server names by default; a wallet
   * that does not trust the server reads it from the rollup contract. `instant` is true by default.
   * Rejects with InvalidExit if the proof is wrong.
   */
  readonly withdrawData = async (
    exit: later.Exit,
    { exitRoot, instant = true, ...options }: WaitOptions & {
      readonly exitRoot?: bigint
      readonly instant?: boolean
    } = {}
  ): Promise<WithdrawData> => {
    const { batchNum } = exit
    const { client, network } = this.#connection
    return withdrawDataOf(
      exit,
      {
        accountIndex: this.index,
        tokenId: this.token.id,
        publicKey: this.#wallet.publicKey,
        address: ownerAddress(this.#account, network.prefix)
      },
      exitRoot ?? BigInt(valueOf(await client.getBatch({ batchNum }, options)).exitRoot),
      instant
    )
  }
}

/** Returns the lowest nonce from `nonce` on that no transaction has. */
function freeNonce(nonce: bigint, transactions: ReadonlyArray<PostedTransaction>): bigint {
  const used = new Set(transactions.map(({ nonce }) => nonce))
  let free = nonce
  while (used.has(free)) free++
  return free
}
