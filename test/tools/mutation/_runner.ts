/*
 * Runs tests for Stryker in its own process. The runner of Stryker reloads everything for each
 * mutant, Effect included; this one reloads only the modules of this tree that the tests use.
 */
import { performance } from "node:perf_hooks"
import { forgetModules, loadFile, loadModulesAnew } from "./_modules.ts"
import { type Body, collected, type Context, type Hook, type Suite, type Task } from "./_vitest.ts"

/**
 * Maximum time without activity of this process during a test; computing time does not count,
 * because the machine may be busy.
 */
const IDLE_MS_MAX = 5000

/** Set by the campaign. */
const testFiles = JSON.parse(process.env.TEST_FILES!) as ReadonlyArray<string>

/** Shared by instrumented code and this runner. */
interface Mutants {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage?: { readonly static: Hits; readonly perTest: { [test: string]: Hits } }
}
interface Hits {
  [mutant: string]: number
}
const mutants = (globalThis as unknown as { __stryker__: Mutants }).__stryker__ ??= {}

interface MutantRun {
  readonly testFilter?: ReadonlyArray<string>
  readonly hitLimit?: number
  readonly activeMutant: { readonly id: string }
}
interface Outcome {
  readonly id: string
  readonly timeSpentMs: number
  readonly failure: string | undefined
}

/** Tests by file, outermost suite first. */
interface Planned {
  readonly id: string
  readonly task: Task
  readonly suites: ReadonlyArray<Suite>
}

const plan = (
  file: string,
  suite: Suite,
  above: ReadonlyArray<Suite> = []
): ReadonlyArray<Planned> => {
  const suites = [...above, suite]
  return suite.tasks.flatMap((task) =>
    task.type === "suite" ?
      plan(file, task, suites)
      : task.mode === "skip"
      ? []
      : [{
        id: [file, ...suites.slice(1).map(({ name }) => name), task.name].join(" > "),
        task,
        suites
      }]
  )
}

/** Fails with errors outside of any call, or if there is no activity any more. */
async function settled(what: () => unknown): Promise<void> {
  const started = performance.eventLoopUtilization()
  let watch: NodeJS.Timeout | undefined
  let fail: ((reason: unknown) => void) | undefined
  const stuck = new Promise<never>((_, reject) => {
    fail = reject
    watch = setInterval(() => {
      if (performance.eventLoopUtilization(started).idle > IDLE_MS_MAX) {
        reject(
          new Error(
            `It waits for something that does not happen, expected an end within ${IDLE_MS_MAX} ms`
          )
        )
      }
    }, 500)
  })
  process.on("uncaughtException", fail!)
  try {
    await Promise.race([what(), stuck])
  } finally {
    clearInterval(watch)
    process.off("uncaughtException", fail!)
  }
}

async function runTest({ suites, task }: Planned): Promise<void> {
  const finished: Array<() => unknown> = []
  const context: Context = {
    task,
    signal: new AbortController().signal,
    onTestFinished: (what) => void finished.push(what)
  }
  const hooks = (which: Hook): ReadonlyArray<Body> => suites.flatMap((suite) => suite.hooks[which])
  let failed = false
  try {
    for (const before of hooks("beforeEach")) await before(context)
    await task.body(context)
  } catch (error) {
    if (task.mode !== "fails") throw error
    failed = true
  } finally {
    for (const after of hooks("afterEach").toReversed()) await after(context)
    for (const what of finished) await what()
  }
  if (task.mode === "fails" && !failed) throw new Error("It passed, expected it to fail")
}

/** The suites of the files that were loaded since modules were last dropped. */
const suites = new Map<string, Suite>()

function loadAnew(): void {
  suites.clear()
  forgetModules()
}

/**
 * Runs the selected tests of a file, until `isEnough`; an error outside of a test fails the first
 * one.
 */
async function runFile(
  file: string,
  wanted: ReadonlySet<string> | undefined,
  isEnough: (outcome: Outcome) => boolean
): Promise<void> {
  const open: Array<Suite> = []
  const context = undefined as unknown as Context
  let first = [...wanted ?? []].find((id) => id.startsWith(`${file} > `)) ?? file
  const close = async (keep: number) => {
    while (open.length > keep) {
      for (const after of open.pop()!.hooks.afterAll.toReversed()) await after(context)
    }
  }
  try {
    let suite = suites.get(file)
    if (suite === undefined) suites.set(file, suite = await collected(file, () => loadFile(file)))
    for (const planned of plan(file, suite)) {
      if (wanted?.has(planned.id) === false) continue
      first = planned.id
      const started = performance.now()
      let failure: string | undefined
      try {
        await settled(async () => {
          await close(planned.suites.findIndex((one, at) => open[at] !== one) >>> 0)
          for (const one of planned.suites.slice(open.length)) {
            open.push(one)
            for (const before of one.hooks.beforeAll) await before(context)
          }
          mutants.currentTestId = planned.id
          await runTest(planned)
        })
      } catch (error) {
        failure = String(error instanceof Error ? error.stack : error)
      }
      mutants.currentTestId = file
      if (isEnough({ id: planned.id, timeSpentMs: performance.now() - started, failure })) break
    }
    await settled(() => close(0))
  } catch (error) {
    isEnough({
      id: first,
      timeSpentMs: 0,
      failure: String(error instanceof Error ? error.stack : error)
    })
  }
}

