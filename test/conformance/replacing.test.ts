import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { componentsOf, revisionList, type Shapes } from "../../core/contract/mod.ts"
import { rename, replaceObjects } from "../../core/contract/objects/mod.ts"
import { context } from "./_values.ts"

type Struct = Schema.Struct<{ readonly [name: string]: Schema.Top }>
type Parts = Partial<Struct> & {
  readonly members?: ReadonlyArray<Schema.Top>
  readonly value?: Schema.Top
}

/** Returns the objects in a type of the contract. */
const objectsIn = (schema: Schema.Constraint): ReadonlyArray<Struct> => {
  const { fields, members = [], value = Schema.Null } = schema as Parts
  if (fields !== undefined) return [schema as Struct, ...Object.values(fields).flatMap(objectsIn)]
  return [...members, ...value === Schema.Null ? [] : [value]].flatMap(objectsIn)
}

const documentOf = (shapes: Shapes) =>
  componentsOf(Object.values(shapes).map(({ schema }) => schema), context)

describe("a field of an object", () => {
  for (const { name, shapes } of revisionList) {
    it(`of revision ${name} is renamed wherever other objects contain the object, and changes nothing else`, () => {
      const before = documentOf(shapes)
      const renamed = new Set<string>()
      for (const object of Object.values(shapes).flatMap(({ schema }) => objectsIn(schema))) {
        const identifier = Schema.resolveAnnotations(object)?.identifier
        if (identifier === undefined || renamed.has(identifier)) continue
        renamed.add(identifier)
        const other = rename(object, { [Object.keys(object.fields)[0]!]: "other" })
        assert.deepStrictEqual(
          Schema.resolveAnnotations(other),
          Schema.resolveAnnotations(object)
        )
        const { [identifier]: expected } = componentsOf([other], context)
        assert.property(expected!.properties, "other", identifier)
        assert.deepStrictEqual(documentOf(replaceObjects(shapes, other)), {
          ...before,
          [identifier]: expected
        })
      }
      assert.sameMembers([...renamed], Object.keys(before))
    })
  }

  it("of an object that no revision has is refused with the name", () => {
    for (const { shapes } of revisionList) {
      assert.throws(
        () => replaceObjects(shapes, Schema.Struct({}).annotate({ identifier: "Acount" })),
        "No object of the contract is called Acount"
      )
    }
  })
})
