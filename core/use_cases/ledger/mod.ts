export {
  lastBlock,
  type BlockReport,
  decidePrices,
  type FeedPosition,
  feedPosition,
  Ledger,
  type LedgerOptions,
  type RecordReport
} from "./ledger.ts"
