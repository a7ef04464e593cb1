import { Arbitrary, Effect } from "effect"
import { simulate } from "../../app/simulator/mod.ts"
import type { BlockFeed, FeedRecord } from "../../core/domain/mod.ts"
import { generators } from "../laws/mod.ts"
import type { Network } from "./_networks.ts"

const digits = (value: number | bigint, length: number) => value.toString(16).padStart(length, "0")
const addressOf = (kind: number, number: number) => `0x${digits(kind, 4)}${digits(number, 36)}`

/**
 * A network on which nothing is forged and everything else is frequent: hundreds of tokens with
 * similar names, registrations, bids for few slots, and rollbacks. The simulator makes only few of
 * these.
 */
export function marketOf(seed: string, blocks: number): Network {
  const { genesis } = simulate({ seed })
  const chances = Effect.runSync(
    Effect.orDie(
      Arbitrary.sampleEffect(generators.integer(0, 2 ** 30), { count: blocks * 150, seed })
    )
  )
  let used = 0
  const below = (limit: number) => chances[used++ % chances.length]! % limit
  const some = <A>(most: number, make: () => A) => Array.from({ length: below(most + 1) }, make)
  // the content of the chain after each block, for rollbacks
  const tips = [{
    number: genesis.block.number,
    hash: genesis.block.hash,
    tokens: 0,
    bidders: [] as ReadonlyArray<number>,
    bids: new Map<number, bigint>()
  }]
  const records: Array<FeedRecord> = []
  for (let fork = 0; records.length < blocks;) {
    if (below(9) === 0 && tips.length > 12) {
      tips.splice(-1 - below(8))
      fork++
      records.push({ kind: "rollBack", toBlock: tips.at(-1)!.number })
      continue
    }
    const before = tips.at(-1)!
    const tip = {
      ...before,
      number: before.number + 1n,
      hash: `0x${digits(fork, 32)}${digits(before.number + 1n, 32)}`,
      bids: new Map(before.bids)
    }
    const tokens = some(9, () => {
      const id = ++tip.tokens
      return {
        id,
        ethereumAddress: addressOf(1, id),
        name: `${"Wrapped ".repeat(below(4))}${"ab".repeat(below(24))}${digits(below(4), 1)}`,
        symbol: `T${below(9)}`,
        decimals: below(20)
      }
    })
    const coordinators = some(
      4,
      () => ({
        bidderAddr: addressOf(2, below(30)),
        forgerAddr: addressOf(3, below(4)),
        url: `https://${below(99)}.example`
      })
    )
    tip.bidders = [
      ...new Set([
        ...tip.bidders,
        ...coordinators.map(({ bidderAddr }) => Number.parseInt(bidderAddr.slice(6), 16))
      ])
    ]
    const bids = tip.bidders.length === 0 ? [] : some(9, () => {
      const slotNum = below(7) * 3
      const bidValue = (tip.bids.get(slotNum) ?? 0n) + 1n + BigInt(below(10 ** 9))
      tip.bids.set(slotNum, bidValue)
      return {
        slotNum,
        bidValue,
        bidderAddr: addressOf(2, tip.bidders[below(tip.bidders.length)]!)
      }
    })
    const prices = some(
      5,
      () => ({
        tokenId: below(tip.tokens + 1),
        priceUSD: below(4) === 0 ? null : below(1000) / 7,
        timeMs: below(10 ** 6)
      })
    )
    const block: BlockFeed = {
      number: tip.number,
      hash: tip.hash,
      parentHash: before.hash,
      timestampMs: genesis.block.timestampMs + Number(tip.number - genesis.block.number) * 12_000,
      tokens,
      coordinators,
      bids,
      prices
    }
    tips.push(tip)
    records.push({ kind: "block", block })
  }
  return { genesis, records }
}
