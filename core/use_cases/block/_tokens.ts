import type { New, PriceFeed, Token } from "../../domain/mod.ts"
import { type BlockViolation, violation } from "../violation/mod.ts"
import type { BlockOverlay } from "./_block_overlay.ts"

/** Adds the tokens of the block first: the rest of the block may refer to them. */
export function addTokens(overlay: BlockOverlay): BlockViolation | undefined {
  const addresses = new Set<string>()
  for (const [position, token] of (overlay.block.tokens ?? []).entries()) {
    const place = `/tokens/${position}`
    if (token.id !== overlay.lastTokenId + 1) {
      return violation(
        "token-id",
        token.id,
        `${overlay.lastTokenId + 1}, the one after the last token`,
        `${place}/id`
      )
    }
    if (
      addresses.has(token.ethereumAddress) ||
      overlay.view.tokenByAddress(token.ethereumAddress) !== undefined
    ) {
      return violation(
        "token-address",
        token.ethereumAddress,
        "the address of no other token",
        `${place}/ethereumAddress`
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

/** Sets the prices right after the tokens, so that all values of the block use them. */
export function applyPrices(overlay: BlockOverlay): BlockViolation | undefined {
  const prices = overlay.block.prices ?? []
  const violated = checkPrices(prices, overlay.token)
  if (violated !== undefined) return violated
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
    violation("token-exists", price.tokenId, "a registered token", `/prices/${position}/tokenId`)
}

/** Returns the tokens that the block registered, in order, without those that it only priced. */
export const registeredTokens = (overlay: BlockOverlay): ReadonlyArray<New<Token>> =>
  [...overlay.tokens.values()].filter(({ id }) => id > overlay.view.lastTokenId)
