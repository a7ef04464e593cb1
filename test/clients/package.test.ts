import { assert, describe, it } from "@effect/vitest"
import { locked, manifest, read } from "../packaging/_project.ts"

/* The package of the published client library, which is for tests only. */

interface Package {
  readonly private: boolean
  readonly dependencies: { readonly [name: string]: string }
}
interface Lock {
  readonly packages: {
    readonly [folder: string]: { readonly version?: string; readonly resolved?: string }
  }
}
const own = JSON.parse(read("test/clients/package.json")) as Package
const lock = JSON.parse(read("test/clients/package-lock.json")) as Lock

describe("the package of the published clients", () => {
  it("is the only one that depends on the library, in exact versions", () => {
    assert.isTrue(own.private)
    for (const version of Object.values(own.dependencies)) {
      assert.match(version, /^(?:npm:@hermeznetwork\/hermezjs@)?\d+\.\d+\.\d+$/u)
    }
    for (const [name, version] of [["hermezjs-1", "1.1.9"], ["hermezjs-2", "2.0.1"]] as const) {
      assert.strictEqual(lock.packages[`node_modules/${name}`]?.version, version)
    }
    const others = [...Object.keys(locked), ...Object.keys(manifest.dependencies)]
    assert.deepStrictEqual(others.filter((name) => /hermez/u.test(name)), [])
  })

  it("runs no scripts of packages, and its lock file names no registry", () => {
    assert.include(read("test/clients/.npmrc"), "ignore-scripts=true\n")
    const packages = Object.values(lock.packages)
    assert.isAbove(packages.length, 100)
    assert.deepStrictEqual(packages.filter(({ resolved }) => resolved !== undefined), [])
  })

  it("shows the example that the README runs", () => {
    const example = read("test/clients/published/example.cjs")
    assert.include(read("test/clients/README.md"), `\n\`\`\`js\n${example}\`\`\`\n`)
    assert.include(read("README.md"), "cp test/clients/published/example.cjs ")
  })
})
