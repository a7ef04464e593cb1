import { Data, Effect, Result } from "effect"
import { keccak256, signTransaction } from "../../adapters/crypto/mod.ts"
import {
  bodyWriter,
  decodeFloat40,
  EXIT_ACCOUNT,
  FEE_SELECTOR_MAX,
  feeAmount,
  feeFactor,
  type FeeSelector,
  floorFloat40,
  INTERNAL_ADDRESS,
  l2TransactionId,
  later,
  type Network,
  parseAccountIndex,
  parseEthereumAddress,
  parsePrefixedAddress,
  parsePublicKey,
  type PostedTransaction,
  type TransactionId,
  wireContext
} from "../../core/mod.ts"

/** A transfer from an account, with the private key that signs it. */
export interface TransferRequest {
  readonly url: string
  readonly network: Network
  readonly privateKey: Uint8Array
  readonly accountIndex: number
  readonly symbol: string
  /** Whole tokens, as a decimal number. */
  readonly amount: string
  /**
   * An account index, an address, a public key, or `exit`; any account of the token if undefined.
   */
  readonly to: string | undefined
  /** The account's nonce on the server if undefined. */
  readonly nonce: number | undefined
}

/** A posted transfer. */
export interface PostedTransfer {
  readonly id: TransactionId
  readonly posted: PostedTransaction
  readonly feeUSD: number
}

/** Signs a transaction and posts it. Reads nonce, balance and recommended fee from the server. */
export const transfer = Effect.fnUntraced(
  function*(request: TransferRequest): Effect.fn.Return<PostedTransfer, TransferFailed> {
    const { accountIndex, network, privateKey, symbol, url } = request
    const context = wireContext(network, keccak256)
    const account = yield* requestJson<WireAccount>(
      url,
      `/accounts/${context.accountIndex(symbol, accountIndex)}`
    )
    const { recommendedFee } = yield* requestJson<WireState>(url, "/state")
    const destination = yield* destinationOf(request, account)
    const amount = unitsOf(request.amount, account.token.decimals)
    if (amount === undefined || amount === 0n) {
      return yield* new TransferFailed({
        message:
          `Amount ${request.amount} of ${symbol} is invalid: expected more than 0 with at most ${account.token.decimals} decimals`
      })
    }
    const wantedUSD = destination.type === "TransferToEthAddr" ?
      recommendedFee.createAccount
      : destination.type === "TransferToBJJ"
      ? recommendedFee.createAccountInternal
      : recommendedFee.existingAccount
    const worthUSD = (account.token.USD ?? 0) * Number(amount) / 10 ** account.token.decimals
    const fee = feeOfAtLeast(wantedUSD, worthUSD)
    const debit = amount + Result.getOrElse(feeAmount(amount, fee), () => 0n)
    if (BigInt(account.balance) < debit) {
      return yield* new TransferFailed({
        message:
          `The account has ${account.balance} units, expected ${debit} for amount and fee: send less`
      })
    }
    const fields = {
      ...destination,
      tokenId: account.token.id,
      fromAccountIndex: accountIndex,
      amount,
      fee,
      nonce: BigInt(request.nonce ?? account.nonce),
      request: null
    }
    const posted: PostedTransaction = {
      ...fields,
      id: Result.getOrThrow(l2TransactionId(fields, keccak256)),
      signature: signTransaction(privateKey, fields, network.chainId)
    }
    const id = yield* requestJson<TransactionId>(
      url,
      "/transactions-pool",
      bodyWriter(later.bodies.transaction, context, symbol)(posted)
    )
    return { id, posted, feeUSD: worthUSD * feeFactor(fee) }
  }
)

interface WireAccount {
  readonly nonce: number
  readonly balance: string
  readonly token: { readonly id: number; readonly USD: number | null; readonly decimals: number }
}

interface WireState {
  readonly recommendedFee: {
    readonly existingAccount: number
    readonly createAccount: number
    readonly createAccountInternal: number
  }
}

