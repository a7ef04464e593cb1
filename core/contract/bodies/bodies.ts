import { Effect, Schema } from "effect"
import {
  groupTransactionsMax,
  type PostedAuthorization,
  type PostedGroup,
  type PostedTransaction,
  values
} from "../../domain/mod.ts"
import * as scalar from "../scalars/mod.ts"
import { descriptionOf, documented, named, object, propertiesOf } from "../objects/mod.ts"
import { type Body, optional } from "./body.ts"

const setByNode = "the node sets this property: leave it out"
const exampleOfEth = {
  tokenId: 0,
  fromAccountIndex: "zk:ETH:256",
  amount: "10000000000000000",
  fee: 20
}

export const transactionDoc =
  "L2 transaction as its sender signed it. It goes to an account (index from 256 on), to the exit (index 1), to an Ethereum address, or to a key alone (with the address of all F). A requested transaction has at least sender, token, amount, fee and nonce"

/** The transaction that must be forged in the same batch. Note the spelling: `requestToBjj`. */
export const requested = Schema.Struct({
  fromAccountIndex: optional(
    scalar.accountIndex,
    "Sender of the transaction that must be forged in the same batch"
  ),
  toAccountIndex: optional(scalar.accountIndex, "Receiver of it"),
  toAddress: named(
    "toZkEthereumAddress",
    optional(scalar.prefixedAddress, "Receiver of it by Ethereum address")
  ),
  toPublicKey: named("toBjj", optional(scalar.publicKey, "Receiver of it by key")),
  tokenId: optional(scalar.tokenId, "Token of it"),
  amount: optional(scalar.amount, "Amount of it"),
  fee: optional(scalar.feeSelector, "Fee of it; 256 is refused"),
  nonce: optional(scalar.nonce, "Nonce of it")
})
const noRequest = Object.fromEntries(
  propertiesOf(Schema.Struct({ request: nestedRequest(requested) }).ast).map(({ name }) => [
    name,
    null
  ])
)

/** Returns the property of a requested transaction: its properties are those of the body. */
export function nestedRequest<T, E>(schema: Schema.Codec<T, E>) {
  return Schema.NullOr(schema).annotate({
    expected: `an object of ${Object.keys(requested.fields).join(", ")}`
  }).pipe(
    Schema.withDecodingDefault(Effect.succeed(null)),
    Schema.annotateKey({ nestedPrefix: "request" })
  )
}

/** The object of a posted transaction in revisions `later` and `earlier`. */
export const transactionObject = object(
  "PostPoolL2Transaction",
  `${transactionDoc}. The symbol in the index of an account must be that of its token; that of the exit may be any`,
  {
    id: documented(scalar.transactionId, "Recomputed from sender, token, amount, nonce and fee"),
    type: documented(
      scalar.poolTransactionType,
      "Type of the transaction; must match the destination"
    ),
    tokenId: documented(scalar.tokenId, "Token of the sender's account"),
    fromAccountIndex: documented(scalar.accountIndex, "Account of the sender"),
    toAccountIndex: optional(scalar.accountIndex, "Account of the receiver, or the exit"),
    toAddress: named(
      "toZkEthereumAddress",
      optional(scalar.prefixedAddress, "Receiver by Ethereum address; all F with a key")
    ),
    toPublicKey: named("toBjj", optional(scalar.publicKey, "Receiver by BabyJubJub key")),
    amount: documented(
      scalar.amount,
      "Units of the token, as many as 40 bits of floating point hold exactly"
    ),
    fee: documented(
      scalar.feeSelector,
      "Index into the table of fee factors; 256 is refused, since it does not fit into the byte that is signed"
    ),
    nonce: documented(
      scalar.nonce,
      "Number of transactions that the sender has sent; from 2^40 on it cannot be signed"
    ),
    signature: documented(scalar.signature, "Compressed BabyJubJub signature of the sender"),
    request: nestedRequest(requested)
  }
)

