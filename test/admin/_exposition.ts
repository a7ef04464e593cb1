export interface ExposedSample {
  readonly name: string
  readonly labels: { readonly [name: string]: string }
  readonly value: number
}

export interface ExposedFamily {
  readonly kind: string
  readonly help: string
  readonly samples: ReadonlyArray<ExposedSample>
}

/**
 * Parses the text format of Prometheus; throws if a line is malformed or two samples have the same
 * name and labels.
 */
export const readExposition = (text: string): ReadonlyMap<string, ExposedFamily> => {
  const families = new Map<string, { kind: string; help: string; samples: Array<ExposedSample> }>()
  const seen = new Set<string>()
  if (!text.endsWith("\n")) throw new Error("The last line has no line feed")
  for (const line of text.slice(0, -1).split("\n")) {
    const comment = /^# (HELP|TYPE) ([a-z][a-z0-9_]*) (.+)$/u.exec(line)
    if (comment !== null) {
      const [, keyword, name, content] = comment
      const family = families.get(name!) ?? { kind: "", help: "", samples: [] }
      if (family.samples.length > 0 || (keyword === "HELP" ? family.help : family.kind) !== "") {
        throw new Error(`${name} is described twice`)
      }
      families.set(
        name!,
        keyword === "HELP" ? { ...family, help: content! } : { ...family, kind: content! }
      )
      continue
    }
    const sample =
      /^([a-z][a-z0-9_]*)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\})? (\+Inf|-?[\d.]+(?:e[+-]?\d+)?)$/u
        .exec(line)
    if (sample === null) throw new Error(`No line of an exposition: ${line}`)
    const [, name, labels = "", value] = sample
    const family = families.get(name!) ?? families.get(name!.replace(/_(?:bucket|sum|count)$/u, ""))
    if (family === undefined) throw new Error(`${name} has no type`)
    const key = `${name}{${labels}}`
    if (seen.has(key)) throw new Error(`${key} stands there twice`)
    seen.add(key)
    family.samples.push({
      name: name!,
      value: value === "+Inf" ? Infinity : Number(value),
      labels: Object.fromEntries(
        [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/gu)].map((
          [, label, text]
        ) => [label!, text!])
      )
    })
  }
  return families
}

/** Returns the value of a sample, or undefined if there is none. */
export const sampleOf = (
  families: ReadonlyMap<string, ExposedFamily>,
  name: string,
  labels: { readonly [name: string]: string } = {}
): number | undefined =>
  families.get(name)?.samples.find((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  )?.value
