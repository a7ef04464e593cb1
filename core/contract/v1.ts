import { Result } from "effect"
import {
  type AuctionConstants,
  type AuctionVariables,
  type Batch,
  type Bucket,
  type ExitView,
  type L1Part,
  type Metrics,
  type NetworkConstants,
  type NetworkState,
  type NodeStatus,
  type PoolTransactionView,
  type PostedAuthorization,
  type PostedTransaction,
  protocol,
  type SkipCode,
  skipCodes,
  type SlotView,
  values,
  type WithdrawalDelayerConstants
} from "../domain/mod.ts"
import {
  type Bodies,
  type Body,
  type BodyField,
  bodies,
  groupOf,
  optional,
  requestProperties,
  transactionDoc
} from "./bodies/mod.ts"
import { later } from "./later.ts"
import { pendingItems } from "./page.ts"
import { publishedRules } from "./request_rules.ts"
import type { Revision } from "./revision.ts"
import {
  accountReference,
  batchNum,
  bigInt,
  bigNumber,
  count,
  hash,
  integer,
  itemId,
  number,
  oneOf,
  prefixedAddress,
  publicKey,
  slotNum,
  text
} from "./scalars/mod.ts"
import * as shapes from "./shapes/mod.ts"
import { publishedError, publishedErrorTypes } from "./published_errors.ts"
import { field, nullable, reference, revise, shape, type WireType } from "./wire_type.ts"

/** What the dialect shows if the feed does not have the hash: it allows no null. */
const unknownHash = `0x${"0".repeat(64)}`

const transaction = shapes.historyTransaction(revise(shapes.l1Info, {
  put: {
    ethereumTxHash: field(
      hash,
      (l1: L1Part) => l1.ethereumTxHash ?? unknownHash,
      "Ethereum transaction that queued it or forged it; zero if unknown"
    ),
    l1Fee: field(
      nullable(bigInt),
      (l1: L1Part) => l1.l1Fee ?? null,
      "Fee of that Ethereum transaction in wei; null if unknown"
    )
  }
}))
const batch = revise(shapes.batch, {
  put: {
    forgedTransactions: field(count, (b: Batch) => b.forgedTransactions, "Number of transactions"),
    ethereumTxHash: field(
      hash,
      (b: Batch) => b.ethereumTxHash ?? unknownHash,
      "Ethereum transaction that forged the batch; zero if unknown"
    )
  }
})
const bid = revise(shapes.bid, { omit: ["withdrawAddr"] })

const bucket = revise(shapes.bucket, {
  omit: ["blockWithdrawalRate"],
  put: {
    blockStamp: field(bigInt, (b: Bucket) => b.blockStamp, "Block of the last change"),
    withdrawals: field(
      bigInt,
      (b: Bucket) => b.withdrawals,
      "Withdrawals that were left after the last change"
    ),
    rateBlocks: field(
      bigInt,
      (b: Bucket) => b.blockWithdrawalRate,
      "Blocks after which rateWithdrawals more are allowed"
    ),
    rateWithdrawals: field(bigInt, (b: Bucket) => b.rateWithdrawals ?? 1n),
    maxWithdrawals: field(bigInt, (b: Bucket) => b.maxWithdrawals)
  }
})

const publicConstants = revise(shapes.publicConstants, {
  rename: {
    governanceToken: "tokenHEZ",
    auctionAddress: "hermezAuctionContract",
    governanceAddress: "hermezGovernanceAddress",
    withdrawalDelayerAddress: "withdrawDelayerContract"
  }
})

const configRollup = revise(shapes.configRollup(publicConstants), {
  put: {
    limitDepositAmount: field(
      bigNumber,
      () => protocol.limitDepositAmount,
      "Deposits stay below"
    ),
    limitL2TransferAmount: field(
      bigNumber,
      () => protocol.limitL2TransferAmount,
      "Transfers stay below"
    )
  }
})

const configAuction = revise(shapes.configAuction, {
  rename: { governanceToken: "tokenHEZ", rollupAddress: "hermezRollup" },
  put: {
    initialMinimalBidding: field(
      bigNumber,
      (c: AuctionConstants) => c.initialMinimalBidding,
      "Units of the governance token"
    )
  }
})

const configWithdrawalDelayer = revise<WithdrawalDelayerConstants>(
  shapes.configWithdrawalDelayer,
  { rename: { rollupAddress: "hermezRollup" } }
)

/** The chain identifier is part of the network, not of the constants of its contracts. */
const chainId: WireType<unknown> = {
  ...count,
  write: ({ network }) => () => String(network.chainId),
  valueIn: ({ network }) => () => network.chainId
}

const node = shape<NodeStatus>("StateNode", "What the node adds to the state of the network", {
  forgeDelay: field(
    number,
    (n) => n.forgeDelaySeconds,
    "Seconds that the coordinator waits between two batches"
  ),
  poolLoad: field(count, (n) => n.poolLoad, "Pending transactions in the pool")
})

