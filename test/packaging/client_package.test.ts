import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { killAll, serve } from "../program/_program.ts"
import { manifest, read, root } from "./_project.ts"

/** Bound of the installed size; that of `rollup-node-api` with its dependencies is 100 MB. */
const installedBytesMax = 200_000

const run = (command: string, args: ReadonlyArray<string>, cwd: string) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

const filesUnder = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))

describe("the package of the client", () => {
  it("installs alone into an empty project, and its example runs against a server", async () => {
    const folder = mkdtempSync(join(tmpdir(), "rollup-node-client-"))
    try {
      run(process.execPath, [join(root, "app/packaging/client.ts"), join(folder, "client")], root)
      writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
      // packs the folder as the registry would get it, instead of a link
      run("npm", ["install", "--offline", "--install-links", "./client"], folder)
      assert.deepStrictEqual(
        readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith(".")),
        ["rollup-node-api-client"]
      )

      const installed = join(folder, "node_modules/rollup-node-api-client")
      const { dependencies, version } = JSON.parse(
        readFileSync(join(installed, "package.json"), "utf8")
      )
      assert.deepStrictEqual([dependencies, version], [undefined, manifest.version])
      const bytes = filesUnder(installed).reduce((sum, file) => sum + statSync(file).size, 0)
      assert.isAtMost(bytes, installedBytesMax)
      assert.include(read("adapters/client/README.md"), `at most ${installedBytesMax / 1e6} MB`)

      const readme = readFileSync(join(installed, "README.md"), "utf8")
      const example = /^```js\n([\s\S]*?)^```$/mu.exec(readme)![1]!
      const { kill, url } = await serve("--memory", "--empty", "--admin-port", "off")
      writeFileSync(join(folder, "example.js"), example.replace("http://localhost:8080", url))
      assert.strictEqual(
        run(process.execPath, ["example.js"], folder),
        "Rollup Network 1337\n0 ETH\nRefused There is no token with id 4000000000\n"
      )
      await kill()
    } finally {
      killAll()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
