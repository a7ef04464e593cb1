import { group, setting } from "../setting.ts"
import { integer, networks, number } from "../value.ts"

export const clientLimits = group("Client limits", {
  requestsMax: setting({
    key: "limits.requests_max",
    flag: "requests-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 1024,
    doc: "Concurrent requests per process; requests that are answered at once do not count"
  }),
  queueDelayTargetMs: setting({
    key: "limits.queue_delay_target_ms",
    flag: "queue-delay-target-ms",
    value: integer({ minimum: 0, maximum: 60_000 }),
    default: 5,
    doc: "Target queue delay of requests while the server is overloaded; 0 disables load shedding"
  }),
  refusalDelayMaxMs: setting({
    key: "limits.refusal_delay_max_ms",
    flag: "refusal-delay-max-ms",
    value: integer({ minimum: 0, maximum: 60_000 }),
    default: 150,
    doc:
      "Maximum delay of responses with Retry-After if there are many of them; 0 disables the delay"
  }),
  httpConnectionsMax: setting({
    key: "limits.connections_max",
    flag: "connections-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 10_000,
    doc: "Concurrent client connections per process"
  }),
  headersTimeoutMs: setting({
    key: "limits.headers_timeout_ms",
    flag: "headers-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 10_000,
    doc: "Timeout for receiving the request headers"
  }),
  requestTimeoutMs: setting({
    key: "limits.request_timeout_ms",
    flag: "request-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 30_000,
    doc: "Timeout for receiving the whole request"
  }),
  idleTimeoutMs: setting({
    key: "limits.idle_timeout_ms",
    flag: "idle-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "Time that a connection without requests stays open"
  }),
  sendTimeoutMs: setting({
    key: "limits.send_timeout_ms",
    flag: "send-timeout-ms",
    value: integer({ minimum: 1, maximum: 3_600_000 }),
    default: 60_000,
    doc: "Timeout for a client to read a response"
  }),
  unreadBytesMax: setting({
    key: "limits.unread_bytes_max",
    flag: "unread-bytes-max",
    value: integer({ minimum: 1_048_576, maximum: Number.MAX_SAFE_INTEGER }),
    default: 268_435_456,
    doc: "Bytes of responses that clients have not read yet, per process"
  }),
  ratePerSecondMax: setting({
    key: "limits.rate_per_second_max",
    flag: "rate-per-second-max",
    value: number({ minimum: 0, maximum: 1_000_000 }),
    default: 0,
    doc: "Requests per second from one IPv4 address or IPv6 /64 network; 0 disables rate limiting"
  }),
  rateBurstMax: setting({
    key: "limits.rate_burst_max",
    flag: "rate-burst-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 100,
    doc: "Requests that one address may send in a burst if rate limiting is enabled"
  }),
  rateAddressesMax: setting({
    key: "limits.rate_addresses_max",
    flag: "rate-addresses-max",
    value: integer({ minimum: 1, maximum: 10_000_000 }),
    default: 65_536,
    doc:
      "Addresses tracked by rate limiting, about 100 bytes each; the least recently seen is evicted"
  }),
  trustedProxies: setting({
    key: "limits.trusted_proxies",
    flag: "trusted-proxies",
    value: networks,
    doc: "Proxies whose X-Forwarded-For header names the client; if not set, the peer is the client"
  })
})

export const requestLimits = group("Request limits", {
  jsonDepthMax: setting({
    key: "limits.json_depth_max",
    flag: "json-depth-max",
    value: integer({ minimum: 1, maximum: 1000 }),
    default: 32,
    doc: "Nesting depth of objects and arrays in a request body"
  }),
  listItemsMax: setting({
    key: "limits.list_items_max",
    flag: "list-items-max",
    value: integer({ minimum: 1, maximum: 1_000_000 }),
    default: 2049,
    doc: "Items in a list parameter, such as `ids`"
  }),
  urlBytesMax: setting({
    key: "limits.url_bytes_max",
    flag: "url-bytes-max",
    value: integer({ minimum: 256, maximum: 1_048_576 }),
    default: 8192,
    doc: "Bytes of the URL (path and query)"
  }),
  headerBytesMax: setting({
    key: "limits.header_bytes_max",
    flag: "header-bytes-max",
    value: integer({ minimum: 1024, maximum: 1_048_576 }),
    default: 16_384,
    doc: "Bytes of all request headers"
  }),
  bodyBytesMax: setting({
    key: "limits.body_bytes_max",
    flag: "body-bytes-max",
    value: integer({ minimum: 1024, maximum: 67_108_864 }),
    default: 65_536,
    doc: "Bytes of a request body"
  })
})
