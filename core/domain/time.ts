/**
 * Greatest time that a ledger accepts, at the end of the year 8999: estimates based on it still
 * have a year of four digits.
 */
export const timeMsMax = Date.UTC(9000, 0) - 1

/** Greatest time in RFC 3339, and upper bound of estimates. */
export const estimateMsMax = Date.UTC(10000, 0) - 1
