export { lastBlock } from "./last_block.ts"
export {
  type BlockReport,
  decidePrices,
  Ledger,
  type LedgerOptions,
  type RecordReport
} from "./ledger.ts"
