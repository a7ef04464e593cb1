/** What a simulated chain contains. */
export const chainOccurrences = [
  "token of 0 decimals",
  "token of 6 decimals",
  "token of 8 decimals",
  "token of 18 decimals",
  "token without price",
  "token without symbol and name",
  "token symbol with a colon",
  "token name beyond ASCII",
  "price in a block",
  "price between blocks",
  "price becomes unknown",
  "several coordinators",
  "coordinator registers again",
  "coordinator without URL",
  "bid",
  "outbid",
  "least possible bid",
  "bid below a raised minimum",
  "bid with another withdrawal address",
  "slot without bid",
  "batch of the boot coordinator",
  "batch of a winner",
  "batch of another coordinator after the slot deadline",
  "minimum bid raised",
  "minimum bid lowered",
  "minimum bid that an earlier change withholds from a slot",
  "outbidding changed",
  "slot deadline changed",
  "closed slots changed",
  "open slots changed",
  "donation address changed",
  "allocation ratio changed",
  "boot coordinator changed",
  "verifiers replaced",
  "rollup variables",
  "safe mode",
  "bucket with several withdrawals per period",
  "withdrawal delay changed",
  "withdrawal delay of 0",
  "emergency mode",
  "CreateAccountDeposit",
  "CreateAccountDepositTransfer",
  "Deposit",
  "DepositTransfer",
  "ForceTransfer",
  "ForceExit",
  "deposit fails",
  "forced transfer fails",
  "amount fails, deposit succeeds",
  "everything fails",
  "new account whose transfer fails",
  "creation with an exit of 0",
  "creation with an exit of an amount",
  "forced exit of more than the balance",
  "forced exit by another owner",
  "forced exit of another token",
  "leaf of 0",
  "exit without effect beside one with effect",
  "leaf of 0 rolled back",
  "leaf of 0 withdrawn instantly",
  "leaf of 0 requested",
  "leaf of 0 collected",
  "account with bit 254 of its key",
  "account with an unreduced key",
  "internal account with bit 254 of its key",
  "transfer to an account with bit 254 of its key",
  "transfer from an account with bit 254 of its key",
  "Transfer",
  "Exit",
  "transfer of 0 to an account that does not exist",
  "transfer of 0 to an account of another token",
  "fee selector 0",
  "fee selector 1 to 31",
  "fee selector 32 to 191",
  "fee selector 192 to 255",
  "coordinator account with signature",
  "internal account",
  "internal account with key 0",
  "user with accounts of several tokens",
  "empty batch",
  "several batches in a block",
  "batch of a queue filled in the same block",
  "batch without queue",
  "empty queue forged",
  "full queue",
  "several open queues",
  "fees collected",
  "two fee accounts of one token",
  "repeated fee account",
  "several exits of one account in a batch",
  "exits of one account in several batches",
  "instant withdrawal",
  "bucket update",
  "instant withdrawal without a bucket",
  "delayed request",
  "delayed collection",
  "request and collection in one block",
  "rollback of one block",
  "rollback of several blocks"
] as const

/** What the users of a live network post in addition. */
export const liveOccurrences = [
  "transaction with a last batch",
  "linked transactions",
  "atomic group",
  "replacement of a transaction",
  "transfer to the leaf key of an account",
  "authorization"
] as const

export type Occurrence = typeof chainOccurrences[number] | typeof liveOccurrences[number]

/** Counts what occurs in a simulated network. */
export class Occurrences {
  readonly #counts = new Map<Occurrence, number>(
    [...chainOccurrences, ...liveOccurrences].map((each) => [each, 0])
  )

  add(occurrence: Occurrence): void {
    this.#counts.set(occurrence, this.#counts.get(occurrence)! + 1)
  }

  addIf(isOccurring: boolean, occurrence: Occurrence): void {
    if (isOccurring) this.add(occurrence)
  }

  /** Returns how often each has occurred. */
  get counts(): Readonly<Record<Occurrence, number>> {
    return Object.fromEntries(this.#counts) as Record<Occurrence, number>
  }
}