class InProcess {
  capabilities() {
    return { reloadEnvironment: true }
  }

  init(): void {
    // tests do not wait for a console
    console.log =
      console.info =
      console.error =
      console.warn =
        () => undefined
    loadModulesAnew()
  }

  /**
   * Each file is loaded alone, so that code that runs during loading is covered only by its own
   * tests.
   */
  async dryRun() {
    const tests: Array<Outcome> = []
    for (const file of testFiles) {
      loadAnew()
      mutants.currentTestId = file
      const from = tests.length
      await runFile(file, undefined, (outcome) => void tests.push(outcome) as unknown as boolean)
      const perTest = mutants.mutantCoverage?.perTest ?? {}
      for (const [mutant, hits] of Object.entries(perTest[file] ?? {})) {
        whileLoading.set(file, (whileLoading.get(file) ?? new Set()).add(mutant))
        for (const { id } of tests.slice(from)) {
          ;(perTest[id] ??= {})[mutant] = (perTest[id]![mutant] ?? 0) + hits
        }
      }
      delete perTest[file]
    }
    const failed = tests.find(({ failure }) => failure !== undefined)
    if (failed !== undefined) {
      return { status: "error", errorMessage: `${failed.id}: ${failed.failure}` }
    }
    return {
      status: "complete",
      tests: tests.map(({ id, timeSpentMs }) => ({
        id,
        name: id,
        timeSpentMs,
        fileName: id.split(" > ")[0],
        status: 0
      })),
      mutantCoverage: mutants.mutantCoverage
    }
  }

  readonly mutantRun = tryMutant
}

/**
 * Mutants that the dry run reached while it loaded a file, if it was in this process: loaded
 * modules may contain their effects.
 */
const whileLoading = new Map<string, Set<string>>()

/**
 * Tests a mutant with the loaded modules, if only running tests reach it. A failing test must pass
 * again without the mutant; otherwise some state was left behind. An undetected mutant may be
 * hidden by cached state. In both cases the mutant is tested again with reloaded modules.
 */
async function tryMutant(run: MutantRun): Promise<object> {
  const { activeMutant: { id }, hitLimit, testFilter = [] } = run
  const loaded = whileLoading.size === 0
    ? []
    : testFilter.filter((test) => whileLoading.get(test.split(" > ")[0]!)?.has(id) !== true)
  if (loaded.length > 0) {
    const { failed, nrOfTests } = await attempt({ ...run, testFilter: loaded })
    if (mutants.hitCount! > hitLimit!) {
      loadAnew()
      return endless(hitLimit!)
    }
    if (
      failed !== undefined &&
      (await attempt({ activeMutant: { id: "none" }, testFilter: [failed.id] })).failed ===
        undefined
    ) return killed(failed, nrOfTests)
  }
  loadAnew()
  const { failed, nrOfTests } = await attempt(run)
  if (loaded.length < testFilter.length) loadAnew()
  if (mutants.hitCount! > hitLimit!) return endless(hitLimit!)
  return failed === undefined ? { status: "survived", nrOfTests } : killed(failed, nrOfTests)
}

const endless = (hitLimit: number) => ({
  status: "timeout",
  reason: `It was reached more than ${hitLimit} times`
})
const killed = ({ failure, id }: Outcome, nrOfTests: number) => ({
  status: "killed",
  killedBy: [id],
  failureMessage: failure,
  nrOfTests
})

async function attempt(
  { activeMutant, hitLimit, testFilter }: MutantRun
): Promise<{ readonly failed: Outcome | undefined; readonly nrOfTests: number }> {
  const wanted = testFilter === undefined ? undefined : new Set(testFilter)
  const files = testFiles.filter((file) =>
    testFilter?.some((id) => id.startsWith(`${file} > `)) !== false
  )
  let failed: Outcome | undefined
  let nrOfTests = 0
  Object.assign(mutants, {
    activeMutant: activeMutant.id,
    hitLimit,
    hitCount: hitLimit === undefined ? undefined : 0
  })
  for (const file of files) {
    if (failed !== undefined) break
    await runFile(file, wanted, (outcome) => {
      nrOfTests++
      if (outcome.failure !== undefined) failed ??= outcome
      return failed !== undefined
    })
  }
  mutants.activeMutant = undefined
  return { failed, nrOfTests }
}

export const strykerPlugins = [{
  kind: "TestRunner",
  name: "in-process",
  factory: () => new InProcess()
}]
