import { connect, type Socket } from "node:net"
import { kinds } from "../../tools/overload/_kinds.ts"
import { headMax } from "../_load.ts"
import type { ClosedLoop, ClosedLoopResult } from "./_closed_loop.ts"

/*
 * Clients in their own process that each send a request as soon as they have an answer, and ignore
 * `Retry-After`: after a 503 they send the same request again at once. Each message from the parent
 * describes a run, and is answered with its result.
 */

const received = Buffer.allocUnsafe(65_536)

/** Bodies that have not been accepted yet, across runs. */
const bodies: Array<string> = []
/** A page that was requested is not requested again. */
let pages = 0

const nextRead = (): Buffer =>
  Buffer.from(`GET ${kinds[0]!.path(pages++)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`, "latin1")

const nextPost = (): Buffer => {
  const body = bodies.pop()
  if (body === undefined) throw new Error("No transaction is left: sign more of them")
  const length = Buffer.byteLength(body)
  return Buffer.from(
    `POST /transactions-pool HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`
  )
}

const run = async (
  { connections, durationMs, kind, port, settleMs }: ClosedLoop
): Promise<ClosedLoopResult> => {
  const next = kind === "reads" ? nextRead : nextPost
  let [served, refused, isOver] = [0, 0, false]
  let fail: (error: Error) => void = () => {}
  const failed = new Promise<never>((_, reject) => fail = reject)
  failed.catch(() => {})
  const sockets = await Promise.all(
    Array.from({ length: connections }, () =>
      new Promise<Socket>((resolve) => {
        let request: Buffer = Buffer.alloc(0)
        let missing = 0
        const receive = (length: number): boolean => {
          if (missing === 0) {
            const head = received.toString("latin1", 0, Math.min(length, headMax))
            const end = head.indexOf("\r\n\r\n")
            const declared = /content-length: (\d+)/iu.exec(head)?.[1]
            const status = Number(head.slice(9, 12))
            if (end < 0 || declared === undefined || (status !== 200 && status !== 503)) {
              fail(new Error(`Expected 200 or 503 and a length: ${head.slice(0, 300)}`))
              return true
            }
            missing = Number(declared) + end + 4
            if (status === 503) refused++
            else {
              served++
              if (!isOver) request = next()
            }
          }
          missing -= length
          if (missing === 0 && !isOver) socket.write(request)
          return true
        }
        const socket = connect({
          port,
          host: "127.0.0.1",
          noDelay: true,
          onread: { buffer: received, callback: receive }
        }, () => resolve(socket))
        socket.on("error", (error) => fail(error))
        socket.once("start", () => socket.write(request = next()))
      }))
  )
  for (const socket of sockets) socket.emit("start")
  const wait = (ms: number) =>
    Promise.race([failed, new Promise<void>((resolve) => setTimeout(resolve, ms))])
  await wait(settleMs)
  const [before, startedMs] = [{ served, refused }, performance.now()]
  await wait(durationMs)
  const seconds = (performance.now() - startedMs) / 1000
  isOver = true
  const result = {
    servedPerSecond: (served - before.served) / seconds,
    refusedPerSecond: (refused - before.refused) / seconds,
    bodiesLeft: bodies.length
  }
  for (const socket of sockets) socket.destroy()
  return result
}

process.on("message", (message: ClosedLoop | { readonly bodies: ReadonlyArray<string> }) => {
  if ("bodies" in message) bodies.push(...message.bodies)
  else {
    run(message).then((result) => process.send!(result), (error: unknown) => {
      console.error(error)
      process.exit(1)
    })
  }
})
process.on("disconnect", () => process.exit())
