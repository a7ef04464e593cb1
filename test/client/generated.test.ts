import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { operations as declaredOperations } from "../../adapters/client/_declared.ts"
import { localName } from "../../adapters/client/local_name.ts"
import {
  bodies,
  offeredFilters,
  readOperationsOf,
  revisionList,
  writeOperationsOf
} from "../../core/contract/mod.ts"
import { localName as localNameOfCore } from "../../core/domain/mod.ts"
import { generatedFiles } from "./_generated.ts"

const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8")

describe("the declarations of the client", () => {
  for (const [path, text] of generatedFiles()) {
    it(`${path} matches the contract (npm run generate)`, () =>
      assert.strictEqual(read(path), text))
  }

  it("contain every operation and no other", () => {
    assert.deepStrictEqual(
      Object.keys(declaredOperations).sort(),
      [
        ...new Set(
          revisionList.flatMap((revision) =>
            [...readOperationsOf(revision), ...writeOperationsOf(revision)].map(([id]) => id)
          )
        )
      ].sort()
    )
  })

  it("have each filter of each revision, in its query and nowhere else", () => {
    for (const revision of revisionList) {
      const own = read(`adapters/client/${revision.name}.ts`)
      // a query that is the same in the default revision is imported from there
      const source = /^export interface SlotsQuery/mu.test(own)
        ? own
        : read("adapters/client/later.ts")
      for (const { filter, parameter } of offeredFilters(revision, "slots")) {
        assert.match(source, new RegExp(`readonly ${parameter}\\?: `, "u"), filter)
      }
    }
    assert.notInclude(read("adapters/client/later.ts"), "maxSlothNum")
    assert.match(read("adapters/client/earlier.ts"), /^ {2}readonly maxSlothNum\?: number$/mu)
  })

  it("use the names of another network as the core does", () => {
    const names = [
      ...Object.values(bodies).flatMap(({ fields }) => Object.keys(fields)),
      ...revisionList.flatMap(({ shapes }) =>
        Object.values(shapes).flatMap((shape) => Object.keys(shape.fields as object))
      ),
      ...[...read("adapters/client/later.ts").matchAll(/readonly (\w+)/gu)].map((match) =>
        match[1]!
      )
    ]
    assert.include(names, "requestToZkEthereumAddress")
    for (const prefix of ["zk", "hez", "z", "rollup2"]) {
      for (const name of names) {
        assert.strictEqual(
          localName(prefix, name),
          localNameOfCore({ prefix }, name),
          `${prefix} ${name}`
        )
      }
    }
  })
})
