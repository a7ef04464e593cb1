import type { Filter } from "../../core/contract/mod.ts"
import type { Ledger } from "./_ledger.ts"

/** Whether the thing that a filter names was ever registered and is still there. */
export const isRegistered = (
  { history, tokens }: Ledger,
  kind: NonNullable<Filter["references"]>,
  value: number
): boolean => {
  switch (kind) {
    case "token":
      return tokens.find(value) !== undefined
    case "account":
      return history.accounts.find(value) !== undefined
    case "batch":
      return history.batch(value) !== undefined
  }
}
