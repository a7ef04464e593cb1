import { group, setting } from "../setting.ts"
import { integer, networks, number } from "../value.ts"

export const clientLimits = group("Client limits", {
  requestsMax: setting({
    key: "limits.requests_max",
    sets: "http.requestsMax",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 1024,
    doc: "Concurrent requests per process; requests that are answered at once do not count",
    limit: { beyond: "503 with Retry-After" }
  }),
  queueDelayTargetMs: setting({
    key: "limits.queue_delay_target_ms",
    sets: "server.queueDelayTargetMs",
    value: integer({ minimum: 0, maximum: 60_000 }),
    default: 5,
    doc: "Target queue delay of requests while the server is overloaded; 0 disables load shedding",
    limit: { beyond: "503 with Retry-After, except for cached responses" }
  }),
  refusalDelayMaxMs: setting({
    key: "limits.refusal_delay_max_ms",
    sets: "server.refusalDelayMaxMs",
    value: integer({ minimum: 0, maximum: 60_000 }),
    default: 150,
    doc:
      "Maximum delay of responses with Retry-After if there are many of them; 0 disables the delay",
    limit: { beyond: "the response is sent", metric: "none: no request is refused" }
  }),
  httpConnectionsMax: setting({
    key: "limits.connections_max",
    sets: "server.connectionsMax",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 10_000,
    doc: "Concurrent client connections per process",
    limit: { beyond: "the connection is closed at once" }
  }),
  headersTimeoutMs: setting({
    key: "limits.headers_timeout_ms",
    sets: "server.headersTimeoutMs",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "Timeout for receiving the request headers",
    limit: { beyond: "408, and the connection is closed" }
  }),
  requestTimeoutMs: setting({
    key: "limits.request_timeout_ms",
    sets: "server.requestTimeoutMs",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 30_000,
    doc: "Timeout for receiving the whole request",
    limit: { beyond: "408, and the connection is closed" }
  }),
  idleTimeoutMs: setting({
    key: "limits.idle_timeout_ms",
    sets: "server.idleTimeoutMs",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "Time that a connection without requests stays open",
    limit: {
      beyond: "the connection is closed a second later",
      metric: "none: no request is refused"
    }
  }),
  sendTimeoutMs: setting({
    key: "limits.send_timeout_ms",
    sets: "server.sendTimeoutMs",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "Timeout for a client to read a response",
    limit: { beyond: "the connection is destroyed" }
  }),
  unreadBytesMax: setting({
    key: "limits.unread_bytes_max",
    sets: "server.unreadBytesMax",
    value: integer({ minimum: 1_048_576, maximum: Number.MAX_SAFE_INTEGER }),
    default: 268_435_456,
    doc: "Bytes of responses that clients have not read yet, per process",
    limit: {
      beyond:
        "the connections that read least are destroyed; responses above 16 KiB get 503 with Retry-After"
    }
  }),
  ratePerSecondMax: setting({
    key: "limits.rate_per_second_max",
    sets: "server.ratePerSecondMax",
    value: number({ minimum: 0, maximum: 1_000_000 }),
    default: 0,
    doc:
      "Requests per second from one IPv4 address or IPv6 /64 network, per process; 0 disables rate limiting",
    limit: { beyond: "429 with Retry-After, once the burst is used up" }
  }),
  rateBurstMax: setting({
    key: "limits.rate_burst_max",
    sets: "server.rateBurstMax",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 100,
    doc: "Requests that one address may send in a burst, per process, if rate limiting is enabled",
    limit: {
      beyond: "429 with Retry-After",
      metric: 'rollup_limit_hits_total{limit="ratePerSecondMax"}'
    }
  }),
  rateAddressesMax: setting({
    key: "limits.rate_addresses_max",
    sets: "server.rateAddressesMax",
    value: integer({ minimum: 1, maximum: 10_000_000 }),
    default: 65_536,
    doc:
      "Addresses tracked by rate limiting, per process, about 100 bytes each; the least recently seen is evicted",
    limit: {
      beyond: "the least recently seen address is evicted, and may send a burst again",
      metric: "none: no request is refused"
    }
  }),
  trustedProxies: setting({
    key: "limits.trusted_proxies",
    value: networks,
    doc: "Proxies whose X-Forwarded-For header names the client; if not set, the peer is the client"
  })
})

export const requestLimits = group("Request limits", {
  jsonDepthMax: setting({
    key: "limits.json_depth_max",
    sets: "http.jsonDepthMax",
    value: integer({ minimum: 1, maximum: 1000 }),
    default: 32,
    doc: "Nesting depth of objects and arrays in a request body",
    limit: { beyond: "400" }
  }),
  listItemsMax: setting({
    key: "limits.list_items_max",
    sets: "http.listItemsMax",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 2049,
    doc: "Items in a list parameter, such as `ids`",
    limit: { beyond: "400" }
  }),
  urlBytesMax: setting({
    key: "limits.url_bytes_max",
    sets: "http.urlBytesMax",
    value: integer({ minimum: 256, maximum: 1_048_576 }),
    default: 8192,
    doc: "Bytes of the URL (path and query)",
    limit: { beyond: "414" }
  }),
  headerBytesMax: setting({
    key: "limits.header_bytes_max",
    sets: "http.headerBytesMax",
    value: integer({ minimum: 1024, maximum: 1_048_576 }),
    default: 16_384,
    doc: "Bytes of all request headers",
    limit: { beyond: "431" }
  }),
  bodyBytesMax: setting({
    key: "limits.body_bytes_max",
    sets: "http.bodyBytesMax",
    value: integer({ minimum: 1024, maximum: 67_108_864 }),
    default: 65_536,
    doc: "Bytes of a request body",
    limit: { beyond: "413" }
  })
})
