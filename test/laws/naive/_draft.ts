import type { Token } from "../../../core/domain/mod.ts"
import type { Facts } from "../facts.ts"

/** Facts under construction. */
export type Draft = {
  -readonly [Part in keyof Facts]: Facts[Part] extends ReadonlyArray<infer Row> ? Array<Row>
    : Facts[Part]
}

/** Domain §3.7. */
export function worth(token: Token, amount: bigint): number | null {
  if (token.priceUSD === null || token.priceUSD === 0 || amount === 0n) return null
  return token.priceUSD / 10 ** token.decimals * Number(amount)
}

/** Domain §3.8. */
export function slotOf(
  { genesis: { constants: { auction } } }: Pick<Facts, "genesis">,
  block: bigint
): number {
  return block < auction.genesisBlockNum
    ? 0
    : Math.floor(Number(block - auction.genesisBlockNum) / auction.blocksPerSlot)
}
