/** Times that a ledger takes end with the year 8999, so that whatever is estimated from them keeps a year of four digits. */
export const timeMsMax = Date.UTC(9000, 0) - 1

/** The last time that RFC 3339 can write: estimates stop there. */
export const estimateMsMax = Date.UTC(10000, 0) - 1
