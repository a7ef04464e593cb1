import type { Token } from "../../../core/domain/mod.ts"
import type { Facts } from "../facts.ts"

/** Facts that are being computed. */
export type Draft = {
  -readonly [Part in keyof Facts]: Facts[Part] extends ReadonlyArray<infer Row> ? Array<Row>
    : Facts[Part]
}

/**
 * Returns the value of an amount in USD, or null if the token has no price: of the
 * doubles around the rounded result, the one nearest to the exact value.
 */
export function worth(token: Token, amount: bigint): number | null {
  if (token.priceUSD === null || token.priceUSD === 0 || amount === 0n) return null
  const rounded = token.priceUSD / 10 ** token.decimals * Number(amount)
  const exact = exactly(token.priceUSD) * amount
  const scale = 10n ** BigInt(token.decimals)
  const distance = (candidate: number) => {
    const difference = exactly(candidate) * scale - exact
    return difference < 0n ? -difference : difference
  }
  const ulp = 2 ** (Math.floor(Math.log2(rounded)) - 52)
  let best = rounded
  for (let steps = -5; steps <= 5; steps++) {
    const candidate = rounded + steps * ulp
    const [least, other] = [distance(best), distance(candidate)]
    // of two that are equally near, the one with an even last bit
    if (other < least || (other === least && (candidate / ulp) % 2 === 0)) best = candidate
  }
  return best
}

/** Returns a double times 2^1074, which is an integer. */
function exactly(double: number): bigint {
  let [integer, power] = [double, 1074]
  while (!Number.isInteger(integer)) [integer, power] = [integer * 2, power - 1]
  return BigInt(integer) << BigInt(power)
}

/** Returns the slot of an Ethereum block. */
export function slotOf(
  { genesis: { constants: { auction } } }: Pick<Facts, "genesis">,
  block: bigint
): number {
  return block < auction.genesisBlockNum
    ? 0
    : Math.floor(Number(block - auction.genesisBlockNum) / auction.blocksPerSlot)
}
