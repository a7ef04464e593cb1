import { ann, bob, signed } from "../../submission/_wallets.ts"

let count = 0

/** Returns a transaction that no other call returns; two wallets send in turn. */
export const nextTransaction = () => {
  const nonce = BigInt(count >> 1)
  return count++ % 2 === 0
    ? signed(ann, { nonce })
    : signed(bob, { fromAccountIndex: 257, toAccountIndex: 256, nonce })
}
