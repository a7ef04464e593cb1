import { Result, Schema } from "effect"
import { type PoolTransactionView, type StateView, values } from "../domain/mod.ts"
import {
  type Bodies,
  authorizationObject,
  bodies,
  groupOf,
  nestedRequest,
  optional,
  requested,
  transactionDoc,
  transactionObject,
  unused
} from "./bodies/mod.ts"
import { later } from "./later.ts"
import { publishedError, publishedErrorTypes } from "./published_errors.ts"
import { publishedRules } from "./request_rules.ts"
import { pendingItems, type Revision } from "./revision.ts"
import {
  accountReference,
  batchNum,
  bigInt,
  bigNumber,
  count,
  ethSignature,
  integer,
  type JsonForm,
  number,
  oneOf,
  prefixedAddress,
  publicKey,
  type Scalar,
  text,
  type WireForm,
  wireForm
} from "./scalars/mod.ts"
import * as shapes from "./shapes/mod.ts"
import {
  annotateFields,
  documented,
  named,
  nullable,
  object,
  ofNetwork,
  omit,
  rename,
  replaceObjects,
  withFields
} from "./objects/mod.ts"

const shown = replaceObjects(
  shapes.complete,
  rename(shapes.exit, {
    instantWithdrawn: "instantWithdraw",
    delayedWithdrawn: "delayedWithdraw"
  }),
  omit(shapes.slot, ["closedAuction", "winner"]),
  omit(shapes.bid, ["withdrawAddr"]),
  withFields(shapes.bucket, {
    ceilUSD: shapes.bucket.fields.ceilUSD,
    withdrawals: documented(bigInt, "Withdrawals that were left after the last change"),
    maxWithdrawals: bigInt,
    blockStamp: documented(bigInt, "Block of the last change"),
    blockWithdrawalRate: named(
      "rateBlocks",
      bigInt,
      "Blocks after which rateWithdrawals more are allowed"
    ),
    rateWithdrawals: bigInt
  }),
  rename(shapes.metrics, { totalAccounts: "tokenAccounts", totalPublicKeys: "wallets" }),
  rename(shapes.stateWithdrawalDelayer, { governanceAddress: "hermezGovernanceAddress" }),
  withFields(shapes.state, {
    ...shapes.state.fields,
    node: object("StateNode", "What the node adds to the state of the network", {
      forgeDelaySeconds: named(
        "forgeDelay",
        number,
        "Seconds that the coordinator waits between two batches"
      ),
      poolLoad: documented(count, "Pending transactions in the pool")
    })
  }),
  rename(omit(shapes.publicConstants, ["safetyAddress"]), {
    governanceToken: "tokenHEZ",
    auctionAddress: "hermezAuctionContract",
    governanceAddress: "hermezGovernanceAddress",
    withdrawalDelayerAddress: "withdrawDelayerContract"
  }),
  withFields(shapes.rollupConstants, {
    ...shapes.rollupConstants.fields,
    limitDepositAmount: documented(bigNumber, "Deposits stay below"),
    limitL2TransferAmount: documented(bigNumber, "Transfers stay below")
  }),
  withFields(shapes.configAuction, {
    ...rename(shapes.configAuction, { governanceToken: "tokenHEZ", rollupAddress: "hermezRollup" })
      .fields,
    initialMinimalBidding: documented(bigNumber, "Units of the governance token")
  }),
  rename(shapes.configWithdrawalDelayer, { rollupAddress: "hermezRollup" }),
  withFields(shapes.config, {
    ...rename(shapes.config, { rollup: "hermez" }).fields,
    chainId: documented(
      ofNetwork(count, (network) => network.chainId),
      "Identifier of the Ethereum chain"
    )
  }),
  withFields(shapes.poolTransaction, {
    ...shapes.poolTransaction.fields,
    toAccountIndex: documented(
      accountReference,
      "Account: prefix, token symbol and index; index 0 for an address or a key, 1 is the exit"
    ),
    batchNum: documented(
      nullable(batchNum),
      "Batch that forges or forged it, or since which it is invalid; null while it is pending"
    )
  })
)

const stateView = (view: StateView) => {
  const { rollup, ...state } = shapes.stateView(view)
  const buckets = rollup.buckets.map((bucket) => ({ rateWithdrawals: 1n, ...bucket }))
  return { ...state, rollup: { ...rollup, buckets }, node: view.node! }
}

