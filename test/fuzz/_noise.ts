import type { Random } from "../memory/_random.ts"

/* Bytes that are not a valid request; the same source of numbers gives the same sequence. */

/**
 * The path of a smuggled request: a server that frames the bytes before it differently from a proxy
 * would read it.
 */
export const smuggledPath = "/smuggled"

export interface Noise {
  readonly bytes: Buffer
  /** The number of complete requests before the bytes; each gets a 200. */
  readonly before: number
  /** Whether the server closes the connection; otherwise the client does, after the last byte. */
  readonly isRefused: boolean
}

const request = (path: string, lines = "") => `GET ${path} HTTP/1.1\r\nHost: node\r\n${lines}\r\n`
const post = (lines: string, body: string) =>
  `POST /transactions-pool HTTP/1.1\r\nHost: node\r\nContent-Type: application/json\r\n${lines}\r\n${body}`
const hidden = request(smuggledPath)

/** Requests whose length is ambiguous; they are refused as a whole. */
const ambiguous: ReadonlyArray<string> = [
  post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${hidden}`),
  post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${hidden}`),
  post(`Content-Length: ${hidden.length}\r\nContent-Length: 0\r\n`, hidden),
  post(`Content-Length: 0, ${hidden.length}\r\n`, hidden),
  ...["+5", "-1", "0x5", "5 5", "5;", "1e1", "", "99999999999999999999999", "５"].map((length) =>
    post(`Content-Length: ${length}\r\n`, hidden)
  ),
  ...[
    "xchunked",
    "chunked, identity",
    "identity",
    "chunked, chunked",
    '"chunked"',
    "chunked;q=1",
    "\u000bchunked"
  ].map((coding) => post(`Transfer-Encoding: ${coding}\r\n`, `0\r\n\r\n${hidden}`)),
  post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", `0\r\n\r\n${hidden}`),
  post("Transfer-Encoding : chunked\r\n", `0\r\n\r\n${hidden}`),
  post("Content-Length : 0\r\n", hidden),
  post(" Transfer-Encoding: chunked\r\n", `0\r\n\r\n${hidden}`),
  post("X: y\r\n Transfer-Encoding: chunked\r\n", `0\r\n\r\n${hidden}`),
  post("X: y\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${hidden}`),
  post("X: y\rTransfer-Encoding: chunked\r\n", `0\r\n\r\n${hidden}`),
  post("X\u0000: y\r\n", ""),
  post("X: y\u0000\r\n", ""),
  post(": y\r\n", ""),
  post("X y\r\n", ""),
  post("X(: y\r\n", ""),
  ...[
    "g\r\n",
    "-1\r\n",
    "0x1\r\n",
    "ffffffffffffffffff\r\nx",
    "1 \r\nx\r\n",
    "1\nx\n",
    "3\r\nabcdef\r\n0\r\n\r\n",
    "\r\n"
  ].map((chunks) => post("Transfer-Encoding: chunked\r\n", `${chunks}${hidden}`))
]

const elsewhere: ReadonlyArray<string | Buffer> = [
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "SSH-2.0-OpenSSH_9.9\r\n",
  Buffer.from("16030100b5010000b10303aabbccdd", "hex"),
  "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n\r\n",
  "HELO node\r\n",
  "*1\r\n$4\r\nPING\r\n",
  "GET / HTTP/1.11\r\nHost: x\r\n\r\n",
  "GET / http/1.1\r\nHost: x\r\n\r\n",
  "get / HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET\t/ HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /tokens\u0000 HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET\r\n\r\n",
  "\u0000\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  "GET /\u00ff HTTP/1.1\r\nHost: x\r\n\r\n"
]

export const makeNoise = (random: Random): () => Noise => {
  const whole = () =>
    random.of([
      request("/tokens?limit=3"),
      request("/state", "X: y\r\n"),
      post("Content-Length: 2\r\n", "{}"),
      post("Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n")
    ])
  const garbage = (most: number) =>
    Buffer.from(Array.from({ length: 1 + random.below(most) }, () => random.below(256)))
  return () => {
    const before = random.chance(0.5) ? 0 : 1 + random.below(4)
    const noise = (content: string | Buffer, isRefused: boolean): Noise => ({
      bytes: Buffer.concat([
        Buffer.from(request("/config").repeat(before)),
        typeof content === "string" ? Buffer.from(content, "latin1") : content
      ]),
      before,
      isRefused
    })
    switch (random.below(8)) {
      case 0:
        return noise(random.of(ambiguous), true)
      case 1:
        return noise(random.of(elsewhere), true)
      case 2:
        return noise(
          Buffer.concat([Buffer.from([random.of([0, 1, 0x80, 0xff, 0x7f])]), garbage(300)]),
          true
        )
      case 3:
        return noise(
          random.of([
            `GET /${"x".repeat(60_000)} HTTP/1.1\r\nHost: node\r\n\r\n`,
            request("/tokens", `X: ${"y".repeat(60_000)}\r\n`),
            request("/tokens", "X: y\r\n".repeat(9000)),
            request("/tokens", `${"x".repeat(60_000)}: y\r\n`),
            `${"A".repeat(60_000)} / HTTP/1.1\r\n\r\n`
          ]),
          true
        )
      // the client disconnects in the middle of it
      case 4: {
        const text = whole()
        return noise(text.slice(0, random.below(text.length)), false)
      }
      case 5:
        return noise(post("Content-Length: 100\r\n", "{".repeat(random.below(100))), false)
      default: {
        const bytes = Buffer.from(whole(), "latin1")
        for (let i = random.below(3); i >= 0; i--) {
          bytes[random.below(bytes.length)] = random.of([
            0,
            9,
            10,
            13,
            32,
            44,
            58,
            255,
            random.below(256)
          ])
        }
        return noise(bytes, false)
      }
    }
  }
}
