import { Checks, type Outcome } from "./_checks.ts"
import { type LoadedLibrary, loadLibrary } from "./_library.ts"
import { checkReads, type ReadOptions } from "./_reading.ts"
import { checkPosts, type Facts, type Server } from "./_sending.ts"
import { checkWallets } from "./_wallets.ts"

/*
 * Runs the checks of one version in a process of its own: versions share globals. Takes the job as
 * JSON and answers by a message.
 */

export type Job =
  & { readonly folder: string; readonly library: string }
  & (
    | { readonly kind: "wallets"; readonly ethereumUrl: string; readonly seed: string }
    | ({ readonly kind: "posts" } & Server)
    | ({ readonly kind: "reads" } & ReadOptions & {
      /** The functions that earlier jobs have called; not set before the last job of a version. */
      readonly called?: ReadonlyArray<string>
    })
  )

/** The outcomes of a job, and what the next job of the version has to know. */
export interface Report {
  readonly outcomes: ReadonlyArray<Outcome>
  readonly facts?: Facts
  readonly called: ReadonlyArray<string>
}

const walletCount = 100

const perform = async (job: Job, loaded: LoadedLibrary, checks: Checks) => {
  if (job.kind === "wallets") await checkWallets(loaded, { ...job, count: walletCount }, checks)
  if (job.kind === "posts") return checkPosts(loaded, job, checks)
  if (job.kind === "reads") {
    loaded.library.Environment.setEnvironment({ baseApiUrl: job.url })
    await checkReads(loaded, job, checks)
    if (job.called === undefined) return
    const called = new Set([...job.called, ...loaded.called])
    await checks.run("CoordinatorAPI", "every function was called", () => {
      const missing = Object.keys(loaded.library.CoordinatorAPI).filter((name) => !called.has(name))
      if (missing.length > 0) throw new Error(`Not called: ${missing.join(", ")}`)
    })
  }
}

const job = JSON.parse(process.argv[2]!) as Job
const checks = new Checks()
const loaded = loadLibrary(job.folder, job.library)
const facts = await perform(job, loaded, checks)
const report: Report = {
  outcomes: checks.outcomes,
  called: [...loaded.called],
  ...facts === undefined ? {} : { facts }
}
process.send!(report, () => process.exit())
