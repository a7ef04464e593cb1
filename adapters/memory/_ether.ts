import type { New, Token } from "../../core/domain/mod.ts"
import { ZERO_ADDRESS } from "../../core/encoding/mod.ts"

/** Token 0, which is there before anything else (domain §1.3). */
export const ether: New<Token> = {
  id: 0, ethereumAddress: ZERO_ADDRESS, name: "Ether", symbol: "ETH", decimals: 18, ethereumBlockNum: 0n, priceUSD: null, priceTimeMs: null
}
