import { type Answered, Connection, getRequest, postRequest } from "./_connection.ts"

/** The requested paths, in turn, and the expected status of each answer; 200 by default. */
export interface LoadRequests {
  readonly paths: ReadonlyArray<string>
  /** A header line of each path, in addition to Host. */
  readonly headers?: ReadonlyArray<string>
  readonly status?: 200 | 304
  /** Whether each request has a different `traceparent`, as behind a tracing proxy. */
  readonly isTraced?: boolean
}

const traceLine = `traceparent: 00-${"0".repeat(32)}-b7ad6b7169203331-00`

/** Returns the request with its own trace: its number in hexadecimal digits. */
const traced = (request: Buffer, number: number): Buffer => {
  const own = Buffer.from(request)
  const traceAt = own.length - "\r\n\r\n".length - traceLine.length + "traceparent: 00-".length
  own.write((number + 2 ** 40).toString(16), traceAt, "latin1")
  return own
}

/** Sends requests over keep-alive connections for some time. */
export const load = async (
  { connections, durationMs, headers = [], isTraced = false, paths, port, status = 200 }:
    & LoadRequests
    & { readonly port: number; readonly connections: number; readonly durationMs: number }
): Promise<{ readonly answers: number; readonly perSecond: number }> => {
  const requests = paths.map((path, at) =>
    getRequest(path, ...[headers[at] ?? [], isTraced ? traceLine : []].flat())
  )
  let sentCount = 0
  const started = performance.now()
  let now = started
  const answers = await exchange(port, connections, status, () => {
    now = performance.now()
    if (now - started >= durationMs) return undefined
    const request = requests[sentCount++ % requests.length]!
    return isTraced ? traced(request, sentCount) : request
  })
  return { answers, perSecond: answers / (now - started) * 1000 }
}

/** Posts each body once over keep-alive connections. */
export const post = async (
  port: number,
  path: string,
  connections: number,
  bodies: ReadonlyArray<string>
): Promise<void> => {
  const waiting = bodies.map((body) => postRequest(path, body))
  await exchange(port, connections, 200, () => waiting.pop())
}

/**
 * Sends one request after the other on each connection until there is none; every answer must have
 * the status. Returns the number of answers.
 */
const exchange = async (
  port: number,
  connections: number,
  status: number,
  next: () => Buffer | undefined
): Promise<number> => {
  let answers = 0
  const client = () =>
    new Promise<void>((resolve, reject) => {
      const connection = new Connection(port)
      const send = () => {
        const request = next()
        if (request !== undefined) return connection.ask(request, answered)
        connection.close()
        resolve()
      }
      const answered: Answered = (answer) => {
        if (answer?.status !== status) {
          return reject(new Error(`Expected ${status}, got ${answer?.head ?? "no answer"}`))
        }
        answers++
        send()
      }
      send()
    })
  await Promise.all(Array.from({ length: connections }, client))
  return answers
}

/** Returns the value below which a share of the values is. */
export const quantile = (values: ArrayLike<number>, share: number): number => {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN
}

/** Returns the median, and half the interquartile range as the spread. */
export const median = (values: ArrayLike<number>) => ({
  median: quantile(values, 0.5),
  spread: (quantile(values, 0.75) - quantile(values, 0.25)) / 2
})
