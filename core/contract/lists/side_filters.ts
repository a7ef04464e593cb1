/** What filters by account, by address and by key have in common in all lists. */
export const sideFilters = {
  accountIndex: { scalar: "accountIndex", match: "equal", parameter: "accountIndex" },
  fromAccountIndex: { scalar: "accountIndex", match: "equal", parameter: "fromAccountIndex" },
  toAccountIndex: { scalar: "accountIndex", match: "equal", parameter: "toAccountIndex" },
  address: { scalar: "prefixedAddress", match: "equal", parameter: "zkEthereumAddress" },
  fromAddress: { scalar: "prefixedAddress", match: "equal", parameter: "fromZkEthereumAddress" },
  toAddress: { scalar: "prefixedAddress", match: "equal", parameter: "toZkEthereumAddress" },
  publicKey: { scalar: "publicKey", match: "equal", parameter: "BJJ" },
  fromPublicKey: { scalar: "publicKey", match: "equal", parameter: "fromBJJ" },
  toPublicKey: { scalar: "publicKey", match: "equal", parameter: "toBJJ" }
} as const

/**
 * Filters by account, by address and by key: of both sides of a transaction, of the sender and of
 * the receiver.
 */
const families = [
  ["accountIndex", "fromAccountIndex", "toAccountIndex"],
  ["address", "fromAddress", "toAddress"],
  ["publicKey", "fromPublicKey", "toPublicKey"]
] as const

type Family = typeof families[number]
type Pair<One, Other> = One extends string ? Other extends string ? readonly [One, Other] : never
  : never
type Exclusion<F extends Family> = F extends Family ?
    | Pair<F[0], F[1] | F[2]>
    | Pair<F[number], Exclude<Family, F>[number]>
  : never

/** The families exclude each other; the filter of both sides excludes those of one side. */
export const sideExclusions = families.flatMap(([both, from, to], number) => [
  [both, from],
  [both, to],
  ...families.slice(number + 1).flatMap((others) =>
    [both, from, to].flatMap((one) => others.map((other) => [one, other]))
  )
]) as ReadonlyArray<unknown> as ReadonlyArray<Exclusion<Family>>