const config = shape<NetworkConstants>("Config", "Constants of the network", {
  hermez: field(reference(configRollup), (c) => c.rollup),
  auction: field(reference(configAuction), (c) => c.auction),
  withdrawalDelayer: field(reference(configWithdrawalDelayer), (c) => c.withdrawalDelayer),
  chainId: field(chainId, (c) => c, "Identifier of the Ethereum chain")
})

const none = integer(values.integer(0, 0))
const pending = oneOf(["pend"])

type Decode<T> = ReturnType<BodyField<T>["scalar"]["decode"]>

/** Returns a property that is decoded in another way. */
const withDecode = <T>(
  field: BodyField<T>,
  change: (decode: Decode<T>) => Decode<T>
): BodyField<T> => ({
  ...field,
  scalar: {
    ...field.scalar,
    decode: (context, spelling) => change(field.scalar.decode(context, spelling))
  }
})

/** The Go client sends an empty text if the destination has no address. */
const emptyIsNull = <T>(field: BodyField<T | null>): BodyField<T | null> =>
  withDecode(field, (decode) => (text) => text === "" ? Result.succeed(null) : decode(text))

/** Published clients send `maxNumBatch` in every transaction; 0 means without limit. */
const postedTransaction: Body<PostedTransaction> = {
  ...bodies.transaction,
  doc: `${transactionDoc}. The symbol in the index of an account has no meaning`,
  fields: {
    ...bodies.transaction.fields,
    toZkEthereumAddress: {
      ...emptyIsNull(bodies.transaction.fields.toZkEthereumAddress!),
      doc:
        "Receiver by Ethereum address; all F with a key. Beside an account index, the address that owns the account; it is then part of the signed message"
    },
    toBjj: emptyIsNull(bodies.transaction.fields.toBjj!),
    maxNumBatch: optional(batchNum, "Last batch that may forge it; 0 means without limit"),
    requestOffset: {
      ...optional(none, "Only 0: a transaction of an atomic group is posted with its group"),
      ruleName: "requestWithoutGroup"
    }
  },
  notes: Object.fromEntries(
    Object.entries(bodies.transaction.notes).filter(([name]) =>
      name !== "maxNumBatch" && name !== "requestOffset"
    )
  ),
  toDomain: (values) => {
    const { maxNumBatch } = values as { readonly maxNumBatch: number | null }
    return {
      ...bodies.transaction.toDomain(values),
      ...maxNumBatch === null || maxNumBatch === 0 ? {} : { maxNumBatch }
    }
  },
  fromDomain: (posted) => ({
    ...bodies.transaction.fromDomain(posted),
    maxNumBatch: posted.maxNumBatch ?? 0,
    requestOffset: null
  })
}

const onlyNull = "null: a transaction that requires another one is posted with it, as a group"
const unlinkedTransaction: Body<PostedTransaction> = {
  ...postedTransaction,
  fields: {
    ...postedTransaction.fields,
    ...Object.fromEntries(requestProperties.map((name) => [name, {
      ...withDecode(postedTransaction.fields[name]!, () => () => Result.fail({ rule: onlyNull })),
      doc: `Only ${onlyNull}`,
      ruleName: "requestWithoutGroup"
    }]))
  }
}

/** Clients send back what they have read: the published node requires the state. */
const replacement: Body<PostedTransaction> = {
  ...unlinkedTransaction,
  name: "PutPoolL2Transaction",
  fields: {
    ...unlinkedTransaction.fields,
    state: optional(pending, "Only pend, the state of the transaction afterwards"),
    info: optional(text, "Ignored")
  },
  notes: Object.fromEntries(
    Object.entries(unlinkedTransaction.notes).filter(([name]) => name !== "state")
  ),
  fromDomain: (posted) => ({ ...unlinkedTransaction.fromDomain(posted), state: "pend", info: null })
}

/** The Go client sends the signature without 0x. */
const authorization: Body<PostedAuthorization> = {
  ...bodies.authorization,
  fields: {
    ...bodies.authorization.fields,
    signature: withDecode(
      bodies.authorization.fields.signature!,
      (decode) => (text) => decode(text.startsWith("0x") ? text : `0x${text}`)
    )
  }
}

const v1Bodies: Bodies = {
  authorization,
  transaction: unlinkedTransaction,
  replacement,
  group: groupOf(postedTransaction)
}

const infoOf = ({ invalidReason, skipped, transaction }: PoolTransactionView): string | null => {
  const reason = skipped?.reason ?? invalidReason
  return reason === null
    ? null
    : `BatchNum: ${skipped?.batchNum ?? transaction.batchNum ?? 0}. ${reason}`
}

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

/**
 * The dialect of the published clients, at `/v1`: names, numbers, errors and lists as they expect
 * them.
 */
