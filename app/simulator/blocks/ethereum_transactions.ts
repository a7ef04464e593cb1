import { hexOfBytes } from "../../../core/encoding/mod.ts"
import { digestOf, type BlockDraft } from "../world/mod.ts"

const gasUsed = 120_000n
const gwei = 10n ** 9n

/**
 * Adds the Ethereum transactions of the batches and of the L1 user transactions of a block. Like
 * those of a synchroniser without them, some are missing.
 */
export function addEthereumTransactions(draft: BlockDraft): void {
  const transactionOf = (name: string) => {
    const digest = digestOf(`${draft.hash}/transaction/${name}`)
    return {
      isKnown: digest[0]! % 8 > 0,
      ethereumTxHash: `0x${hexOfBytes(digest)}`,
      gasPrice: BigInt(10 + digest[1]! % 50) * gwei
    }
  }
  if (draft.batches !== undefined) {
    draft.batches = draft.batches.map((batch) => {
      const { ethereumTxHash, isKnown } = transactionOf(`batch/${batch.batchNum}`)
      return isKnown ? { ...batch, ethereumTxHash } : batch
    })
  }
  if (draft.l1UserTransactions !== undefined) {
    draft.l1UserTransactions = draft.l1UserTransactions.map((feed) => {
      const name = `queue/${feed.toForgeL1TransactionsNum}/${feed.position}`
      const { ethereumTxHash, gasPrice, isKnown } = transactionOf(name)
      return isKnown ? { ...feed, ethereumTxHash, l1Fee: gasUsed * gasPrice } : feed
    })
  }
}
