import * as Result from "effect/Result"
import type { InputFault } from "../../core/contract/mod.ts"
import { feeUnits, type PostedTransaction, valueUSD } from "../../core/domain/mod.ts"
import {
  type AccountIndex,
  formatAccountIndex,
  INTERNAL_ADDRESS,
  isUserAccount,
  l2TransactionId
} from "../../core/encoding/mod.ts"
import { ledgerFaults, postedFaults, type Refuse, refuseFor } from "../../core/use_cases/mod.ts"
import { type later, valueOf } from "../client/mod.ts"
import { keccak256, signTransaction } from "../crypto/mod.ts"
import { feeWorth, unitsOf } from "./amount.ts"
import { type Destination, parseDestination } from "./_destination.ts"
import { type Connection, valueOrNull, type WaitOptions } from "./_requests.ts"
import { InvalidTransaction, type TransactionRequest } from "./request.ts"
import { ownerAddress } from "./_wire.ts"
import type { Wallet } from "./keys.ts"

/** The sender: its account as the server shows it now, and what was sent from it since. */
export interface Sender {
  readonly wallet: Wallet
  readonly index: AccountIndex
  readonly account: later.Account
  /** The lowest nonce that no sent transaction has. */
  readonly nextNonce: bigint
  /** Units that the sent transactions take. */
  readonly committed: bigint
}

/**
 * Returns the signed transaction of a request. Throws InvalidTransaction with every rule that it
 * breaks: those of the server, which are the same functions, and those that protect the sender.
 */
export async function buildTransaction(
  connection: Connection,
  { account, committed, index, nextNonce, wallet }: Sender,
  request: TransactionRequest,
  options: WaitOptions
): Promise<PostedTransaction> {
  const { chainId, prefix } = connection.network
  const refuse = refuseFor({ prefix })
  const { token } = account
  const to = String(request.to)
  const destination = parseDestination(prefix, to)
  const amount = typeof request.amount === "bigint"
    ? request.amount
    : unitsOf(request.amount, token.decimals)
  const nonce = request.nonce ?? nextNonce
  const isNonce = typeof nonce === "bigint" || Number.isInteger(nonce)
  if (Result.isFailure(destination) || amount === undefined || !isNonce) {
    throw new InvalidTransaction([
      ...Result.isFailure(destination) ? [refuse("to", to, destination.failure)] : [],
      ...amount === undefined
        ? [refuse(
          "amount",
          String(request.amount),
          `a decimal number of ${token.symbol} with at most ${token.decimals} decimals`
        )]
        : [],
      ...isNonce ? [] : [refuse("nonce", String(nonce), "an integer")]
    ])
  }
  const price = { priceUSD: token.USD, decimals: token.decimals }
  const fields = {
    ...destination.success,
    tokenId: token.id,
    fromAccountIndex: index,
    amount,
    fee: request.fee ?? feeWorth(
      await recommendedFeeUSD(connection, destination.success, options),
      // a negative amount is refused below
      amount < 0n ? 0 : valueUSD(price, amount) ?? 0
    ),
    nonce: BigInt(nonce),
    request: null
  }
  const id = Result.getOrElse(l2TransactionId(fields, keccak256), () => "")
  const posted = { ...fields, id, signature: "" }
  failIfAny(postedFaults(posted, refuse, keccak256))
  const receiver = await receiverOf(
    connection,
    { symbol: token.symbol, to },
    destination.success,
    options
  )
  failIfAny([
    ...ledgerFaults(
      posted,
      {
        sender: { tokenId: token.id, nonce: account.nonce },
        receiver,
        token: price,
        lastBatchNum: 0
      },
      { minFeeUSD: 0, maxFeeUSD: Infinity },
      refuse
    ),
    ...balanceFaults(posted, BigInt(account.balance) - committed, refuse),
    ...ownerAddress(account, prefix) === INTERNAL_ADDRESS ? exitFaults(posted, refuse) : []
  ])
  return { ...posted, signature: signTransaction(wallet.privateKey, posted, chainId) }
}

function failIfAny(faults: ReadonlyArray<InputFault>): void {
  if (faults.length > 0) throw new InvalidTransaction(faults)
}

/** The server accepts a transaction without funds, and leaves it pending. */
function balanceFaults(
  posted: PostedTransaction,
  available: bigint,
  refuse: Refuse
): ReadonlyArray<InputFault> {
  const debit = posted.amount + feeUnits(posted)
  return debit <= available ? [] : [
    refuse(
      "amount",
      posted.amount,
      `at most the ${available} units that the account can send, found ${debit} with the fee`
    )
  ]
}

/** The server accepts the exit of an internal account, which no Ethereum address can withdraw. */
function exitFaults(
  { toAccountIndex, type }: PostedTransaction,
  refuse: Refuse
): ReadonlyArray<InputFault> {
  return type !== "Exit" ? [] : [
    refuse(
      "toAccountIndex",
      toAccountIndex,
      "a transfer to an account with an Ethereum address, since an internal account cannot withdraw"
    )
  ]
}

/** Returns the fee in US dollars that the coordinator recommends. */
async function recommendedFeeUSD(
  { client }: Connection,
  { type }: Destination,
  options: WaitOptions
): Promise<number> {
  const { recommendedFee } = valueOf(await client.getState({}, options))
  return type === "TransferToEthAddr"
    ? recommendedFee.createAccount
    : type === "TransferToBJJ"
    ? recommendedFee.createAccountInternal
    : recommendedFee.existingAccount
}

/**
 * Returns the account that receives; null if it does not exist, or if no account is named. Throws
 * InvalidTransaction if the text `to` has another symbol than that of the account's token.
 *
 * @param symbol that of the sender's token
 */
async function receiverOf(
  { client, network: { prefix } }: Connection,
  { symbol, to }: { readonly symbol: string; readonly to: string },
  { toAccountIndex }: Destination,
  options: WaitOptions
): Promise<{ readonly tokenId: number } | null> {
  if (toAccountIndex === null || !isUserAccount(toAccountIndex)) return null
  const find = async (accountIndex: string) =>
    valueOrNull(await client.getAccount({ accountIndex }, options))
  const account = await find(to)
  if (account !== null) return { tokenId: account.token.id }
  const right = formatAccountIndex(prefix, symbol, toAccountIndex)
  if (right !== to && await find(right) !== null) {
    const expected = `${right}, the account with this number`
    throw new InvalidTransaction([refuseFor({ prefix })("toAccountIndex", to, expected)])
  }
  return null
}
