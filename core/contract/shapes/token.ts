import type { Token } from "../../domain/mod.ts"
import {
  count,
  dateTime,
  ethBlockNum,
  ethereumAddress,
  itemId,
  text,
  tokenId,
  usd
} from "../scalars/mod.ts"
import { field, shape } from "../shape.ts"
import { nullable } from "../wire_type.ts"

export const token = shape<Token>("Token", "Token registered in the network", {
  id: field(tokenId, (t) => t.id),
  ethereumAddress: field(
    ethereumAddress,
    (t) => t.ethereumAddress,
    "Ethereum address of the token contract"
  ),
  itemId: field(itemId, (t) => t.itemId),
  name: field(text, (t) => t.name, "Full name of the token"),
  symbol: field(text, (t) => t.symbol, "Abbreviated name of the token"),
  decimals: field(count, (t) => t.decimals, "One whole token is 10^decimals units"),
  ethereumBlockNum: field(
    ethBlockNum,
    (t) => t.ethereumBlockNum,
    "Block in which the token was registered"
  ),
  USD: field(nullable(usd), (t) => t.priceUSD, "Price of one whole token"),
  fiatUpdate: field(nullable(dateTime), (t) => t.priceTimeMs, "When the price was set")
}, (t) => [t, undefined])