const postedTransaction: Body<PostedTransaction> = {
  schema: transactionObject,
  notes: {
    maxNumBatch: "this revision does not support it: leave it out; it is signed as 0",
    requestOffset: "only the transactions of an atomic group have it: leave it out",
    state: setByNode,
    timestamp: setByNode,
    batchNum: setByNode,
    token: setByNode,
    fromZkEthereumAddress: setByNode,
    fromBJJ: setByNode,
    itemId: setByNode
  },
  // signed on chain 1337 by the key of 32 bytes of 1
  examples: {
    toAccount: {
      id: "0x029ad9be1d3ac91dd31359459ffedf39fc23f2765bfd0f576436529885ae23305d",
      type: "Transfer",
      ...exampleOfEth,
      toAccountIndex: "zk:ETH:257",
      toZkEthereumAddress: null,
      toBjj: null,
      nonce: 121,
      signature:
        "808fcfcc0b503dd417b1ceb2397ea17a7655193aab432f2a97ba18828671dc20e27595525414f8dba4847b213e1c5307753b0b32edaaee4a117c256ac9d61201",
      ...noRequest
    },
    toExit: {
      id: "0x0231a92d014428a93b487ce5e2e25744e5c15eb8ec1a8e8980dd63cdec7b7175ac",
      type: "Exit",
      ...exampleOfEth,
      toAccountIndex: "zk:EXIT:1",
      nonce: 122,
      signature:
        "70138472c41416b9e9e4205f2087e38800640e215e7060afc4f05d4e9b92b00a2cb1ed4fa607d6c4624d53629f15425aa74223f68c7f673d9225588d0632c601"
    },
    toKey: {
      id: "0x023556fa428fb2ae9d384331bc0c19c7d2c3510ff16471e2a0b01364ffd0e51ef7",
      type: "TransferToBJJ",
      ...exampleOfEth,
      nonce: 123,
      toZkEthereumAddress: "zk:0xFFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF",
      toBjj: "zk:G2cUP4A9gf_uceg0H9pfq5AEPIG5qXoModdwTbwowAqs",
      signature:
        "677ac4b89b731c1fdcea91ceddd62122a25519a9335be9a045a5c10195695e1e8ede347204d7381d124931e18615e3c5101ee3fe5ae13dad11f53b96ae6d6f04"
    }
  }
}

/** The object of a posted authorization in revisions `later` and `earlier`. */
export const authorizationObject = object(
  "AccountCreationAuthorizationPost",
  "Authorization to create accounts for a key, signed by the owner of an Ethereum address; any coordinator may use it",
  {
    address: named(
      "zkEthereumAddress",
      scalar.prefixedAddress,
      "Address that signs the authorization and will own the accounts"
    ),
    publicKey: named("bjj", scalar.publicKey, "Key of the accounts"),
    signature: documented(scalar.ethSignature, "EIP-712 signature of the Ethereum key")
  }
)

const postedAuthorization: Body<PostedAuthorization> = {
  schema: authorizationObject,
  notes: { timestamp: setByNode },
  // signed for the simulated network by the key of 32 bytes of 1
  examples: {
    authorization: {
      zkEthereumAddress: "zk:0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1",
      bjj: "zk:_lGG0Qj8U5QMNdHC9K9Ouy0gRazYFDtLwHGbrT85JKZ8",
      signature:
        "0x4386d32dcd7f01f445097c74c2262634308ef53335067f5aa5a4d171c097f50d10f6bd325161d4693a6cdd42873d8f4e1dc09c924cf27401cc9038a4c68d3fe91c"
    }
  }
}

