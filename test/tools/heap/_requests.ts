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
const withHeaders = (path: string, headers: HeapRequest["headers"] & {}) => ({ path, headers })

export const requestKinds: ReadonlyArray<RequestKind> = [
  { name: "cached page", status: 200, request: (n) => ({ path: page(n) }) },
  { name: "new URL", status: 200, request: (n) => ({ path: `/accounts?fromItem=${n + 10}` }) },
  {
    name: "point read",
    status: 200,
    request: (n) => ({ path: `/accounts/zk:ETH:${256 + n % 2}` })
  },
  {
    name: "compressed",
    status: 200,
    request: () => withHeaders("/openapi.json", { "accept-encoding": "gzip" })
  },
  {
    name: "not modified",
    status: 304,
    request: (n) => withHeaders(page(n), { "if-none-match": "*" })
  },
  { name: "unknown item", status: 404, request: (n) => ({ path: `/tokens/${n + 1000}` }) },
  { name: "unknown path", status: 404, request: (n) => ({ path: `/path-${n}` }) },
  { name: "invalid query", status: 400, request: (n) => ({ path: `/accounts?limit=0&from=${n}` }) },
  {
    name: "new connection",
    status: 200,
    request: (n) => ({ path: page(n) }),
    isNewConnection: true
  },
  {
    name: "preflight",
    status: 204,
    request: () => ({
      method: "OPTIONS",
      path: "/transactions-pool",
      headers: { origin: "https://wallet.example", "access-control-request-method": "POST" }
    })
  },
  { name: "invalid JSON", status: 400, request: (n) => posting("/transactions-pool", `{${n}`) },
  {
    name: "wrong signature",
    status: 400,
    isSlow: true,
    request: (n) =>
      posting(
        "/transactions-pool",
        transactionText({ ...signed(ann, { nonce: BigInt(n) }), signature: "0".repeat(128) })
      )
  },
  {
    name: "transaction again",
    status: 200,
    isSlow: true,
    request: () => transaction(ann, { amount: 10n ** 12n })
  },
  {
    name: "new transaction",
    status: 200,
    isSlow: true,
    isStored: true,
    request: (n) => transaction(ann, { nonce: BigInt(n) + 1n })
  },
  {
    name: "authorization",
    status: 200,
    isSlow: true,
    isStored: true,
    request: authorization
  },
  {
    name: "metrics",
    status: 200,
    isAdmin: true,
    isSlow: true,
    request: () => ({ path: "/metrics" })
  },
  {
    name: "newer price",
    status: 200,
    isAdmin: true,
    isSlow: true,
    request: (n) => ({
      method: "POST",
      path: "/feed",
      headers: {
        authorization: `Bearer ${adminToken}`,
        "content-type": "application/x-ndjson"
      },
      body: `{"kind":"prices","prices":[{"tokenId":0,"priceUSD":${1 + n % 3},"timeMs":${
        200_000 + n
      }}]}\n`
    })
  }
]
