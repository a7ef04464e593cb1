import { assert, describe, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { locked, manifest, read, root } from "./_project.ts"

/** Licences without further conditions, which are compatible with MIT. */
const allowed: ReadonlySet<string> = new Set([
  "MIT",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "0BSD",
  "BlueOak-1.0.0"
])

const production = Object.entries(locked).filter(([folder, { dev }]) =>
  folder !== "" && dev !== true
)

describe("an installation of the package", () => {
  it("has allowed licences, by the lock file and the packages themselves", () => {
    assert.isAbove(production.length, 5)
    const refused = production.flatMap(([folder, { license }]) => {
      const own = existsSync(join(root, folder))
        ? (JSON.parse(read(`${folder}/package.json`)) as { license?: string }).license
        : license
      return license !== undefined && allowed.has(license) && own === license
        ? []
        : [`${folder}: ${license ?? "none"}, ${own ?? "none"}`]
    })
    assert.deepStrictEqual(refused, [])
  })

  it("contains every declared dependency, and few others", () => {
    for (const name of Object.keys(manifest.dependencies)) {
      assert.include(production.map(([folder]) => folder), `node_modules/${name}`)
    }
    assert.isAtMost(production.length, 20, production.map(([folder]) => folder).join(" "))
  })
})

describe("the lock file", () => {
  it("contains every dependency of every platform, as a clean install expects", () => {
    const missing = Object.entries(locked).flatMap(([folder, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) =>
        locked[`node_modules/${name}`] === undefined &&
        locked[`${folder}/node_modules/${name}`] === undefined
      )
    )
    assert.deepStrictEqual(missing, [])
    const { dependencies, devDependencies } = locked[""]!
    assert.deepStrictEqual({ ...dependencies, ...devDependencies }, {
      ...manifest.dependencies,
      ...manifest.devDependencies
    })
  })

  it("names versions, and no host to get them from", () => {
    assert.deepStrictEqual(
      Object.entries(locked).filter(([, { resolved }]) => resolved !== undefined).map(([folder]) =>
        folder
      ),
      []
    )
  })
})
