import { afterAll, assert, describe, it } from "@effect/vitest"
import { readExposition, sampleOf } from "../admin/_exposition.ts"
import { boardExpressions, faultsOf, rules } from "../admin/_monitoring.ts"
import { freshDatabase } from "../postgres/mod.ts"
import { Client, startGroup } from "./_group.ts"
import { killAll, until } from "./_program.ts"

interface Ready {
  readonly state: string
  readonly checks: { readonly workers: { readonly state: string; readonly detail: string } }
}

describe("the admin listener of a supervisor", () => {
  afterAll(killAll)

  it(
    "shows all workers in one scrape, for the dashboard and the alerts, and a worker that is killed",
    async () => {
      const { url } = await freshDatabase()
      const words = ["--database", url, "--simulate", "--transactions", "150", "--pace", "0.3"]
      const group = await startGroup(2, ...words)
      const admin = /Health and metrics at (http:[^\s",]+), of all workers/u.exec(
        group.output()
      )![1]!
      const scrape = async () => readExposition(await (await fetch(`${admin}/metrics`)).text())
      const readiness = async () => {
        const response = await fetch(`${admin}/readyz`)
        return { status: response.status, ...await response.json() as Ready }
      }

      // connections go to the workers in turn
      for (let i = 0; i < 10; i++) {
        const client = new Client(group.port, true)
        assert.strictEqual((await client.get("/tokens?limit=0")).status, 400)
        client.close()
      }
      const families = await scrape()
      const requests = families.get("rollup_http_requests_total")!.samples.filter(({ labels }) =>
        labels.operation === "getTokens" && labels.status === "400"
      )
      assert.deepStrictEqual(
        requests.map(({ labels: { worker }, value }) => [worker, value]).sort(),
        [["1", 5], ["2", 5]]
      )
      // the supervisor measures itself, without the label
      const processes = families.get("process_start_time_seconds")!.samples
      assert.deepStrictEqual(processes.map(({ labels }) => labels.worker).sort(), [
        "1",
        "2",
        undefined
      ])
      assert.strictEqual(sampleOf(families, "rollup_workers"), 2)
      assert.strictEqual(sampleOf(families, "rollup_metrics_unread"), 0)
      assert.strictEqual(sampleOf(families, "rollup_ledger_age_max_seconds"), Infinity)
      const missing = [...boardExpressions, ...rules].flatMap(({ expr }) =>
        faultsOf(expr, families)
      )
      assert.deepStrictEqual(missing.filter((fault) => !fault.endsWith("is not measured")), [])

      assert.deepInclude(await readiness(), { status: 200, state: "ok" })
      const [, second] = group.pids()
      process.kill(second!, "SIGKILL")
      const seen: Array<string> = []
      await until(async () => {
        const { checks, state } = await readiness()
        seen.push(`${state}: ${checks.workers.detail}`)
        return state === "degraded"
      }, () => seen.join("\n"))
      assert.match(
        seen.at(-1)!,
        /^degraded: 1 of 2 workers are ready; worker 2 (?:does not answer|is starting)$/u
      )
      await until(async () => (await readiness()).state === "ok", group.output)
      const after = await scrape()
      assert.strictEqual(sampleOf(after, "rollup_worker_restarts_total", { worker: "1" }), 0)
      assert.strictEqual(sampleOf(after, "rollup_worker_restarts_total", { worker: "2" }), 1)

      // a worker that does not answer in time is left out, and the others are shown
      const [first] = group.pids()
      process.kill(first!, "SIGSTOP")
      try {
        const frozen = await scrape()
        assert.strictEqual(sampleOf(frozen, "rollup_workers"), 1)
        assert.isUndefined(sampleOf(frozen, "process_cpu_seconds_total", { worker: "1" }))
        assert.isDefined(sampleOf(frozen, "process_cpu_seconds_total", { worker: "2" }))
        const { checks, status } = await readiness()
        assert.strictEqual(status, 200)
        assert.match(checks.workers.detail, /^1 of 2 workers are ready; worker 1 does not answer/u)
      } finally {
        process.kill(first!, "SIGCONT")
      }

      group.signal("SIGTERM")
      assert.deepStrictEqual(await group.ended, [0, null])
    },
    120_000
  )
})
