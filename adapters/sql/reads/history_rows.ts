import type { Items } from "../../../core/contract/mod.ts"
import {
  type Account,
  type Batch,
  type Exit,
  mayNameOtherTokens,
  type Transaction,
  transactionTypes
} from "../../../core/domain/mod.ts"
import {
  bigOrNull,
  hexSql,
  fieldsOf,
  booleanOf,
  hexOrNull,
  intOrNull,
  lineSql,
  membersSql,
  membersOf,
  prefixedHex,
  prefixedHexOrNull
} from "../connection/mod.ts"
import { tokenOf, type Tokens } from "./_run_query.ts"

/*
 * Rows that batches add. The SQL of each line and its decoder list the same columns in the same
 * order. `r` is the row. An item is a row with its token.
 */

export const accountRowSql = lineSql([
  "r.item_id",
  "r.account_index",
  "r.token_id",
  "r.batch_num",
  hexSql("r.public_key"),
  hexSql("r.address"),
  "r.nonce",
  "r.balance"
])
export const decodeAccount = (line: string): Account => {
  const fields = fieldsOf(line)
  return Object.freeze({
    itemId: Number(fields[0]),
    index: Number(fields[1]),
    tokenId: Number(fields[2]),
    batchNum: Number(fields[3]),
    publicKey: fields[4]!,
    address: prefixedHex(fields[5]!),
    nonce: BigInt(fields[6]!),
    balance: BigInt(fields[7]!)
  })
}

export const decodeAccountItem = (line: string, tokens: Tokens): Items["account"] => {
  const account = decodeAccount(line)
  return { account, token: tokenOf(tokens, account.tokenId)! }
}

const transactionColumns = [
  "r.item_id",
  hexSql("r.id"),
  "r.type",
  "r.position",
  "r.from_account_index",
  hexSql("r.from_address"),
  hexSql("r.from_public_key"),
  "r.to_account_index",
  hexSql("r.to_address"),
  hexSql("r.to_public_key"),
  "r.token_id",
  "r.amount",
  "r.batch_num",
  "r.historic_usd",
  "r.timestamp_ms",
  "r.queue",
  "r.user_origin",
  "r.deposit_amount",
  "r.amount_success",
  "r.deposit_amount_success",
  "r.historic_deposit_amount_usd",
  "r.ethereum_block_num",
  "r.fee",
  "r.historic_fee_usd",
  "r.nonce",
  hexSql("r.ethereum_tx_hash"),
  "r.l1_fee"
]
export const transactionRowSql = lineSql(transactionColumns)

/** Returns SQL for the token of an account that an L1 user transaction names. */
const accountToken = (index: string): string =>
  `CASE WHEN r.user_origin OR r.amount = 0 THEN (SELECT named.token_id FROM account AS named WHERE named.account_index = ${index} AND (r.batch_num IS NULL OR named.batch_num <= r.batch_num) LIMIT 1) END`
export const transactionItemSql = lineSql([
  ...transactionColumns,
  accountToken("r.from_account_index"),
  accountToken("r.to_account_index")
])

const accountOf = (index: string, name: string): string =>
  `LEFT JOIN LATERAL (SELECT * FROM account WHERE account.account_index = ${index} LIMIT 1) AS ${name} ON true`

/**
 * Returns a query of queued transactions that meet a condition. Addresses and public keys that they
 * lack come from their accounts, which may have been created since.
 */
export const queuedRows = (condition: string): string => `
SELECT q.item_id, q.id, q.type, q.position, q.from_account_index, q.from_address, coalesce(q.from_public_key, sender.public_key) AS from_public_key,
  q.to_account_index, coalesce(q.to_address, receiver.address) AS to_address, coalesce(q.to_public_key, receiver.public_key) AS to_public_key,
  q.token_id, q.amount, NULL::bigint AS batch_num, q.historic_usd, q.timestamp_ms, q.queue, q.user_origin, q.deposit_amount, q.amount_success,
  q.deposit_amount_success, q.historic_deposit_amount_usd, q.ethereum_block_num, q.fee, q.historic_fee_usd, q.nonce, q.ethereum_tx_hash, q.l1_fee
FROM (SELECT * FROM queued_transaction WHERE ${condition}) AS q
${accountOf("q.from_account_index", "sender")} ${accountOf("q.to_account_index", "receiver")}`

