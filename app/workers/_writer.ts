import { Effect } from "effect"
import { type Entry, type Journal, type RecordedStoresOptions, recordedStores } from "../../adapters/journal/mod.ts"
import { openMemoryLedger, openMemoryPool } from "../../adapters/memory/mod.ts"
import { writeFeedLine } from "../../core/mod.ts"
import type { Channel } from "./_channel.ts"
import { Gate, gatedLogs } from "./_gate.ts"
import { Replica } from "./_replica.ts"
import type { MemoryOptions, SharedMemory, Sharing } from "./membership.ts"

/** Characters of records that are sent at once. */
const sentCharacters = 2 ** 18

export const sharedJournal = ({ channel, group }: Sharing) => (journal: Journal): Pick<RecordedStoresOptions, "id" | "logs"> => {
  const gate = gateOf(channel)
  let appended = journal.length
  // what the one before wrote last may have reached nobody
  for (const kind of ["ledger", "pool"] as const) gate.applied(kind, appended)
  journal.onCommit = (entries, head) => channel.send({ kind: "accepted", records: { first: head - entries.length + 1, entries, head } })
  channel.on("pull", ({ first, of }) =>
    channel.send({ kind: "pulled", to: of, records: { first, entries: journal.entriesFrom(first, sentCharacters), head: journal.length } }))
  channel.send({ kind: "opened", genesis: journal.genesisLine, head: appended })
  const append = (entry: Entry) => {
    gate.applied(entry.kind, ++appended)
    journal.append(entry)
  }
  return { id: group, logs: gatedLogs(gate, { append, durable: journal.durable, failure: () => journal.failure }) }
}

export const sharedMemory = ({ channel, group }: Sharing, options: MemoryOptions): Effect.Effect<SharedMemory> =>
  Effect.gen(function*() {
    const { genesis } = options
    const [ledger, pool] = [openMemoryLedger(options), openMemoryPool()]
    const gate = gateOf(channel)
    const replica = new Replica({ channel, gate, stores: { genesis, ledger, pool } })
    yield* replica.catchUp
    channel.send({ kind: "opened", genesis: writeFeedLine({ kind: "genesis", genesis }), head: replica.last })
    let appended = replica.last
    let waiting: Array<Entry> = []
    const send = () => {
      const [entries, head] = [waiting, appended]
      waiting = []
      channel.send({ kind: "accepted", records: { first: head - entries.length + 1, entries, head } })
    }
    const append = (entry: Entry) => {
      gate.applied(entry.kind, ++appended)
      if (waiting.push(entry) === 1) setImmediate(send)
    }
    const logs = gatedLogs(gate, { append, durable: Effect.void, needsNoFeed: true })
    return { context: recordedStores({ id: group, ledger, pool, logs }), isResumed: replica.last > 0 }
  })

const gateOf = (channel: Channel): Gate => {
  const gate = new Gate()
  channel.on("shown", ({ last }) => gate.show(last))
  return gate
}
