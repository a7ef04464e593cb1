import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ratioText, type Run, withFigures, withMarks } from "./_figures.ts"

const run = (part: string, sources: string): Run => ({
  part,
  title: `Part ${part}`,
  where: "Today.",
  sources
})
const figure = (measured: string) => ({ name: "a ÷ b", measured })

describe("the results of a benchmark", () => {
  it("have no ratio if its rounds scatter", () => {
    assert.strictEqual(ratioText([1, 1.1, 1.2]), "1.10 ± 0.10")
    assert.strictEqual(ratioText([100, 101, 99]), "100 ± 1")
    assert.match(ratioText([1, 2, 3]), /^no ratio: the rounds scatter by 50 %/u)
  })

  it("have one table for each part, which a run replaces, and those of earlier servers say so", () => {
    const first = withFigures("# Results\n\nText.\n\n## Notes\n", run("a", "1"), [figure("1.0")])
    const second = withFigures(first, run("b", "1"), [figure("2.0")])
    assert.match(second, /Text\.\n\n<!-- part a.*<!-- part b.*## Notes\n$/su)
    assert.notInclude(second, "earlier server")
    const third = withFigures(second, run("b", "2"), [figure("3.0")])
    assert.notInclude(third, "2.0")
    assert.match(third, /## Part a\n\n\*\*Measured with an earlier server\.\*\* Today\./u)
    assert.match(third, /## Part b\n\nToday\./u)
    assert.strictEqual(withFigures(third, run("b", "2"), [figure("3.0")]), third)
    assert.notInclude(withFigures(third, run("a", "2"), [figure("1.0")]), "earlier server")
    const { earlier, text } = withMarks(third, "1")
    assert.deepStrictEqual(earlier, ["b"])
    assert.match(text, /## Part a\n\nToday\..*## Part b\n\n\*\*Measured with an earlier/su)
  })

  it("have the date and the commit of each section that was measured by hand", () => {
    const results = readFileSync(join(import.meta.dirname, "RESULTS.md"), "utf8")
    const [, byHand = ""] = results.split("## What the figures do not mean")
    for (const section of byHand.split(/^## /mu).slice(1)) {
      assert.match(section, /^.*\n\nBy hand, \d{4}-\d\d-\d\d, commit [\da-f]{8}[,.:]/u)
    }
  })
})