export const decodeTransaction = (line: string): Transaction => {
  const fields = fieldsOf(line)
  return Object.freeze({
    itemId: Number(fields[0]),
    id: prefixedHex(fields[1]!),
    type: transactionTypes[Number(fields[2])]!,
    position: Number(fields[3]),
    fromAccountIndex: intOrNull(fields[4]!),
    fromAddress: prefixedHexOrNull(fields[5]!),
    fromPublicKey: hexOrNull(fields[6]!),
    toAccountIndex: Number(fields[7]),
    toAddress: prefixedHexOrNull(fields[8]!),
    toPublicKey: hexOrNull(fields[9]!),
    tokenId: Number(fields[10]),
    amount: BigInt(fields[11]!),
    batchNum: intOrNull(fields[12]!),
    historicUSD: intOrNull(fields[13]!),
    timestampMs: Number(fields[14]),
    l1: fields[16] === "" ? null : Object.freeze({
      toForgeL1TransactionsNum: intOrNull(fields[15]!),
      userOrigin: booleanOf(fields[16]!),
      depositAmount: BigInt(fields[17]!),
      amountSuccess: booleanOf(fields[18]!),
      depositAmountSuccess: booleanOf(fields[19]!),
      historicDepositAmountUSD: intOrNull(fields[20]!),
      ethereumBlockNum: BigInt(fields[21]!),
      ethereumTxHash: prefixedHexOrNull(fields[25]!),
      l1Fee: bigOrNull(fields[26]!)
    }),
    l2: fields[22] === "" ? null : Object.freeze({
      fee: Number(fields[22]),
      historicFeeUSD: intOrNull(fields[23]!),
      nonce: BigInt(fields[24]!)
    })
  })
}

export const decodeTransactionItem = (line: string, tokens: Tokens): Items["transaction"] => {
  const transaction = decodeTransaction(line)
  const view = { transaction, token: tokenOf(tokens, transaction.tokenId)! }
  if (!mayNameOtherTokens(transaction)) return view
  const fields = fieldsOf(line)
  const otherToken = (field: string) =>
    field === "" || Number(field) === transaction.tokenId ? null : tokenOf(tokens, Number(field))
  const senderToken = otherToken(fields[transactionColumns.length]!)
  const receiverToken = otherToken(fields[transactionColumns.length + 1]!)
  return {
    ...view,
    ...senderToken === null ? {} : { senderToken },
    ...receiverToken === null ? {} : { receiverToken }
  }
}

export const exitRowSql = lineSql([
  "r.item_id",
  "r.batch_num",
  "r.account_index",
  "r.token_id",
  hexSql("r.address"),
  hexSql("r.public_key"),
  "r.balance",
  "r.proof_root",
  membersSql("r.proof_siblings"),
  "r.proof_old_key",
  "r.proof_old_value",
  "r.proof_is_old0",
  "r.proof_key",
  "r.proof_value",
  "r.proof_fnc",
  "r.instant_withdrawn",
  "r.delayed_withdraw_request",
  "r.delayed_withdrawn"
])
export const decodeExit = (line: string): Exit => {
  const fields = fieldsOf(line)
  return Object.freeze({
    itemId: Number(fields[0]),
    batchNum: Number(fields[1]),
    accountIndex: Number(fields[2]),
    tokenId: Number(fields[3]),
    address: prefixedHex(fields[4]!),
    publicKey: fields[5]!,
    merkleProof: Object.freeze({
      root: BigInt(fields[7]!),
      siblings: membersOf(fields[8]!, BigInt),
      oldKey: BigInt(fields[9]!),
      oldValue: BigInt(fields[10]!),
      isOld0: booleanOf(fields[11]!),
      key: BigInt(fields[12]!),
      value: BigInt(fields[13]!),
      fnc: Number(fields[14])
    }),
    balance: BigInt(fields[6]!),
    instantWithdrawn: bigOrNull(fields[15]!),
    delayedWithdrawRequest: bigOrNull(fields[16]!),
    delayedWithdrawn: bigOrNull(fields[17]!)
  })
}

export const decodeExitItem = (line: string, tokens: Tokens): Items["exit"] => {
  const exit = decodeExit(line)
  return { exit, token: tokenOf(tokens, exit.tokenId)! }
}

export const batchRowSql = lineSql([
  "r.item_id",
  "r.batch_num",
  "r.ethereum_block_num",
  hexSql("r.ethereum_block_hash"),
  "r.timestamp_ms",
  hexSql("r.forger_addr"),
  membersSql("r.collected_tokens"),
  membersSql("r.collected_amounts"),
  "r.historic_total_collected_fees_usd",
  "r.state_root",
  "r.num_accounts",
  "r.exit_root",
  "r.forge_l1_transactions_num",
  "r.slot_num",
  "r.transactions_to - r.transactions_from",
  hexSql("r.ethereum_tx_hash")
])
export const decodeBatch = (line: string): Batch => {
  const fields = fieldsOf(line)
  const amounts = membersOf(fields[7]!, BigInt)
  return Object.freeze({
    itemId: Number(fields[0]),
    batchNum: Number(fields[1]),
    ethereumBlockNum: BigInt(fields[2]!),
    ethereumBlockHash: prefixedHex(fields[3]!),
    timestampMs: Number(fields[4]),
    forgerAddr: prefixedHex(fields[5]!),
    collectedFees: Object.freeze(
      membersOf(fields[6]!, Number).map((tokenId, i) =>
        Object.freeze([tokenId, amounts[i]!] as const)
      )
    ),
    historicTotalCollectedFeesUSD: Number(fields[8]),
    stateRoot: BigInt(fields[9]!),
    numAccounts: Number(fields[10]),
    exitRoot: BigInt(fields[11]!),
    forgeL1TransactionsNum: intOrNull(fields[12]!),
    slotNum: Number(fields[13]),
    forgedTransactions: Number(fields[14]),
    ethereumTxHash: prefixedHexOrNull(fields[15]!)
  })
}
