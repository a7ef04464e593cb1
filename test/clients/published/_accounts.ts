import type { Later } from "./_expected.ts"
import type { LibraryWallet, Value } from "./_library.ts"

/** An account of the demo wallet. */
export interface Account {
  readonly accountIndex: string
  readonly token: Value
  /** Another account of the token. */
  readonly other: string
  nonce: number
}

interface AccountAnswer {
  readonly accountIndex: string
  readonly nonce: number
  readonly token: Value
}

/** Returns the accounts of ether and of the first token. */
export const accountsOf = async (
  later: Later,
  { hermezEthereumAddress }: LibraryWallet
): Promise<readonly [Account, Account]> => {
  const accounts = async (query: string) =>
    (await later(`/accounts?${query}`)).accounts as ReadonlyArray<AccountAnswer>
  const own = await accounts(`hezEthereumAddress=${hermezEthereumAddress}&tokenIds=0,1`)
  const found = await Promise.all(own.map(async ({ accountIndex, nonce, token }) => {
    const [first] = await accounts(`tokenIds=${token.id}&limit=1`)
    return { accountIndex, token, other: first!.accountIndex, nonce }
  }))
  if (found.length !== 2) throw new Error(`${hermezEthereumAddress} has ${found.length} accounts`)
  return [found[0]!, found[1]!]
}
