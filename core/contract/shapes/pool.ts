import type {
  Authorization,
  PoolTransaction,
  PoolTransactionView,
  RequestedTransaction,
  Token
} from "../../domain/mod.ts"
import {
  accountReference,
  batchNum,
  bigInt,
  dateTime,
  ethSignature,
  feeSelector,
  nonce,
  poolState,
  poolTransactionType,
  prefixedAddress,
  publicKey,
  signature,
  tokenId,
  transactionId
} from "../scalars/mod.ts"
import { field, reference, shape, nullable } from "../wire_type.ts"
import { token } from "./history.ts"

const indexOf = (index: number | null, token: Token | null) =>
  index === null ? null : { symbol: token?.symbol ?? "", index }
const of = <T>(get: (transaction: PoolTransaction) => T) => (view: PoolTransactionView) =>
  get(view.transaction)
const request = <T>(get: (request: RequestedTransaction) => T) => (view: PoolTransactionView) =>
  view.transaction.request === null ? null : get(view.transaction.request)

export const poolTransaction = shape<PoolTransactionView>(
  "PoolL2Transaction",
  "L2 transaction waiting in the pool, as its sender signed it",
  {
    id: field(transactionId, of((t) => t.id)),
    type: field(poolTransactionType, of((t) => t.type)),
    fromAccountIndex: field(
      accountReference,
      (v) => ({ symbol: v.token.symbol, index: v.transaction.fromAccountIndex })
    ),
    fromZkEthereumAddress: field(
      nullable(prefixedAddress),
      (v) => v.sender.address,
      "Owner of the sender's account when the transaction was posted"
    ),
    fromBJJ: field(
      nullable(publicKey),
      (v) => v.sender.publicKey,
      "Key that signed it, of the sender's account"
    ),
    toAccountIndex: field(
      nullable(accountReference),
      (v) => indexOf(v.transaction.toAccountIndex, v.token)
    ),
    toZkEthereumAddress: field(nullable(prefixedAddress), of((t) => t.toAddress)),
    toBjj: field(nullable(publicKey), of((t) => t.toPublicKey)),
    amount: field(bigInt, of((t) => t.amount), "Units of the token"),
    fee: field(feeSelector, of((t) => t.fee)),
    nonce: field(nonce, of((t) => t.nonce)),
    state: field(poolState, of((t) => t.state)),
    signature: field(signature, of((t) => t.signature)),
    timestamp: field(dateTime, of((t) => t.timestampMs), "When the transaction entered the pool"),
    batchNum: field(
      nullable(batchNum),
      of((t) => t.state === "fged" ? t.batchNum : null),
      "Batch that forged it; null until then, and again after a rollback of the batch"
    ),
    requestFromAccountIndex: field(
      nullable(accountReference),
      (v) => indexOf(request((r) => r.fromAccountIndex)(v), v.requestToken)
    ),
    requestToAccountIndex: field(
      nullable(accountReference),
      (v) => indexOf(request((r) => r.toAccountIndex)(v), v.requestToken)
    ),
    requestToZkEthereumAddress: field(nullable(prefixedAddress), request((r) => r.toAddress)),
    requestToBJJ: field(nullable(publicKey), request((r) => r.toPublicKey)),
    requestTokenId: field(nullable(tokenId), request((r) => r.tokenId)),
    requestAmount: field(nullable(bigInt), request((r) => r.amount)),
    requestFee: field(nullable(feeSelector), request((r) => r.fee)),
    requestNonce: field(nullable(nonce), request((r) => r.nonce)),
    token: field(reference(token), (v) => v.token)
  }
)

export const authorization = shape<Authorization>(
  "AccountCreationAuthorization",
  "Authorization to create accounts for a key",
  {
    timestamp: field(dateTime, (a) => a.timestampMs),
    zkEthereumAddress: field(prefixedAddress, (a) => a.address),
    bjj: field(publicKey, (a) => a.publicKey),
    signature: field(ethSignature, (a) => a.signature)
  }
)
