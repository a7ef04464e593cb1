import type { Worker } from "node:cluster"

/** What the supervisor and a process say to each other about connections, without anybody's knowing. */
interface Internal {
  readonly cmd: string
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
  readonly accepted?: boolean
}

/** How often it is looked whether all that a process said before its end has been read. */
const lookMs = 10

/**
 * Sees to what Node leaves undone where a process dies before it took a connection that was handed to it. The connection is kept until the
 * process says whether it takes it, so its client would wait for ever: another process gets it. And Node defers the event `disconnect`
 * until then, so nobody would learn that the process is gone.
 */
export const outlive = ({ process }: Worker): void => {
  const untaken = new Set<number>()
  let isTold = false
  const said = process as NodeJS.EventEmitter
  const send = process.send.bind(process) as (...given: ReadonlyArray<unknown>) => boolean
  process.send = (message: unknown, ...rest: ReadonlyArray<unknown>) => {
    const { act, seq } = message as Partial<Internal>
    if (act === "newconn" && seq !== undefined) untaken.add(seq)
    return send(message, ...rest)
  }
  said.on("internalMessage", ({ ack }: Internal) => {
    if (ack !== undefined) untaken.delete(ack)
  })
  said.once("disconnect", () => isTold = true)
  const settle = () => {
    if (process.connected) return void setTimeout(settle, lookMs)
    // Node tells it in the next tick, if it does
    setImmediate(() => {
      if (!isTold) said.emit("disconnect")
      for (const ack of untaken) said.emit("internalMessage", { cmd: "NODE_CLUSTER", ack, accepted: false } satisfies Internal)
    })
  }
  said.once("exit", settle)
}
