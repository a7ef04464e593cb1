import { Schema } from "effect"
import { groupTransactionsMax, values } from "../../domain/mod.ts"
import { groupId, integer } from "../scalars/mod.ts"
import { descriptionOf, documented, named, object } from "../objects/mod.ts"

/** Returns the body of a group whose transactions have the properties of this one. */
export const groupOf = <const F extends Schema.Struct.Fields>(transaction: Schema.Struct<F>) => ({
  schema: object(
    "PostAtomicGroup",
    "Transactions that are forged in one batch, in this order, or never. Each requires another one: requestOffset names its position, and the request properties are those of that transaction, or left out of all transactions. All are connected by these requirements",
    {
      id: named("atomicGroupId", groupId, "Keccak-256 hash of the identifiers of the transactions"),
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
  integer(values.integer(1, 7)),
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
