import type { PriceFeed, TokenFeed } from "../../../core/domain/mod.ts"
import { type BlockDraft, type Context, tokenCatalogue, type World } from "../world/mod.ts"

/**
 * Adds tokens and price changes to a block: half of the tokens in the first block, then one at a
 * time.
 */
export function addTokens(context: Context, world: World, draft: BlockDraft): void {
  const { schedule, constants, wallets, settings } = context
  const registered = world.tokens.length
  const planned = Math.min(settings.tokens + 1, tokenCatalogue.length)
  const isFirst = world.tokens[0]?.priceTimeMs === null
  const count = isFirst
    ? Math.ceil((planned - 1) / 2)
    : registered < planned && schedule.takeDue("token")
    ? 1
    : 0
  const tokens = tokenCatalogue.slice(registered, registered + count).map(
    ({ decimals, name, symbol }, position): TokenFeed => {
      const id = registered + position
      const ethereumAddress = id === 1
        ? constants.rollup.governanceToken
        : wallets.contractAddress(`token/${id}`)
      return { id, ethereumAddress, name, symbol, decimals }
    }
  )
  for (const token of tokens) {
    const price = { priceUSD: null, priceTimeMs: null }
    world.tokens.push({ ...token, ethereumBlockNum: world.block.number, ...price })
    world.accountsOfToken[token.id] = []
  }
  if (tokens.length > 0) draft.tokens = tokens
  // ether, which is never registered, gets its first price with the first tokens
  const priced = [...isFirst ? [0] : [], ...tokens.map(({ id }) => id)]
  const firstPrices = priced.flatMap((id) => priceFeed(world, id, firstPriceUSD(id)))
  const prices = [
    ...applyPrices(world, firstPrices),
    ...schedule.takeDue("priceInBlock") ? changePrices(context, world) : [],
    ...schedule.takeDue("priceUnknown") ? applyPrices(world, makePriceUnknown(context, world)) : []
  ]
  if (prices.length > 0) draft.prices = prices
}

const firstPriceUSD = (id: number) => (tokenCatalogue[id] ?? tokenCatalogue[0]!).priceUSD

/**
 * Changes some prices by up to four percent. An unknown price starts again near its first value.
 * Returns the changes.
 */
export function changePrices({ random }: Context, world: World): ReadonlyArray<PriceFeed> {
  const changed = world.tokens.filter(({ id }) => firstPriceUSD(id) !== null && random.chance(0.6))
  const prices = changed.flatMap(({ id, priceUSD }) => {
    const price = (priceUSD ?? firstPriceUSD(id) ?? 0) * (0.96 + 0.08 * random.next())
    return priceFeed(world, id, Number(price.toPrecision(8)))
  })
  return applyPrices(world, prices)
}

/** Makes a price unknown, except those of ether and the governance token. */
function makePriceUnknown({ random }: Context, world: World): ReadonlyArray<PriceFeed> {
  const token = random.pick(world.tokens.filter(({ id, priceUSD }) => id > 1 && priceUSD !== null))
  return token === undefined
    ? []
    : [{ tokenId: token.id, priceUSD: null, timeMs: world.block.timestampMs }]
}

const priceFeed = (
  world: World,
  tokenId: number,
  priceUSD: number | null
): ReadonlyArray<PriceFeed> =>
  priceUSD === null ? [] : [{ tokenId, priceUSD, timeMs: world.block.timestampMs }]

function applyPrices(world: World, prices: ReadonlyArray<PriceFeed>): ReadonlyArray<PriceFeed> {
  for (const { priceUSD, timeMs, tokenId } of prices) {
    const token = world.tokens[tokenId]
    if (token !== undefined) world.tokens[tokenId] = { ...token, priceUSD, priceTimeMs: timeMs }
  }
  return prices
}
