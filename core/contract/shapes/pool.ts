import { type PoolTransactionView, type SkipCode, skipCodes, type Token } from "../../domain/mod.ts"
import {
  accountReference,
  batchNum,
  bigInt,
  count,
  dateTime,
  ethSignature,
  feeSelector,
  itemId,
  nonce,
  poolState,
  poolTransactionType,
  positionInGroup,
  prefixedAddress,
  publicKey,
  signature,
  text,
  tokenId,
  transactionId
} from "../scalars/mod.ts"
import { documented, named, nullable, object, shape, shapeOf } from "../objects/mod.ts"
import { token } from "./history.ts"

/** The fields after `token` are those of `v1`. */
export const poolTransaction = object(
  "PoolL2Transaction",
  "L2 transaction waiting in the pool, as its sender signed it",
  {
    id: transactionId,
    type: poolTransactionType,
    fromAccountIndex: accountReference,
    fromAddress: named(
      "fromZkEthereumAddress",
      nullable(prefixedAddress),
      "Owner of the sender's account when the transaction was posted"
    ),
    fromPublicKey: named(
      "fromBJJ",
      nullable(publicKey),
      "Key that signed it, of the sender's account"
    ),
    toAccountIndex: nullable(accountReference),
    toAddress: named("toZkEthereumAddress", nullable(prefixedAddress)),
    toPublicKey: named("toBjj", nullable(publicKey)),
    amount: documented(bigInt, "Units of the token"),
    fee: feeSelector,
    nonce,
    state: poolState,
    signature,
    timestampMs: named("timestamp", dateTime, "When the transaction entered the pool"),
    batchNum: documented(
      nullable(batchNum),
      "Batch that forged it; null until then, and again after a rollback of the batch"
    ),
    requestFromAccountIndex: nullable(accountReference),
    requestToAccountIndex: nullable(accountReference),
    requestToAddress: named("requestToZkEthereumAddress", nullable(prefixedAddress)),
    requestToPublicKey: named("requestToBJJ", nullable(publicKey)),
    requestTokenId: nullable(tokenId),
    requestAmount: nullable(bigInt),
    requestFee: nullable(feeSelector),
    requestNonce: nullable(nonce),
    token,
    itemId: documented(itemId, "Increases with every transaction that enters the pool"),
    info: documented(
      nullable(text),
      "Why the last selection skipped it, or why it is invalid; null if the reason is gone"
    ),
    errorCode: documented(nullable(count), "Number of the reason of the last selection"),
    errorType: documented(nullable(text), "Name of the reason of the last selection"),
    toPublicKeyAgain: named("toBJJ", nullable(publicKey), "The same as toBjj"),
    maxNumBatch: documented(
      batchNum,
      "Last batch that may forge it; 0 means without limit"
    ),
    requestOffset: documented(
      positionInGroup,
      "Position of the required transaction in the group; 0 if there is no group"
    )
  }
)

/** The published names of the reasons for which a selection skips a transaction. */
const skipTypes: { readonly [C in SkipCode]: string } = {
  [skipCodes.maxNumBatchPassed]: "ErrUnsupportedMaxNumBatch",
  [skipCodes.notEnoughBalance]: "ErrSenderNotEnoughBalance",
  [skipCodes.notCurrentNonce]: "ErrNoCurrentNonce",
  [skipCodes.noSpaceForAccount]: "ErrNotEnoughSpaceL1Coordinator",
  [skipCodes.destinationCannotBeCreated]: "ErrTxDiscartedInProcessTxToEthAddrBJJ",
  [skipCodes.receiverNotFound]: "ErrToIdxNotFound",
  [skipCodes.cannotBeProcessed]: "ErrTxDiscartedInProcessL2Tx",
  [skipCodes.noAvailableSlots]: "ErrNoAvailableSlots",
  [skipCodes.requestedNotForged]: "ErrInvalidAtomicGroup"
}

export const poolTransactionView = (view: PoolTransactionView) => {
  const { itemId, requestToken, sender, skipped, token, transaction } = view
  const { request } = transaction
  return {
    ...transaction,
    fromAccountIndex: { symbol: token.symbol, index: transaction.fromAccountIndex },
    fromAddress: sender.address,
    fromPublicKey: sender.publicKey,
    toAccountIndex: referenceTo(transaction.toAccountIndex, token),
    batchNum: transaction.state === "fged" ? transaction.batchNum : null,
    requestFromAccountIndex: referenceTo(request?.fromAccountIndex, requestToken),
    requestToAccountIndex: referenceTo(request?.toAccountIndex, requestToken),
    requestToAddress: request?.toAddress ?? null,
    requestToPublicKey: request?.toPublicKey ?? null,
    requestTokenId: request?.tokenId ?? null,
    requestAmount: request?.amount ?? null,
    requestFee: request?.fee ?? null,
    requestNonce: request?.nonce ?? null,
    token,
    itemId,
    info: infoOf(view),
    errorCode: skipped?.code ?? null,
    errorType: skipped === null ? null : skipTypes[skipped.code],
    toPublicKeyAgain: transaction.toPublicKey,
    maxNumBatch: transaction.maxNumBatch ?? 0,
    requestOffset: transaction.group?.requestOffset ?? 0
  }
}

const referenceTo = (index: number | null | undefined, token: Token | null) =>
  index === null || index === undefined ? null : { symbol: token?.symbol ?? "", index }

const infoOf = ({ invalidReason, skipped, transaction }: PoolTransactionView): string | null => {
  const reason = skipped?.reason ?? invalidReason
  return reason === null
    ? null
    : `BatchNum: ${skipped?.batchNum ?? transaction.batchNum ?? 0}. ${reason}`
}

export const poolTransactionShape = shape(poolTransaction, poolTransactionView)

export const authorization = shapeOf(object(
  "AccountCreationAuthorization",
  "Authorization to create accounts for a key",
  {
    timestampMs: named("timestamp", dateTime),
    address: named("zkEthereumAddress", prefixedAddress),
    publicKey: named("bjj", publicKey),
    signature: ethSignature
  }
))
