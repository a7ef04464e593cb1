import { randomBytes } from "node:crypto"
import {
  derivePublicKey,
  ethereumAddress,
  signAuthorization
} from "../../../adapters/crypto/mod.ts"
import {
  ann,
  authorizationText,
  network,
  signed,
  transactionText
} from "../../submission/_wallets.ts"

export interface HeapRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
}

/** Requests of one kind. */
export interface RequestKind {
  readonly name: string
  /** Expected status of each answer. */
  readonly status: number
  /** Returns the request with a number; no other request of the run has this number. */
  readonly request: (number: number) => HeapRequest
  readonly isAdmin?: boolean
  readonly isNewConnection?: boolean
  /** Whether a request takes milliseconds, so that there are fewer of them. */
  readonly isSlow?: boolean
  /** Whether a store in memory keeps something for each request. */
  readonly isStored?: boolean
}

export const adminToken = "0123456789abcdef"
/** The resources of a ledger with accounts 256 to 259. */
const page = (number: number) => `/accounts?limit=20&fromItem=${number % 3}`
const posting = (path: string, body: string): HeapRequest => ({
  method: "POST",
  path,
  headers: { "content-type": "application/json" },
  body
})
const transaction = (...parts: Parameters<typeof signed>) =>
  posting("/transactions-pool", transactionText(signed(...parts)))
const authorization = () => {
  const owner = randomBytes(32)
  const publicKey = derivePublicKey(randomBytes(32))
  return posting(
    "/account-creation-authorization",
    authorizationText({
      address: ethereumAddress(owner),
      publicKey,
      signature: signAuthorization(owner, publicKey, network)
    })
  )
}
/** Returns a request that applies lines of a feed. */
export const feedRequest = (body: string): HeapRequest => ({
  method: "POST",
  path: "/feed",
  headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/x-ndjson" },
  body
})

const quick = (
  name: string,
  status: number,
  request: RequestKind["request"],
  others: Partial<RequestKind> = {}
): RequestKind => ({ name, status, request, ...others })
const slow = (...[name, status, request, others]: Parameters<typeof quick>): RequestKind =>
  quick(name, status, request, { isSlow: true, ...others })

export const requestKinds: ReadonlyArray<RequestKind> = [
  quick("cached page", 200, (n) => ({ path: page(n) })),
  quick("new URL", 200, (n) => ({ path: `/accounts?fromItem=${n + 10}` })),
  quick("point read", 200, (n) => ({ path: `/accounts/zk:ETH:${256 + n % 2}` })),
  quick("compressed", 200, () => ({
    path: "/openapi.json",
    headers: { "accept-encoding": "gzip" }
  })),
  quick("not modified", 304, (n) => ({ path: page(n), headers: { "if-none-match": "*" } })),
  quick("unknown item", 404, (n) => ({ path: `/tokens/${n + 1000}` })),
  quick("unknown path", 404, (n) => ({ path: `/path-${n}` })),
  quick("invalid query", 400, (n) => ({ path: `/accounts?limit=0&from=${n}` })),
  quick("new connection", 200, (n) => ({ path: page(n) }), { isNewConnection: true }),
  quick("preflight", 204, () => ({
    method: "OPTIONS",
    path: "/transactions-pool",
    headers: { origin: "https://wallet.example", "access-control-request-method": "POST" }
  })),
  quick("invalid JSON", 400, (n) => posting("/transactions-pool", `{${n}`)),
  slow("wrong signature", 400, (n) =>
    posting(
      "/transactions-pool",
      transactionText({ ...signed(ann, { nonce: BigInt(n) }), signature: "0".repeat(128) })
    )),
  slow("transaction again", 200, () => transaction(ann, { amount: 10n ** 12n })),
  slow("new transaction", 200, (n) => transaction(ann, { nonce: BigInt(n) + 1n }), {
    isStored: true
  }),
  slow("authorization", 200, authorization, { isStored: true }),
  slow("metrics", 200, () => ({ path: "/metrics" }), { isAdmin: true }),
  slow("newer price", 200, (n) => {
    const price = `{"tokenId":0,"priceUSD":${1 + n % 3},"timeMs":${200_000 + n}}`
    return feedRequest(`{"kind":"prices","prices":[${price}]}\n`)
  }, { isAdmin: true })
]