/** Returns the body of a group whose transactions have the properties of this one. */
export const groupOf = <const F extends Schema.Struct.Fields>(transaction: Schema.Struct<F>) => ({
  schema: object(
    "PostAtomicGroup",
    "Transactions that are forged in one batch, in this order, or never. Each requires another one: requestOffset names its position, and the request properties are those of that transaction, or left out of all transactions. All are connected by these requirements",
    {
      id: named(
        "atomicGroupId",
        scalar.groupId,
        "Keccak-256 hash of the identifiers of the transactions"
      ),
      transactions: documented(
        Schema.Array(
          object("PostAtomicTransaction", descriptionOf(transaction), {
            ...transaction.fields,
            requestOffset
          })
        )
          .check(Schema.isMaxLength(groupTransactionsMax, { itemsMax: groupTransactionsMax })),
        "The transactions, at least two"
      )
    }
  ),
  notes: {},
  examples: { exchange }
})

const requestOffset = documented(
  scalar.integer(values.integer(1, 7)),
  "Position of the required transaction: 1 to 3 for as many positions later, 4 to 7 for 4 to 1 positions earlier"
).pipe(Schema.annotateKey({ ruleName: "requestOffset" }))

const first = { fromAccountIndex: "zk:ETH:256", toAccountIndex: "zk:ETH:257", nonce: 124 }
const second = { fromAccountIndex: "zk:ETH:257", toAccountIndex: "zk:ETH:256", nonce: 8 }
const amountAndFee = { tokenId: 0, amount: "10000000000000000", fee: 20 }
const requestOf = ({ fromAccountIndex, nonce, toAccountIndex }: typeof first) => ({
  requestFromAccountIndex: fromAccountIndex,
  requestToAccountIndex: toAccountIndex,
  requestTokenId: amountAndFee.tokenId,
  requestAmount: amountAndFee.amount,
  requestFee: amountAndFee.fee,
  requestNonce: nonce
})

/** Two transfers, signed on chain 1337 by the keys of 32 bytes of 1 and of 2. */
const exchange = {
  atomicGroupId: "0x66f9a760057ddd755f5a3376c0eb3e8a60874ba62278faf9eac7936326f12336",
  transactions: [
    {
      id: "0x028574b836304530579b8f79e37c6b06d83d259bb879cdc4a2e0812f740de53c5e",
      type: "Transfer",
      ...first,
      ...amountAndFee,
      signature:
        "577be43aff1b8d37f3cb5a43abe262dd63d71eab62222991e17168c5b85603998bbd66cfc193c8a8654f2a3344a596a8703ed7e8acc4c783b853ea081969b301",
      ...requestOf(second),
      requestOffset: 1
    },
    {
      id: "0x02354f45ff7ce1795d0eb3b8aefdac512dc740a5481c7a6a32b7cea15489be4e24",
      type: "Transfer",
      ...second,
      ...amountAndFee,
      signature:
        "a379d68d1cf2709d8ab24649efbf485a7fa18b5217e4c1b42673f641b75e061347538293f58fc06439da24ffdda3127e3afa150e56e5c88887b029270e0eb903",
      ...requestOf(first),
      requestOffset: 7
    }
  ]
}

/** The bodies that clients can post, in one revision. */
export interface Bodies {
  readonly transaction: Body<PostedTransaction>
  /** Sent only in revisions with an operation that replaces a transaction. */
  readonly replacement: Body<PostedTransaction>
  readonly authorization: Body<PostedAuthorization>
  /** Posted only in revisions with the operation `postAtomicGroup`. */
  readonly group: Body<PostedGroup>
}
export type BodyName = keyof Bodies

/**
 * The bodies of revisions `later` and `earlier`. Clients post `transaction` and
 * `authorization` there.
 *
 * @example
 * ```ts
 * import { bodies } from "rollup-node-api"
 *
 * console.log(...Object.keys(bodies.authorization.schema.fields)) // => address publicKey signature
 * ```
 */
export const bodies: Bodies = {
  transaction: postedTransaction,
  replacement: postedTransaction,
  authorization: postedAuthorization,
  group: groupOf(transactionObject)
}
