import { readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import type { Manifest } from "./_project.ts"

/** The files that a package may contain: only what users need. */
const allowed: ReadonlyArray<RegExp> = [
  /^(?:package\.json|LICENSE)$/u,
  /^(?:(?:core|adapters|app|test)\/(?:\w+\/)*)?README\.md$/u,
  /^(?:app\/OPERATIONS|core\/PROTOCOL|app\/packaging\/CHANGELOG)\.md$/u,
  /^\.github\/(?:CONTRIBUTING|SECURITY)\.md$/u,
  /^test\/(?:\w+\/)+RESULTS\.md$/u,
  /^(?:core|adapters|app|test\/laws)\/(?:[\w/]+\/)?\w+\.ts$/u,
  /^dist\/(?:core|adapters|app|test\/laws)\/(?:[\w/]+\/)?\w+\.(?:js|d\.ts)(?:\.map)?$/u,
  // for synchronisers in any language
  /^dist\/(?:schemas\/(?:feed|admin)\.json|examples\/(?:genesis\.json|feed\.ndjson))$/u,
  // the program, bundled with its dependencies
  /^dist\/program\/(?:[\w-]+\.js|LICENSES\.txt)$/u,
  // dashboards and alert rules, for operators
  /^app\/monitoring\/[\w./-]+\.(?:json|ya?ml)$/u,
  /^app\/container\/(?:Containerfile(?:\.dockerignore)?|(?:grafana\/)?\w+\.yaml)$/u,
  /^app\/systemd\/rollup-node\.service$/u
]

/** Returns the faults of the files of an unpacked package. */
export const contentFaults = (
  folder: string,
  paths: ReadonlyArray<string>,
  manifest: Manifest
): ReadonlyArray<string> => {
  const there = new Set(paths)
  const text = (path: string) => readFileSync(join(folder, path), "utf8")
  const maps = paths.filter((path) => path.startsWith("dist/") && path.endsWith(".map"))
  const sources = new Set(maps.flatMap((path) => sourcesOf(path, text(path))))
  return [
    ...paths.filter((path) => !allowed.some((pattern) => pattern.test(path))).map((path) =>
      `${path} is of no use to users`
    ),
    ...paths.filter((path) => path.endsWith(".md")).flatMap((path) =>
      linkFaults(path, text(path), there)
    ),
    ...maps.flatMap((path) => sourceFaults(path, text(path), there)),
    ...paths.filter((path) =>
      path.endsWith(".ts") && !path.startsWith("dist/") && !sources.has(path)
    ).map((path) => `${path} is the source of no module: remove it from \`files\``),
    ...paths.filter((path) => path.endsWith(".js")).flatMap((path) =>
      importFaults(path, text(path), there, manifest)
    )
  ]
}

/** Every relative link of a document must refer to a file of the package. */
const linkFaults = (
  path: string,
  text: string,
  there: ReadonlySet<string>,
  paths = [...there]
): ReadonlyArray<string> =>
  [...text.replaceAll(/^```[\s\S]*?^```/gmu, "").matchAll(/\]\(([^)\s]+)\)/gu)].flatMap(
    ([, link]) => {
      if (/^(?:[a-z]+:|#)/u.test(link!)) return []
      const file = normalize(join(dirname(path), link!.split("#")[0]!))
      const isThere = there.has(file) || paths.some((path) => path.startsWith(`${file}/`))
      return isThere ? [] : [`${path} links to ${link}, which is not there`]
    }
  )

/** Returns the sources of a source map, relative to the package. */
const sourcesOf = (path: string, text: string): ReadonlyArray<string> =>
  (JSON.parse(text) as { readonly sources: ReadonlyArray<string> }).sources.map((source) =>
    normalize(join(dirname(path), source))
  )

/** A source map must refer to a source in the package. */
const sourceFaults = (
  path: string,
  text: string,
  there: ReadonlySet<string>
): ReadonlyArray<string> =>
  sourcesOf(path, text).filter((source) => !there.has(source)).map((source) =>
    `${path} leads to ${source}, which is not there`
  )

const statement =
  /^[ \t]*(?:import|export)\s(?:[^"';]*?\sfrom\s+)?"([^"\n]+)"|\bimport\("([^"\n]+)"\)/gmu

/** Every import must refer to a file of the package, Node, or a declared dependency. */
const importFaults = (
  path: string,
  text: string,
  there: ReadonlySet<string>,
  { dependencies }: Manifest
): ReadonlyArray<string> =>
  [...text.replaceAll(/\/\*[\s\S]*?\*\//gu, "").matchAll(statement)].flatMap((match) => {
    const specifier = (match[1] ?? match[2])!
    const isFound = specifier.startsWith(".") ?
      there.has(normalize(join(dirname(path), specifier)))
      : specifier.startsWith("node:") ||
        Object.keys(dependencies).some((name) =>
          specifier === name || specifier.startsWith(`${name}/`)
        )
    return isFound ? [] : [`${path} imports ${specifier}, which users do not have`]
  })
