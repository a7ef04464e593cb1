import { Effect, Exit, Layer } from "effect"
import { recordedStores } from "../../adapters/journal/mod.ts"
import { openMemoryLedger, openMemoryPool } from "../../adapters/memory/mod.ts"
import { type GenesisFeed, readFeedLine, StoreFailure, Submission } from "../../core/mod.ts"
import { remoteSubmission } from "./_asking.ts"
import { Gate, gatedLogs } from "./_gate.ts"
import { Replica } from "./_replica.ts"
import type { Follower, FollowerOptions } from "./membership.ts"

export const openFollower = ({ channel, fees, group }: FollowerOptions): Effect.Effect<Follower> =>
  Effect.gen(function*() {
    const genesis = genesisOf((yield* channel.first("network")).genesis)
    const [ledger, pool] = [openMemoryLedger({ genesis, ...fees }), openMemoryPool()]
    const gate = new Gate()
    channel.on("shown", ({ last }) => gate.show(last))
    const replica = new Replica({ channel, gate, stores: { genesis, ledger, pool } })
    yield* replica.catchUp
    yield* Effect.callback<void>((resume) => {
      // what others may have shown by then, and this one must have before it shows anything
      let shown: number | undefined
      const check = () => {
        if (shown !== undefined && replica.last >= shown) resume(Effect.void)
      }
      replica.onApplied = (last) => {
        channel.send({ kind: "applied", last })
        check()
      }
      channel.send({ kind: "join", last: replica.last })
      channel.on("joined", (joined) => {
        shown = joined.shown
        gate.show(shown)
        check()
      })
    })
    const logs = gatedLogs(gate, { append: () => { throw new Error("A follower writes nothing") }, durable: Effect.void })
    return {
      genesis,
      layer: Layer.merge(Layer.succeedContext(recordedStores({ id: group, ledger, pool, logs })), Layer.succeed(Submission, remoteSubmission(channel)))
    }
  })

const genesisOf = (line: string): GenesisFeed => {
  const record = readFeedLine(line)
  if (Exit.isSuccess(record) && record.value.kind === "genesis") return record.value.genesis
  throw new StoreFailure({ retry: false, message: "The writer named a network that cannot be read: processes of one group run one program" })
}