const poolTransactionView = (view: PoolTransactionView) => ({
  ...shapes.poolTransactionView(view),
  toAccountIndex: {
    symbol: view.token.symbol,
    index: view.transaction.toAccountIndex ?? 0
  },
  batchNum: view.transaction.batchNum
})

/** Returns a scalar that is decoded, and possibly written, in another way. */
const withDecode = <T, U>(
  scalar: Scalar<T>,
  change: (decode: ReturnType<WireForm<T>["decode"]>) => ReturnType<WireForm<U>["decode"]>,
  write: WireForm<T>["write"] = wireForm(scalar).write
): Scalar<T> => {
  const form = wireForm(scalar)
  const changed: Pick<WireForm<U>, "decode"> & JsonForm<T> = {
    ...form,
    write,
    decode: (context, spelling) => change(form.decode(context, spelling))
  }
  return scalar.annotate({ jsonForm: changed })
}

/** The Go client sends an empty text if the destination has no address. */
const emptyIsNull = <T>(scalar: Scalar<T>): Scalar<T> =>
  withDecode<T, T | null>(
    scalar,
    (decode) => (text) => text === "" ? Result.succeed(null) : decode(text)
  )

/** Published clients send `maxNumBatch` in every transaction; 0 means without limit. */
const lastBatch = withDecode<number, number | null>(
  batchNum,
  (decode) => (text) => Result.map(decode(text), (number) => number === 0 ? null : number),
  () => (number: number | undefined) => String(number ?? 0)
)

const postedDoc = `${transactionDoc}. The symbol in the index of an account has no meaning`
const postedTransaction = object("PostPoolL2Transaction", postedDoc, {
  ...transactionObject.fields,
  toAddress: named(
    "toZkEthereumAddress",
    optional(
      emptyIsNull(prefixedAddress),
      "Receiver by Ethereum address; all F with a key. Beside an account index, the address that owns the account; it is then part of the signed message"
    )
  ),
  toPublicKey: named("toBjj", optional(emptyIsNull(publicKey), "Receiver by BabyJubJub key")),
  maxNumBatch: documented(
    Schema.optionalKey(lastBatch),
    "Last batch that may forge it; 0 means without limit"
  ),
  requestOffset: unused(
    integer(values.integer(0, 0)),
    "Only 0: a transaction of an atomic group is posted with its group"
  ).pipe(Schema.annotateKey({ ruleName: "requestWithoutGroup" }))
})

const onlyNull = "null: a transaction that requires another one is posted with it, as a group"
const unlinkedTransaction = withFields(postedTransaction, {
  ...postedTransaction.fields,
  request: nestedRequest(annotateFields(requested, {
    description: `Only ${onlyNull}`,
    onlyNull,
    ruleName: "requestWithoutGroup"
  }))
})

/** Clients send back what they have read: the published node requires the state. */
const replacement = object(
  "PutPoolL2Transaction",
  postedDoc,
  {
    ...unlinkedTransaction.fields,
    state: unused(oneOf(["pend"]), "Only pend, the state of the transaction afterwards", "pend"),
    info: unused(text, "Ignored")
  }
)

/** The Go client sends the signature without 0x. */
const authorization = withFields(authorizationObject, {
  ...authorizationObject.fields,
  signature: documented(
    withDecode<string, string>(
      ethSignature,
      (decode) => (text) => decode(text.startsWith("0x") ? text : `0x${text}`)
    ),
    "EIP-712 signature of the Ethereum key"
  )
})

const v1Bodies: Bodies = {
  authorization: { ...bodies.authorization, schema: authorization },
  transaction: { ...bodies.transaction, schema: unlinkedTransaction },
  replacement: { ...bodies.transaction, schema: replacement },
  group: groupOf(postedTransaction)
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
  unregistered: "matches nothing",
  symbols: "refused in account paths",
  showsNode: true,
  // the Go client names it in transactions of groups
  acceptsOwnerAddress: true,
  conflictStatus: 409,
  authorizationAnswer: "success",
  error: publishedError,
  errorTypes: publishedErrorTypes,
  counts: pendingItems,
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
    ...shown,
    state: { ...shown.state, view: stateView },
    poolTransaction: { ...shown.poolTransaction, view: poolTransactionView }
  }
}
