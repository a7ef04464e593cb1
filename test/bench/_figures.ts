/*
 * The main figures of a run in one table. Each part records the figures that it measures; a figure
 * that no part measured is marked.
 */

/** The expected value of each figure, in the order of the table. */
const expected = {
  "item": ["single item, cached ÷ bare `node:http` with `JSON.stringify`", "≥ 0.85"],
  "page": ["20 transactions, cached ÷ the same", "≥ 2.0"],
  "unchanged": ["304 ÷ the same", "≥ 0.85"],
  "computed": ["single item and 20 transactions, computed ÷ the same", "≥ 0.7"],
  "sqlHot": ["hot page over PostgreSQL ÷ hand-written `node:http` + `pg`, prepared", "≥ 5"],
  "sqlCold": ["cold point read and cold page over PostgreSQL ÷ the same", "≥ 1.0"],
  "fastify": [
    "the same against Fastify + `pg` + `COUNT(*) OVER()` at 10⁶ rows, deep page",
    "≥ 200"
  ],
  "tail": ["p99 ÷ p50 at 70 % of capacity while blocks are being applied", "≤ 3"],
  "start": ["first answer after start: empty network, demo network", "< 1.5 s, < 3 s"],
  "memory": ["resident memory, idle server over PostgreSQL", "< 200 MB"]
} as const satisfies { readonly [figure: string]: readonly [what: string, expected: string] }
export type Figure = keyof typeof expected

const measured = new Map<Figure, Array<string>>()

/** Records a measurement of a figure; a figure with several parts is recorded several times. */
export const noteFigure = (figure: Figure, value: string): void => {
  const values = measured.get(figure)
  if (values === undefined) measured.set(figure, [value])
  else values.push(value)
}

/** Returns the table as Markdown, or an empty text if none of its figures was measured. */
export const figureTable = (): string =>
  measured.size === 0 ? "" : [
    "| figure | expected | measured |",
    "|---|---|---|",
    ...Object.entries(expected).map(([figure, [what, bound]]) =>
      `| ${what} | ${bound} | ${measured.get(figure as Figure)?.join(", ") ?? "not in this run"} |`
    )
  ].join("\n")
