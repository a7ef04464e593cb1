import type {
  Account,
  BatchChanges,
  Exit,
  MerkleProof,
  New,
  Transaction
} from "../../../core/domain/mod.ts"

/*
 * The rows of which there are many are written out member by member: all of them then have one shape with its members
 * inside of the object, which takes less memory than a spread and keeps reads monomorphic.
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

export const exitRow = (itemId: number, exit: New<Exit>): Exit =>
  Object.freeze({
    itemId,
    batchNum: exit.batchNum,
    accountIndex: exit.accountIndex,
    tokenId: exit.tokenId,
    address: exit.address,
    publicKey: exit.publicKey,
    merkleProof: frozenProof(exit.merkleProof),
    balance: exit.balance,
    instantWithdrawn: exit.instantWithdrawn,
    delayedWithdrawRequest: exit.delayedWithdrawRequest,
    delayedWithdrawn: exit.delayedWithdrawn
  })

/** A proof is stored once and stays the same object when its exit changes. */
const frozenProof = (proof: MerkleProof): MerkleProof =>
  Object.isFrozen(proof) && Object.isFrozen(proof.siblings)
    ? proof
    : Object.freeze({ ...proof, siblings: Object.freeze([...proof.siblings]) })

/** The account that a transaction names, where it exists: its strings are shared instead of kept once for each row. */
type Owner = Pick<Account, "address" | "publicKey"> | undefined

const shared = (own: string | null, known: string | undefined): string | null =>
  own === known ? known : own

export const transactionRow = (
  itemId: number,
  row: New<Transaction>,
  from: Owner,
  to: Owner
): Transaction => ({
  itemId,
  id: row.id,
  type: row.type,
  position: row.position,
  fromAccountIndex: row.fromAccountIndex,
  fromAddress: shared(row.fromAddress, from?.address),
  fromPublicKey: shared(row.fromPublicKey, from?.publicKey),
  toAccountIndex: row.toAccountIndex,
  toAddress: shared(row.toAddress, to?.address),
  toPublicKey: shared(row.toPublicKey, to?.publicKey),
  tokenId: row.tokenId,
  amount: row.amount,
  batchNum: row.batchNum,
  historicUSD: row.historicUSD,
  timestampMs: row.timestampMs,
  l1: row.l1,
  l2: row.l2
})

/** A queued transaction as its batch forges it. */
export const forgedRow = (
  itemId: number,
  queued: Transaction,
  forged: BatchChanges["forged"][number],
  batchNum: number,
  from: Owner,
  to: Owner
): Transaction =>
  transactionRow(
    itemId,
    {
      ...queued,
      fromAccountIndex: forged.fromAccountIndex,
      fromPublicKey: forged.fromPublicKey,
      toAddress: forged.toAddress,
      toPublicKey: forged.toPublicKey,
      batchNum,
      l1: queued.l1 &&
        {
          ...queued.l1,
          amountSuccess: forged.amountSuccess,
          depositAmountSuccess: forged.depositAmountSuccess
        }
    },
    from,
    to
  )

/** A queued transaction with what its accounts add to it. */
export const completedRow = (queued: Transaction, from: Owner, to: Owner): Transaction => ({
  ...queued,
  fromPublicKey: queued.fromPublicKey ?? from?.publicKey ?? null,
  toAddress: queued.toAddress ?? to?.address ?? null,
  toPublicKey: queued.toPublicKey ?? to?.publicKey ?? null
})
