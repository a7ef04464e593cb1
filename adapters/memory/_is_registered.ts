import type { Filter } from "../../core/contract/mod.ts"
import type { LedgerState } from "./state/mod.ts"

/** Whether the thing that a filter names was ever registered and is still there. */
export const isRegistered = (
  { history, tokens }: LedgerState,
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