type Destination = Pick<PostedTransaction, "type" | "toAccountIndex" | "toAddress" | "toPublicKey">

const destinationOf = Effect.fnUntraced(function*(
  { accountIndex, network: { prefix }, to, url }: TransferRequest,
  { token }: WireAccount
): Effect.fn.Return<Destination, TransferFailed> {
  const noReceiver = { toAccountIndex: null, toAddress: null, toPublicKey: null }
  if (to === "exit") return { ...noReceiver, type: "Exit", toAccountIndex: EXIT_ACCOUNT }
  let text = to
  if (text === undefined) {
    const { accounts } = yield* requestJson<
      { readonly accounts: ReadonlyArray<{ readonly accountIndex: string }> }
    >(url, `/accounts?tokenIds=${token.id}&limit=2`)
    text = accounts.map((account) =>
      account.accountIndex
    ).find((index) => !index.endsWith(`:${accountIndex}`)) ?? "none"
  }
  const index = parseAccountIndex(prefix, text)
  if (Result.isSuccess(index)) {
    return { ...noReceiver, type: "Transfer", toAccountIndex: index.success }
  }
  const address = Result.orElse(
    parsePrefixedAddress(prefix, text),
    () => parseEthereumAddress(text)
  )
  if (Result.isSuccess(address)) {
    return { ...noReceiver, type: "TransferToEthAddr", toAddress: address.success }
  }
  const publicKey = parsePublicKey(prefix, text)
  if (Result.isSuccess(publicKey)) {
    return {
      ...noReceiver,
      type: "TransferToBJJ",
      toAddress: INTERNAL_ADDRESS,
      toPublicKey: publicKey.success
    }
  }
  return yield* new TransferFailed({
    message:
      `Receiver "${text}" is invalid: expected an account index like ${prefix}:ETH:256, an address like ${prefix}:0x…, a public key like ${prefix}:…, or exit`
  })
})

/**
 * Converts an amount to units of the token, rounded down to a value that a transaction can encode.
 * Returns undefined if it has more decimals than the token.
 */
function unitsOf(amount: string, decimals: number): bigint | undefined {
  const [whole = "0", fraction = ""] = amount.split(".")
  if (fraction.length > decimals) return undefined
  return decodeFloat40(
    Result.getOrThrow(floorFloat40(BigInt(whole + fraction.padEnd(decimals, "0"))))
  )
}

/**
 * Returns the lowest fee worth at least `wantedUSD`; the lowest above zero if the token has no
 * price.
 */
function feeOfAtLeast(wantedUSD: number, worthUSD: number): FeeSelector {
  for (let selector = 1; selector < FEE_SELECTOR_MAX; selector++) {
    if (worthUSD === 0 || worthUSD * feeFactor(selector) >= wantedUSD) return selector
  }
  return FEE_SELECTOR_MAX
}

/** Sends a GET, or a POST if there is a body, and returns the JSON of a successful response. */
const requestJson = <A>(
  url: string,
  path: string,
  body?: string
): Effect.Effect<A, TransferFailed> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: async () => {
        const response = await fetch(
          new URL(path, url),
          body === undefined
            ? {}
            : { method: "POST", body, headers: { "content-type": "application/json" } }
        )
        return {
          ok: response.ok,
          status: response.status,
          answer: await response.json() as A & { readonly detail?: string; readonly title?: string }
        }
      },
      catch: (error) =>
        new TransferFailed({
          message:
            `No response from ${url}: start a server with npm start, or name another one with --url (${
              String(error)
            })`
        })
    }),
    ({ answer, ok, status }) =>
      ok
        ? Effect.succeed(answer)
        : Effect.fail(
          new TransferFailed({
            message: `${path} returned status ${status}: ${
              answer.detail ?? answer.title ?? JSON.stringify(answer)
            }`
          })
        )
  )

/** The transfer failed. If the response to the post was lost, the server may have accepted it. */
export class TransferFailed
  extends Data.TaggedError("TransferFailed")<{ readonly message: string }>
{}
