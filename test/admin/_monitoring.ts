import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import type { ExposedFamily } from "./_exposition.ts"

/* The dashboard and the alert rules, and whether a scrape has the metrics that they use. */

const folder = join(import.meta.dirname, "../../app/monitoring")
interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly summary: string; readonly action: string }
}
/** The alert rules. */
export const rules = (parse(readFileSync(join(folder, "alerts.yaml"), "utf8")) as {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }>
}).groups.flatMap(({ rules }) => rules)
interface Panel {
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly targets?: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
}
/** The dashboard. */
export const board = JSON.parse(readFileSync(join(folder, "grafana_board.json"), "utf8")) as {
  readonly panels: ReadonlyArray<Panel>
  readonly annotations: {
    readonly list: ReadonlyArray<{ readonly name: string; readonly expr: string }>
  }
  readonly templating: {
    readonly list: ReadonlyArray<{ readonly name: string; readonly query: unknown }>
  }
}
/** The expressions of the dashboard, with the title of their panel or annotation. */
export const boardExpressions: ReadonlyArray<{ readonly title: string; readonly expr: string }> = [
  ...board.panels.flatMap(({ targets = [], title }) =>
    targets.map(({ expr }) => ({ title, expr }))
  ),
  ...board.annotations.list.map(({ expr, name }) => ({ title: name, expr }))
]

/** Labels that Prometheus adds, and the one of a group of workers. */
const added = ["job", "instance", "worker"]
/**
 * Returns the metrics of an expression. Functions, keywords and labels are lower case too, but only
 * our metrics have this prefix.
 */
export const namesIn = (expression: string) =>
  [...expression.matchAll(/\b((?:rollup|process)_[a-z0-9_]+)(?:\{([^}]*)\})?/gu)].map((
    [, name, matchers = ""]
  ) => ({ name: name!, matchers }))

/** Returns the faults of an expression with regard to a scrape. */
export const faultsOf = (
  expression: string,
  families: ReadonlyMap<string, ExposedFamily>
): ReadonlyArray<string> =>
  namesIn(expression).flatMap(({ matchers, name }) => {
    const samples = [...families.values()].flatMap(({ samples }) => samples).filter((sample) =>
      sample.name === name
    )
    if (samples.length === 0) return [`${name} is not measured`]
    return [
      ...[...matchers.matchAll(/([a-z_]+)(=~?)"([^"]*)"/gu)].flatMap(
        ([, label, operator, value]) => {
          if (added.includes(label!)) return []
          if (samples.every(({ labels }) => labels[label!] === undefined)) {
            return [`${name} has no label ${label}`]
          }
          // the set of statuses depends on the traffic
          return operator === "=" && label !== "status" &&
              samples.every(({ labels }) => labels[label!] !== value)
            ? [`${name} never has ${label}="${value}"`]
            : []
        }
      ),
      ...[...expression.matchAll(/\bby \(([^)]*)\)/gu)].flatMap(([, labels]) =>
        labels!.split(",").map((label) => label.trim())
      ).flatMap((label) =>
        added.includes(label) || samples.some(({ labels }) => labels[label] !== undefined)
          ? []
          : [`${name} has no label ${label}`]
      )
    ]
  })
