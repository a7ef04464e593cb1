import type { Golden } from "./_golden.ts"

/** Records which nullable properties were null, and which had a value, by object and name. */
export class Nullness {
  readonly #seen = new Map<string, { none: boolean; some: boolean }>()

  saw(path: string, isNull: boolean): void {
    const before = this.#seen.get(path) ?? { none: false, some: false }
    this.#seen.set(path, { none: before.none || isNull, some: before.some || !isNull })
  }

  /** Properties that were always null, or never. */
  get oneSided(): ReadonlyArray<string> {
    return [...this.#seen].flatMap(([path, { none, some }]) =>
      none && some ? [] : [`${path} is ${none ? "always" : "never"} null`]
    ).sort()
  }
}

/** Returns every difference of a value from its written definition. */
export function differences(
  value: unknown,
  golden: Golden,
  seen: Nullness,
  path: string
): ReadonlyArray<string> {
  const wrong = (
    expected: string
  ) => [
    `${path} is ${
      typeof value === "bigint" ? `${value}n` : JSON.stringify(value)?.slice(0, 200)
    }, expected ${expected}`
  ]
  switch (golden.kind) {
    case "text":
      return typeof value === "string" && golden.pattern.test(value)
        ? []
        : wrong(`text like ${golden.pattern.source}`)
    case "integer": {
      const whole = typeof value === "bigint" ||
        (typeof value === "number" && Number.isSafeInteger(value))
      return whole && value >= 0 && value <= golden.maximum
        ? []
        : wrong(`an integer from 0 to ${golden.maximum}`)
    }
    case "number":
      return typeof value === "number" && Number.isFinite(value) && value >= 0
        ? []
        : wrong("a number from 0")
    case "boolean":
      return typeof value === "boolean" ? [] : wrong("true or false")
    case "null or":
      seen.saw(path.replace(/^.*\/(?=\w+\.)/u, ""), value === null)
      return value === null ? [] : differences(value, golden.of, seen, path)
    case "array":
      if (!Array.isArray(value)) return wrong("an array")
      if (golden.length !== undefined && value.length !== golden.length) {
        return wrong(`${golden.length} elements`)
      }
      return value.flatMap((element) => differences(element, golden.of, seen, path))
    case "map":
      if (!isObject(value)) return wrong("an object")
      return Object.entries(value).flatMap(([key, inside]) =>
        /^(0|[1-9]\d*)$/u.test(key)
          ? differences(inside, golden.of, seen, `${path}.${key}`)
          : [`${path} has the key ${key}, expected a token id`]
      )
    case "object": {
      if (!isObject(value)) return wrong(golden.name)
      const unknown = Object.keys(value).filter((name) => !Object.hasOwn(golden.properties, name))
      const missing = Object.keys(golden.properties).filter((name) => !Object.hasOwn(value, name))
      return [
        ...unknown.map((name) => `${path} has ${name}, which ${golden.name} does not have`),
        ...missing.map((name) => `${path} lacks ${name} of ${golden.name}`),
        ...Object.entries(golden.properties).flatMap(([name, of]) =>
          Object.hasOwn(value, name)
            ? differences(value[name], of, seen, `${path}/${golden.name}.${name}`)
            : []
        )
      ]
    }
  }
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)
