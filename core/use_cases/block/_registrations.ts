import type { New, Coordinator, PriceFeed, Token } from "../../domain/mod.ts"
import { type BlockViolation, makeViolation } from "../violation/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/**
 * Registers coordinators. If a bidder registers twice in a block, only the last registration is
 * stored: `sortedRegistrations` would otherwise change which one is the last.
 */
export function registerCoordinators(overlay: BlockOverlay): undefined {
  for (const coordinator of overlay.block.coordinators ?? []) {
    overlay.registrations.set(coordinator.bidderAddr, {
      ...coordinator,
      ethereumBlockNum: overlay.block.number
    })
  }
}

/** Returns the registrations ascending by forger address, the documented order of the list. */
export const sortedRegistrations = (overlay: BlockOverlay): ReadonlyArray<New<Coordinator>> =>
  [...overlay.registrations.values()].sort((a, b) =>
    compare(a.forgerAddr, b.forgerAddr) || compare(a.bidderAddr, b.bidderAddr)
  )

/**
 * Adds the bids of the block. The contract has checked that the slot was open and that the bid
 * reached the minimum.
 */
export function addBids(overlay: BlockOverlay): BlockViolation | undefined {
  const best = new Map<number, bigint>()
  for (const [position, bid] of (overlay.block.bids ?? []).entries()) {
    const { bidderAddr, bidValue, slotNum } = bid
    if (
      !overlay.registrations.has(bidderAddr) && overlay.view.registration(bidderAddr) === undefined
    ) {
      return makeViolation(
        "bidder-registered",
        bidderAddr,
        "the address of a registered coordinator",
        `/bids/${position}/bidderAddr`
      )
    }
    const highest = best.get(slotNum) ?? overlay.view.bestBid(slotNum)?.bidValue
    if (highest !== undefined && bidValue <= highest) {
      return makeViolation(
        "bid-value",
        bidValue,
        `more than ${highest}, the highest bid of slot ${slotNum} so far`,
        `/bids/${position}/bidValue`
      )
    }
    best.set(slotNum, bidValue)
    overlay.bids.push({
      slotNum,
      bidderAddr,
      bidValue,
      withdrawAddr: bid.withdrawAddr ?? bidderAddr,
      ethereumBlockNum: overlay.block.number,
      timestampMs: overlay.block.timestampMs
    })
  }
  return undefined
}

const compare = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0

/** Adds the tokens of the block. It runs first, since the rest of the block may refer to them. */
export function addTokens(overlay: BlockOverlay): BlockViolation | undefined {
  const addresses = new Set<string>()
  for (const [position, token] of (overlay.block.tokens ?? []).entries()) {
    const pointer = `/tokens/${position}`
    if (token.id !== overlay.lastTokenId + 1) {
      return makeViolation(
        "token-id",
        token.id,
        `${overlay.lastTokenId + 1}, the next token`,
        `${pointer}/id`
      )
    }
    if (
      addresses.has(token.ethereumAddress) ||
      overlay.view.tokenByAddress(token.ethereumAddress) !== undefined
    ) {
      return makeViolation(
        "token-address",
        token.ethereumAddress,
        "the address of no other token",
        `${pointer}/ethereumAddress`
      )
    }
    addresses.add(token.ethereumAddress)
    overlay.tokens.set(token.id, {
      ...token,
      ethereumBlockNum: overlay.block.number,
      priceUSD: null,
      priceTimeMs: null
    })
    overlay.lastTokenId = token.id
  }
  return undefined
}

/** Sets the prices. It runs second, so that all values in US dollars of the block use them. */
export function applyPrices(overlay: BlockOverlay): BlockViolation | undefined {
  const prices = overlay.block.prices ?? []
  const violation = checkPrices(prices, overlay.token)
  if (violation !== undefined) return violation
  for (const { priceUSD, timeMs, tokenId } of prices) {
    const token = overlay.token(tokenId)
    if (token !== undefined) {
      overlay.tokens.set(tokenId, {
        ...token,
        priceUSD,
        priceTimeMs: priceUSD === null ? null : timeMs
      })
    }
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
    makeViolation(
      "token-exists",
      price.tokenId,
      "a registered token",
      `/prices/${position}/tokenId`
    )
}

/** Returns the tokens that the block registered, in order. */
export const registeredTokens = (overlay: BlockOverlay): ReadonlyArray<New<Token>> =>
  [...overlay.tokens.values()].filter(({ id }) => id > overlay.view.lastTokenId)
