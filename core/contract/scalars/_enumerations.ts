import { poolStates, poolTransactionTypes, transactionTypes } from "../../domain/mod.ts"
import { oneOf } from "./_scalar.ts"

export const baseCurrency = oneOf(["USD"], { description: "The currency of all prices" })

export const transactionType = oneOf(transactionTypes, { description: "Type of transaction" })
export const poolTransactionType = oneOf(poolTransactionTypes, {
  description: "Type of L2 transaction"
})
export const poolState = oneOf(poolStates, {
  description: "pend: pending, fing: forging, fged: forged, invl: invalid"
})
export const healthStatus = oneOf(["UP", "DOWN"])
export const layer = oneOf(["L1", "L2"])
