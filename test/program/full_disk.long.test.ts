import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { newAuthorization } from "./_group.ts"
import {
  assertServed,
  inDirectory,
  json,
  postJson,
  type Running,
  serve,
  type State,
  until
} from "./_program.ts"

interface FullDisk {
  readonly data: string
  /** Leaves no room for the writes of a program. */
  readonly fill: (program: Running) => void
  readonly free: (program: Running) => void
}

/** A file system in memory, which only root can mount. */
const smallFileSystem = (directory: string): FullDisk => {
  const mount = `${directory}-mount`
  mkdirSync(mount)
  run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", mount)
  const ballast = join(mount, "ballast")
  return {
    data: join(mount, "data"),
    fill: () => {
      assert.throws(() => writeFileSync(ballast, Buffer.alloc(2 ** 24)), "ENOSPC")
    },
    free: () => rmSync(ballast)
  }
}

/** A limit on the size of the files of the program; SQLite reports it as other systems a quota. */
const fileSizeLimit = (data: string): FullDisk => {
  const limit = ({ pid }: Running, bytes: string) =>
    run("prlimit", "--pid", String(pid), `--fsize=${bytes}:unlimited`)
  return {
    data,
    fill: (program) => limit(program, String(statSync(join(data, "journal.sqlite-wal")).size)),
    free: (program) => limit(program, "unlimited")
  }
}

const run = (command: string, ...words: ReadonlyArray<string>): void => {
  const { status, stderr } = spawnSync(command, words, { encoding: "utf8" })
  assert.strictEqual(status, 0, stderr)
}

const isRoot = process.getuid?.() === 0
const hasLimits = spawnSync("prlimit", ["--version"]).status === 0

const post = async ({ url }: Running, { body }: { readonly body: string }) => {
  const response = await postJson(`${url}/account-creation-authorization`, body)
  return { status: response.status, headers: response.headers, body: await response.text() }
}

/** Fills the disk under a running program, makes room again, kills the program and restarts it. */
const fillAndFree = async ({ data, fill, free }: FullDisk): Promise<void> => {
  const flags = ["--data", data, "--transactions", "150", "--pace", "0.3", "--admin-port", "0"]
  const program = await serve(...flags)
  const readiness = async () => {
    const response = await fetch(`${program.admin}/readyz`)
    return { status: response.status, body: await response.text() }
  }
  const stored = [newAuthorization(), newAuthorization()]
  assert.strictEqual((await post(program, stored[0]!)).status, 200)

  fill(program)
  const refused = newAuthorization()
  // the space that is left takes some writes
  await until(async () => {
    const some = newAuthorization()
    const { status } = await post(program, some)
    if (status === 200) stored.push(some)
    return status === 503
  }, program.output)
  const { body, headers, status } = await post(program, refused)
  assert.strictEqual(status, 503, body)
  assert.strictEqual(headers.get("retry-after"), "10")
  assert.include(body, "The server has no disk space for writes, and nothing was stored")
  await until(async () => (await readiness()).body.includes("cannot be written"), program.output)
  assert.strictEqual((await readiness()).status, 200)
  assert.include((await readiness()).body, '"state":"degraded"')
  assert.match(
    await (await fetch(`${program.admin}/metrics`)).text(),
    /^rollup_journal_failed_commits_total [1-9]/mu
  )
  const reads = ["/state", "/tokens", "/transactions-history?limit=3", stored[0]!.path]
  await assertServed(program.url, reads)
  assert.strictEqual((await fetch(program.url + refused.path)).status, 404)
  const { network: { lastSynchedBlock } } = await json<State>(`${program.url}/state`)

  free(program)
  await until(async () => (await readiness()).body.includes('{"state":"ok"'), program.output)
  assert.strictEqual((await post(program, refused)).status, 200)
  stored.push(refused)
  assert.strictEqual((await post(program, stored[1]!)).status, 200)
  await until(
    async () =>
      (await json<State>(`${program.url}/state`)).network.lastSynchedBlock > lastSynchedBlock + 3,
    program.output
  )
  assert.match(program.output(), /cannot be written[\s\S]*is written again/u)
  const state = await json<State>(`${program.url}/state`)
  await program.kill()

  const again = await serve(...flags)
  await assertServed(again.url, stored.map(({ path }) => path))
  assert.isAtLeast(
    (await json<State>(`${again.url}/state`)).network.lastSynchedBlock,
    state.network.lastSynchedBlock - 5
  )
  await again.kill()
}

describe("the program on a full disk", () => {
  const behaviour = "answers reads, refuses posts, and stores again when there is room"

  it.runIf(isRoot)(
    `${behaviour}: a small file system`,
    () =>
      inDirectory(async (directory) => {
        const disk = smallFileSystem(directory)
        try {
          await fillAndFree(disk)
        } finally {
          run("umount", "--lazy", `${directory}-mount`)
        }
      }),
    180_000
  )

  it.runIf(hasLimits)(
    `${behaviour}: a limit on the size of files`,
    () => inDirectory((directory) => fillAndFree(fileSizeLimit(directory))),
    180_000
  )
})
