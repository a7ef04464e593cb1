import { driveOnce, prehistory, simulate, type SimulationOptions } from "../../app/simulator/mod.ts"
import { Ledger } from "../../core/use_cases/mod.ts"
import { layer, openMemoryPool } from "../../adapters/memory/mod.ts"
import { LedgerReader } from "../../core/ports/mod.ts"
import { keccak256 } from "../../adapters/crypto/mod.ts"
import { Effect } from "effect"
const run = (o: SimulationOptions, pre: number, live: number) => {
  const t = performance.now()
  const s = simulate(o)
  const exit = Effect.runSyncExit(Effect.gen(function*() { const l = yield* Ledger; const pool0 = openMemoryPool()
    const pool = { ...pool0, move: (...a: Parameters<typeof pool0.move>) => Effect.map(pool0.move(...a), (ids) => { if (ids.length !== a[0].length) throw new Error(`moved ${ids.length} of ${a[0].length} ${a[1]} ${a[2]}`); return ids }) }
    for (const r of prehistory(s, pre)) yield* l.applyRecord(r)
    for (let i = 0; i < live; i++) yield* driveOnce(s, { ledger: l, pool })
    const r = yield* LedgerReader
    return (yield* r.state).state
  }).pipe(Effect.provide(Ledger.layer(s.genesis, keccak256)), Effect.provide(layer(s.genesis))))
  console.log(JSON.stringify(o), exit._tag === "Failure" ? String(exit.cause).slice(0, 700) : "ok", Math.round(performance.now() - t))
  return exit
}
for (let seed = 0; seed < 4; seed++) run({ seed, users: 40, rollBackPeriodBlocks: 4, transactionsPerBlock: 8 }, 500, 120)
run({ seed: 1, users: 0 }, 0, 3)
run({ seed: 1, users: 3, tokens: 0, coordinators: 0, rollBackPeriodBlocks: 1 }, 300, 3)
run({ seed: 1, users: 5000, transactionsPerBlock: 5000 }, 60000, 0)
run({ seed: 5, users: 400, transactionsPerBlock: 1000, exitShare: 0, heavyShare: 0.36 }, 200000, 0)
const e = run({ seed: 1 }, 3000, 0)
if (e._tag === "Success") console.log(e.value.metrics, e.value.recommendedFee, e.value.currentSlot, e.value.nextForgers.map((f) => f.coordinator.url))
