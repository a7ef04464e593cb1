import { assert, describe, it } from "@effect/vitest"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Client, newAuthorization } from "../_group.ts"
import { assertServed, command, inDirectory, serve, until } from "../_program.ts"

/* Moves the data directory of a running program, as an operator does by mistake. */

const flags = ["--transactions", "150", "--pace", "0.3", "--journal-bytes-max", "65536"]
/** Posts one authorization after the other until one is refused, and adds the acknowledged ones. */
const postUntilRefused = async (port: number, acknowledged: Array<string>): Promise<void> => {
  const client = new Client(port, false)
  for (;;) {
    const { body, path } = newAuthorization()
    const answer = await client.post("/account-creation-authorization", body).catch(() => undefined)
    if (answer?.status !== 200) return
    acknowledged.push(path)
  }
}

/** Returns the bytes of all files of a directory, by their paths. */
const bytesOf = (directory: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile()
    ).map(({ name, parentPath }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), "base64")
    ])
  )

interface Moved {
  /** Where the data are now; undefined if nowhere. */
  readonly data: string | undefined
  /** The directory that took their place, if any. */
  readonly replacement: string | undefined
}

const rename = (from: string): string => {
  renameSync(from, `${from}.moved`)
  return `${from}.moved`
}

const moves: { readonly [name: string]: (directory: string) => Moved } = {
  "is renamed": (directory) => ({ data: rename(directory), replacement: undefined }),
  "is in a directory that is renamed": (directory) => ({
    data: join(rename(dirname(directory)), "data"),
    replacement: undefined
  }),
  "is replaced by a backup": (directory) => {
    const backup = `${directory}.backup`
    cpSync(directory, backup, { recursive: true })
    const data = rename(directory)
    renameSync(backup, directory)
    return { data, replacement: directory }
  },
  "is removed": (directory) => {
    rmSync(directory, { recursive: true })
    return { data: undefined, replacement: undefined }
  },
  "is a symbolic link that leads to another one afterwards": (directory) => {
    const data = join(dirname(directory), "first")
    const replacement = join(dirname(directory), "second")
    cpSync(data, replacement, { recursive: true })
    symlinkSync(replacement, `${directory}.new`)
    renameSync(`${directory}.new`, directory)
    return { data, replacement }
  }
}

describe("a program whose data directory", () => {
  for (const [name, move] of Object.entries(moves)) {
    it(
      `${name} exits with 4, has every acknowledged post where the data are now, and creates nothing at the path`,
      () =>
        inDirectory(async (parent) => {
          mkdirSync(parent)
          const directory = join(parent, "data")
          if (name.includes("link")) {
            mkdirSync(join(parent, "first"))
            symlinkSync(join(parent, "first"), directory)
          }
          const { ended, output, port } = await serve(
            "--admin-port",
            "0",
            "--data",
            directory,
            ...flags
          )
          const acknowledged: Array<string> = []
          const posting = [1, 2, 3].map(() => postUntilRefused(port, acknowledged))
          await until(
            () => output().includes("Checkpoint of") && acknowledged.length > 20,
            output
          )
          const { data, replacement } = move(directory)
          const before = replacement === undefined ? undefined : bytesOf(replacement)
          assert.deepStrictEqual(await ended, [4, null], output())
          assert.match(
            output(),
            /Directory "[^\n]*data" was moved, removed or replaced while it was open \("/u
          )
          await Promise.all(posting)
          if (replacement === undefined) assert.isFalse(existsSync(directory))
          else assert.deepStrictEqual(bytesOf(replacement), before)
          if (data === undefined) return
          const verified = command("verify", "--data", data)
          assert.strictEqual(verified.status, 0, verified.output)
          const again = await serve("--data", data, ...flags)
          await assertServed(again.url, acknowledged)
          await again.kill()
        }),
      120_000
    )
  }
})
