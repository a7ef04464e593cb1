import type { New, Coordinator, PriceFeed, Token } from "../../domain/mod.ts"
import { type BlockViolation, violationsIn } from "../violation/mod.ts"
import type { StagedBlock } from "./_staged_block.ts"

/**
 * Registers coordinators. If a bidder registers twice in a block, only the last registration is
 * stored: `sortedRegistrations` would otherwise change which one is the last.
 */
export function registerCoordinators(staged: StagedBlock): undefined {
  for (const coordinator of staged.block.coordinators ?? []) {
    staged.registrations.set(coordinator.bidderAddr, {
      ...coordinator,
      ethereumBlockNum: staged.block.number
    })
  }
}

/** Returns the registrations ascending by forger address, the documented order of the list. */
export const sortedRegistrations = (staged: StagedBlock): ReadonlyArray<New<Coordinator>> =>
  [...staged.registrations.values()].sort((a, b) =>
    compare(a.forgerAddr, b.forgerAddr) || compare(a.bidderAddr, b.bidderAddr)
  )

/**
 * Adds the bids of the block. The contract has checked that the slot was open and that the bid
 * reached the minimum.
 */
export function addBids(staged: StagedBlock): BlockViolation | undefined {
  const best = new Map<number, bigint>()
  for (const [position, bid] of (staged.block.bids ?? []).entries()) {
    const { bidderAddr, bidValue, slotNum } = bid
    const refuse = violationsIn(bid, `/bids/${position}`)
    if (
      !staged.registrations.has(bidderAddr) && staged.prior.registration(bidderAddr) === undefined
    ) {
      return refuse("bidder-registered", "bidderAddr", "the address of a registered coordinator")
    }
    const highest = best.get(slotNum) ?? staged.prior.bestBid(slotNum)?.bidValue
    if (highest !== undefined && bidValue <= highest) {
      const expected = `more than ${highest}, the highest bid of slot ${slotNum} so far`
      return refuse("bid-value", "bidValue", expected)
    }
    best.set(slotNum, bidValue)
    staged.bids.push({
      slotNum,
      bidderAddr,
      bidValue,
      withdrawAddr: bid.withdrawAddr ?? bidderAddr,
      ethereumBlockNum: staged.block.number,
      timestampMs: staged.block.timestampMs
    })
  }
  return undefined
}

const compare = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0

/** Adds the tokens of the block. It runs first, since the rest of the block may refer to them. */
export function addTokens(staged: StagedBlock): BlockViolation | undefined {
  const addresses = new Set<string>()
  for (const [position, token] of (staged.block.tokens ?? []).entries()) {
    const refuse = violationsIn(token, `/tokens/${position}`)
    if (token.id !== staged.lastTokenId + 1) {
      return refuse("token-id", "id", `${staged.lastTokenId + 1}, the next token`)
    }
    if (
      addresses.has(token.ethereumAddress) ||
      staged.prior.tokenByAddress(token.ethereumAddress) !== undefined
    ) {
      return refuse("token-address", "ethereumAddress", "the address of no other token")
    }
    addresses.add(token.ethereumAddress)
    staged.tokens.set(token.id, {
      ...token,
      ethereumBlockNum: staged.block.number,
      priceUSD: null,
      priceTimeMs: null
    })
    staged.lastTokenId = token.id
  }
  return undefined
}

/** Sets the prices. It runs second, so that all values in US dollars of the block use them. */
export function applyPrices(staged: StagedBlock): BlockViolation | undefined {
  const prices = staged.block.prices ?? []
  const violation = checkPrices(prices, staged.token)
  if (violation !== undefined) return violation
  for (const { priceUSD, timeMs, tokenId } of prices) {
    staged.tokens.set(tokenId, {
      ...staged.token(tokenId)!,
      priceUSD,
      priceTimeMs: priceUSD === null ? null : timeMs
    })
  }
  return undefined
}

/** Checks that all prices are for registered tokens. */
export function checkPrices(
  prices: ReadonlyArray<PriceFeed>,
  token: (id: number) => object | undefined
): BlockViolation | undefined {
  const position = prices.findIndex(({ tokenId }) => token(tokenId) === undefined)
  const price = prices[position]
  return price &&
    violationsIn(price, `/prices/${position}`)("token-exists", "tokenId", "a registered token")
}

/** Returns the tokens that the block registered, in order. */
export const registeredTokens = (staged: StagedBlock): ReadonlyArray<New<Token>> =>
  [...staged.tokens.values()].filter(({ id }) => id > staged.prior.lastTokenId)
