import type { Token } from "../../../core/domain/mod.ts"
import type { Facts } from "../facts.ts"

/** Facts that are being computed. */
export type Draft = {
  -readonly [Part in keyof Facts]: Facts[Part] extends ReadonlyArray<infer Row> ? Array<Row>
    : Facts[Part]
}

/** Returns the value of an amount in USD, or null if the token has no price (domain §3.7). */
export function worth(token: Token, amount: bigint): number | null {
  if (token.priceUSD === null || token.priceUSD === 0 || amount === 0n) return null
  return token.priceUSD / 10 ** token.decimals * Number(amount)
}

/** Returns the slot of an Ethereum block (domain §3.8). */
export function slotOf(
  { genesis: { constants: { auction } } }: Pick<Facts, "genesis">,
  block: bigint
): number {
  return block < auction.genesisBlockNum
    ? 0
    : Math.floor(Number(block - auction.genesisBlockNum) / auction.blocksPerSlot)
}
