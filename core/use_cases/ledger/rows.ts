import {
  type Account,
  ether,
  type GenesisFeed,
  genesisVariables,
  type New
} from "../../domain/mod.ts"
import { FIRST_USER_ACCOUNT } from "../../encoding/mod.ts"
import { firstItemIds } from "../../ports/mod.ts"

/** Returns what a ledger holds after its genesis block: the first rows, and the item ids after them. */
export const placeGenesis = (genesis: GenesisFeed) => ({
  block: genesis.block,
  lastEthereumBlock: genesis.block.number,
  lastBatchNum: 0,
  lastAccountIndex: FIRST_USER_ACCOUNT - 1,
  lastTokenId: ether.id,
  totalQueued: 0,
  token: { itemId: firstItemIds.tokens - 1, ...ether },
  variables: genesisVariables(genesis),
  next: firstItemIds
})

/**
 * Returns the row of an account. An object literal with every member takes less memory than a spread
 * object, and a ledger has many accounts.
 */
export const accountRow = (
  itemId: number,
  account: New<Account>,
  nonce = account.nonce,
  balance = account.balance
): Account => ({
  itemId,
  index: account.index,
  tokenId: account.tokenId,
  batchNum: account.batchNum,
  publicKey: account.publicKey,
  address: account.address,
  nonce,
  balance
})
