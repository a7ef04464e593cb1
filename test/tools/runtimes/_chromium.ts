import { execFile } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { extname, join, normalize } from "node:path"
import { promisify } from "node:util"

const types: { readonly [extension: string]: string } = {
  ".js": "text/javascript",
  ".json": "application/json",
  ".html": "text/html"
}

/** An import map with the files of the packages as they were installed, without a bundler. */
const page = (imports: object, url: string, module: string) =>
  `<!doctype html><meta charset="utf-8"><title>scenario</title>
<script type="importmap">${JSON.stringify({ imports })}</script>
<pre id="out">running</pre>
<script type="module">
const out = document.getElementById("out")
try {
  const { scenario } = await import("/${module}")
  out.textContent = await scenario(await (await fetch("/feed.ndjson")).text(), ${
    JSON.stringify(url)
  })
} catch (error) {
  out.textContent = "failed: " + (error.stack ?? error)
}
document.title = "done"
</script>`

/** Returns the imports of an installed package, from its `exports`. */
const importsOf = (folder: string, name: string): { [specifier: string]: string } => {
  const { exports } = JSON.parse(
    readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")
  ) as { exports: { [key: string]: unknown } }
  const found: { [specifier: string]: string } = {}
  for (const [key, target] of Object.entries(exports)) {
    const file = fileOf(target)
    if (file === undefined) continue
    const specifier = key === "." ? name : `${name}${key.slice(1)}`
    // an import map has no patterns: each matching file is listed
    for (const [star, path] of matches(join(folder, "node_modules", name), file)) {
      found[specifier.replace("*", star)] = `/node_modules/${name}/${path}`
    }
  }
  return found
}

/** Returns the files that a target of `exports` matches, each with the text of its star. */
const matches = (folder: string, target: string): ReadonlyArray<readonly [string, string]> => {
  const [before, after] = target.replace(/^\.\//u, "").split("*")
  if (after === undefined) return [["", before!]]
  return globSync(`${before}**/*${after}`, { cwd: folder }).map((
    path
  ) => [path.slice(before!.length, path.length - after.length), path])
}

const fileOf = (target: unknown): string | undefined => {
  if (typeof target === "string") return target
  if (typeof target !== "object" || target === null) return undefined
  const conditions = target as { readonly [condition: string]: unknown }
  return fileOf(conditions.browser ?? conditions.import ?? conditions.default)
}

/**
 * Serves a folder with the package installed and runs the scenario of a module in headless Chromium;
 * the server at `url` is another origin there.
 */
export const runInChromium = async (
  folder: string,
  chromium: string,
  packages: ReadonlyArray<string>,
  url: string,
  module: string
): Promise<string> => {
  const imports = Object.assign({}, ...packages.map((name) => importsOf(folder, name)))
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent((request.url ?? "/").split("?")[0]!))
    if (path === "/") {
      return response.setHeader("content-type", "text/html").end(page(imports, url, module))
    }
    const file = join(folder, path)
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
      return response.writeHead(404).end()
    }
    response.setHeader("content-type", types[extname(file)] ?? "text/plain").end(readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const profile = mkdtempSync(join(tmpdir(), "chromium-"))
  try {
    const { port } = server.address() as { port: number }
    const { stdout } = await promisify(execFile)(chromium, [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--user-data-dir=${profile}`,
      "--virtual-time-budget=60000",
      "--timeout=120000",
      "--dump-dom",
      `http://127.0.0.1:${port}/`
    ], { maxBuffer: 1 << 24, timeout: 180_000 })
    return /<pre id="out">([\s\S]*?)<\/pre>/u.exec(stdout)?.[1]?.replaceAll("&amp;", "&")
      .replaceAll("&lt;", "<") ?? `no answer: ${stdout.slice(0, 500)}`
  } finally {
    server.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}
