/**
 * The head of the ledger, in the row that each write updates. No index contains these columns, so an
 * update with free space in the page is a HOT update: any number of heads needs the space of a few.
 */
export const headSchema: ReadonlyArray<string> = [
  `ALTER TABLE ledger
  ADD COLUMN head_number numeric(20, 0) CHECK (head_number BETWEEN 0 AND 18446744073709551615),
  ADD COLUMN head_hash bytea CHECK (octet_length(head_hash) = 32),
  ADD COLUMN head_timestamp_ms bigint,
  ADD COLUMN chain_head numeric(20, 0) CHECK (chain_head BETWEEN head_number AND 18446744073709551615),
  ADD CHECK (num_nulls(head_number, head_hash, head_timestamp_ms, chain_head) IN (0, 4))`
]
