import { ZERO_ADDRESS } from "../encoding/mod.ts"
import type { New } from "./changes.ts"
import type { Token } from "./token.ts"

/** Token 0, the first item of every ledger (domain §1.3). */
export const ether: New<Token> = {
  id: 0,
  ethereumAddress: ZERO_ADDRESS,
  name: "Ether",
  symbol: "ETH",
  decimals: 18,
  ethereumBlockNum: 0n,
  priceUSD: null,
  priceTimeMs: null
}
