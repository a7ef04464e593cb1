import { assert, describe, it } from "@effect/vitest"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { doors, type Manifest, manifest, read, root } from "./_project.ts"

describe("the package", () => {
  it("has existing entry points, each built to its published path", () => {
    assert.isAbove(doors.length, 10)
    for (const [door, targets] of doors) {
      const source = targets["rollup-node-source"]
      assert.isTrue(existsSync(join(root, source)), `${door} leads to ${source}`)
      const built = `./dist/${source.slice(2, -".ts".length)}`
      assert.deepStrictEqual(
        [targets.types, targets.default],
        [`${built}.d.ts`, `${built}.js`],
        door
      )
    }
  })

  it("has a program that starts by its name", () => {
    assert.deepStrictEqual(Object.values(manifest.bin), ["./dist/program/main.js"])
    assert.match(read("app/main.js"), /^#!\/usr\/bin\/env node\n/u)
  })

  it("installs the Node that runs its commands", () => {
    assert.property(manifest.devDependencies, "node")
    const { version } = JSON.parse(read("node_modules/node/package.json")) as Manifest
    assert.strictEqual(process.version, `v${version}`)
  })

  it("documents the purpose of each dependency, and of nothing else", () => {
    const documented = (readme: string, heading: string) => {
      const section = read(readme).split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? ""
      return [...section.matchAll(/^\| (`.*?) \| (.+) \|$/gmu)].flatMap(([, names, purpose]) => {
        assert.isNotEmpty(purpose!.trim())
        return [...names!.matchAll(/`([^`]+)`/gu)].map((match) => match[1]!)
      }).toSorted()
    }
    assert.deepStrictEqual(
      documented("README.md", "Dependencies"),
      Object.keys(manifest.dependencies).toSorted()
    )
    assert.deepStrictEqual(
      documented("test/README.md", "Development dependencies"),
      Object.keys(manifest.devDependencies).toSorted()
    )
  })

  it("has a changelog that begins with this version", () => {
    const versions = [...read("app/packaging/CHANGELOG.md").matchAll(/^## (\d+\.\d+\.\d+)/gmu)].map(
      (match) => match[1]!
    )
    assert.strictEqual(versions[0], manifest.version)
    assert.strictEqual(new Set(versions).size, versions.length)
  })

  it("names its authors, and is published with provenance from one repository", () => {
    const { author, publishConfig, ...address } = JSON.parse(read("package.json")) as {
      readonly author: string
      readonly publishConfig: object
      readonly repository?: unknown
      readonly homepage?: unknown
      readonly bugs?: unknown
    }
    assert.include(read("LICENSE"), author)
    assert.deepStrictEqual(publishConfig, { access: "public", provenance: true })
    // npm compares the provenance with the repository: all three are set, or none yet
    const { bugs, homepage, repository } = address
    assert.strictEqual(repository === undefined, homepage === undefined)
    assert.strictEqual(repository === undefined, bugs === undefined)
  })

  it("has the licence of its LICENSE file", () => {
    assert.strictEqual(manifest.license, "MIT")
    assert.include(read("LICENSE"), "Permission is hereby granted, free of charge")
    assert.isAbove(statSync(join(root, "LICENSE")).size, 1000)
  })
})
