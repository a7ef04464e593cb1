export {
  lastBlock,
  type BlockReport,
  decidePrices,
  Ledger,
  type LedgerOptions,
  type RecordReport
} from "./ledger.ts"
