import type { AccountView } from "../../domain/mod.ts"
import {
  accountReference,
  bigInt,
  itemId,
  nonce,
  prefixedAddress,
  publicKey
} from "../scalars/mod.ts"
import { field, reference, shape, volatileField } from "../shape.ts"
import { token } from "./token.ts"

export const account = shape<AccountView>(
  "Account",
  "Leaf of the state tree: the balance of one owner in one token",
  {
    itemId: field(itemId, (v) => v.account.itemId),
    accountIndex: field(
      accountReference,
      (v) => ({ symbol: v.token.symbol, index: v.account.index })
    ),
    nonce: field(nonce, (v) => v.account.nonce),
    balance: field(bigInt, (v) => v.account.balance, "Units of the token"),
    bjj: field(publicKey, (v) => v.account.publicKey),
    zkEthereumAddress: field(prefixedAddress, (v) => v.account.address),
    token: volatileField(field(reference(token), (v) => v.token))
  },
  (v) => [v.account, v.token.symbol]
)