export const v1: Revision = {
  ...later,
  name: "v1",
  path: "/v1",
  doc: "The dialect of published clients: as revision later, with their names, numbers and errors",
  requestRules: publishedRules,
  parameters: {
    ...later.parameters,
    transactions: {},
    slots: { wonByBidder: null, wonByForger: null },
    tokens: {},
    coordinators: { onlyLatest: null }
  },
  // the clients derive the next nonce from all transactions of the list
  presets: { coordinators: { onlyLatest: true }, pool: { onlyUnfinished: true } },
  unregistered: "empty page",
  symbols: "refused in account paths",
  showsNode: true,
  // the Go client names it in transactions of groups
  acceptsOwnerAddress: true,
  conflictStatus: 409,
  authorizationAnswer: "success",
  error: publishedError,
  errorTypes: publishedErrorTypes,
  counts: { pendingItems },
  bodies: v1Bodies,
  extras: [
    "getPoolTxs",
    "getAtomicGroup",
    "getHealth",
    "getCurrencies",
    "getCurrency",
    "putTx",
    "putTxOfNonce",
    "postAtomicGroup"
  ],
  shapes: {
    ...later.shapes,
    transaction,
    batch,
    fullBatch: shapes.fullBatch(transaction, batch),
    exit: revise(shapes.exit, {
      rename: { instantWithdrawn: "instantWithdraw", delayedWithdrawn: "delayedWithdraw" },
      put: {
        bjj: field(publicKey, (v: ExitView) => v.exit.publicKey),
        zkEthereumAddress: field(prefixedAddress, (v: ExitView) => v.exit.address)
      }
    }),
    bid,
    slot: revise(shapes.slot, {
      put: {
        bestBid: field(
          nullable(reference(bid)),
          (s: SlotView) => s.bestBid,
          "Highest bid so far, also one below the minimum"
        )
      }
    }),
    state: shapes.state({
      network: revise(shapes.stateNetwork, {
        put: {
          lastBatch: field(
            nullable(reference(batch)),
            (s: NetworkState) => s.lastBatch,
            "Null before the first batch"
          ),
          pendingL1Transactions: field(
            count,
            (s: NetworkState) => s.pendingL1Transactions,
            "L1 user transactions in queues"
          )
        }
      }),
      metrics: revise(shapes.metrics, {
        rename: { totalAccounts: "tokenAccounts", totalBJJs: "wallets" },
        put: {
          estimatedTimeToForgeL1: field(
            number,
            (m: Metrics) => m.estimatedTimeToForgeL1,
            "Seconds from queueing an L1 user transaction to its batch"
          )
        }
      }),
      rollup: shapes.stateRollup(bucket),
      auction: revise(shapes.stateAuction, {
        put: {
          defaultSlotSetBidSlotNum: field(
            slotNum,
            (v: AuctionVariables) => v.defaultSlotSetBidSlotNum,
            "First slot of defaultSlotSetBid"
          )
        }
      }),
      withdrawalDelayer: revise(shapes.stateWithdrawalDelayer, {
        rename: { governanceAddress: "hermezGovernanceAddress" }
      }),
      node
    }),
    config,
    poolTransaction: revise(shapes.poolTransaction, {
      put: {
        toAccountIndex: field(
          accountReference,
          ({ token: { symbol }, transaction }: PoolTransactionView) => ({
            symbol,
            index: transaction.toAccountIndex ?? 0
          }),
          "Account: prefix, token symbol and index; index 0 for an address or a key, 1 is the exit"
        ),
        batchNum: field(
          nullable(batchNum),
          (v: PoolTransactionView) => v.transaction.batchNum,
          "Batch that forges or forged it, or since which it is invalid; null while it is pending"
        ),
        itemId: field(
          itemId,
          (v: PoolTransactionView) => v.itemId,
          "Increases with every transaction that enters the pool"
        ),
        info: field(
          nullable(text),
          infoOf,
          "Why the last selection skipped it, or why it is invalid; null if the reason is gone"
        ),
        errorCode: field(
          nullable(count),
          (v: PoolTransactionView) => v.skipped?.code ?? null,
          "Number of the reason of the last selection"
        ),
        errorType: field(
          nullable(text),
          (v: PoolTransactionView) => v.skipped === null ? null : skipTypes[v.skipped.code],
          "Name of the reason of the last selection"
        ),
        toBJJ: field(
          nullable(publicKey),
          (v: PoolTransactionView) => v.transaction.toPublicKey,
          "The same as toBjj"
        ),
        maxNumBatch: field(
          batchNum,
          (v: PoolTransactionView) => v.transaction.maxNumBatch ?? 0,
          "Last batch that may forge it; 0 means without limit"
        ),
        requestOffset: field(
          integer(values.integer(0, 7)),
          (v: PoolTransactionView) => v.transaction.group?.requestOffset ?? 0,
          "Position of the required transaction in the group; 0 if there is no group"
        )
      }
    })
  }
}
