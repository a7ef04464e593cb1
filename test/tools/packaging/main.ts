import { execFileSync } from "node:child_process"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { arch, platform, tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { containerFaults } from "./_container_build.ts"
import { contentFaults } from "../../packaging/_contents.ts"
import { firstNodeFaults } from "./_first_node.ts"
import { strictProjectFaults } from "./_strict_project.ts"
import { manifest, readmes, root } from "../../packaging/_project.ts"

/*
 * Builds and packs the package, and checks the tarball. Each check prints its result; the program
 * exits with 1 if one fails.
 */

/**
 * Bounds of the download and of the installed size: a quarter above the actual size (3.3 and 12.7
 * MB in November 2026).
 */
const packedBytesMax = 3_700_000
const unpackedBytesMax = 14_100_000

/** The bound of the package of the program, installed. */
const programBytesMax = 10_000_000

const run = (command: string, args: ReadonlyArray<string>, cwd = root) =>
  execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 26
  })
const attw = join(
  dirname(createRequire(import.meta.url).resolve("@arethetypeswrong/cli/package.json")),
  "dist/index.js"
)
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    lstatSync(join(folder, path)).isFile()
  )
/** Returns the bytes of all files of a folder. */
const bytesOf = (folder: string) =>
  filesOf(folder).reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)
/** Returns the path of the tarball that `npm pack` makes. */
const pack = (target: string, ...words: ReadonlyArray<string>): string => {
  run("npm", ["pack", ...words, "--pack-destination", target])
  return join(target, readdirSync(target).find((file) => file.endsWith(".tgz"))!)
}

let failed = 0
const check = async (
  title: string,
  faults: () => ReadonlyArray<string> | Promise<ReadonlyArray<string>>
): Promise<void> => {
  let found: ReadonlyArray<string>
  try {
    found = await faults()
  } catch (error) {
    const { message, stderr = "", stdout = "" } = error as {
      message: string
      stderr?: string
      stdout?: string
    }
    found = [stdout + stderr || message]
  }
  if (found.length > 0) failed++
  console.log(
    `${found.length === 0 ? "ok  " : "FAIL"} ${title}${
      found.map((fault) => `\n     ${fault}`).join("")
    }`
  )
}
const atMost = (what: string, bytes: number, bytesMax: number) =>
  bytes <= bytesMax
    ? []
    : [
      `${what} is ${bytes} bytes, expected at most ${bytesMax}: check the additions before you raise the bound`
    ]

const folder = mkdtempSync(join(tmpdir(), "rollup-node-package-"))
try {
  const tarball = pack(folder)
  run("tar", ["-xzf", tarball, "-C", folder])
  const unpacked = join(folder, "package")
  const paths = filesOf(unpacked)
  const packedBytes = statSync(tarball).size
  const unpackedBytes = bytesOf(unpacked)
  console.log(`${paths.length} files, ${packedBytes} bytes packed, ${unpackedBytes} bytes unpacked`)

  await check(
    `it is at most ${packedBytesMax} bytes packed and ${unpackedBytesMax} unpacked`,
    () => [
      ...atMost("the tarball", packedBytes, packedBytesMax),
      ...atMost("the content", unpackedBytes, unpackedBytesMax)
    ]
  )
  await check("it contains exactly what users need", () => [
    ...contentFaults(unpacked, paths, manifest),
    ...["app/packaging/CHANGELOG.md", "LICENSE", "core/PROTOCOL.md", ...readmes].filter((path) =>
      !paths.includes(path)
    ).map((
      path
    ) => `${path} is missing`)
  ])
  await checkPackage(tarball)
  await check(
    "the client needs no other package, for its types neither",
    () => clientAlone(tarball, manifest.name, `${manifest.name}/client`)
  )
  const clientTarball = packDerived("client")
  await checkPackage(clientTarball)
  await check(
    "the package of the client works alone",
    () => clientAlone(clientTarball, `${manifest.name}-client`, `${manifest.name}-client`)
  )
  const programTarball = packDerived("program")
  await check(
    `the package of the program works alone, and is at most ${programBytesMax} bytes installed`,
    () => programAlone(programTarball, unpacked)
  )
  await check(
    "an empty project gets a durable node with npm install and ten lines",
    () => firstNodeFaults(tarball, join(folder, "first_node"))
  )
  await check(
    "the examples of README and of the embed guide compile in a strict project of Node without DOM",
    () => strictProjectFaults(join(folder, "first_node"))
  )
  await check("JSR takes the sources, and calls no type of the client slow", () => jsrFaults())
  await check(
    "the container file builds, and the image starts, is healthy, keeps data and stops",
    () => containerFaults(join(folder, "container"))
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`package: ${failed === 0 ? "all checks passed" : `${failed} failed`}`)
process.exitCode = failed === 0 ? 0 : 1

/** Checks the manifest, the entry points and the types of a package. */
async function checkPackage(tarball: string): Promise<void> {
  await check(`publint finds nothing in ${basename(tarball)}`, async () => {
    const { messages, pkg } = await publint({
      pack: { tarball: new Uint8Array(readFileSync(tarball)).buffer },
      strict: true
    })
    return messages.map((message) => formatMessage(message, pkg ?? {}) ?? message.code)
  })
  // there is no CommonJS, and resolvers without exports are not supported
  await check(
    `attw finds nothing in ${basename(tarball)}, as a package of modules only`,
    () => (run(process.execPath, [
      attw,
      tarball,
      "--profile",
      "esm-only",
      // a text file, which no import loads
      "--exclude-entrypoints",
      "examples/feed.ndjson"
    ]),
      [])
  )
}

/** Builds and packs the package of a part; returns its tarball. */
function packDerived(part: "client" | "program"): string {
  const [sources, target] = [join(folder, part), join(folder, `${part}_tarball`)]
  run(process.execPath, [join(root, `app/packaging/${part}.ts`), sources])
  mkdirSync(target)
  const tarball = pack(target, sources)
  console.log(
    `${part}: ${filesOf(sources).length} files, ${statSync(tarball).size} bytes packed, ${
      bytesOf(sources)
    } bytes unpacked`
  )
  return tarball
}

/**
 * Checks and runs the client in a project without its dependencies, with the strictest compiler
 * options.
 */
function clientAlone(tarball: string, name: string, door: string): ReadonlyArray<string> {
  const project = mkdtempSync(join(folder, "project"))
  const installed = join(project, "node_modules", name)
  mkdirSync(installed, { recursive: true })
  run("tar", ["-xzf", tarball, "-C", installed, "--strip-components", "1"])
  const program = `import { type later, rollupClient, valueOf } from "${door}"
const client = rollupClient({ url: "http://node", fetch: () => Promise.resolve(new Response(\`{"nonce":18446744073709551615}\`)) })
const { nonce }: later.Account = valueOf(await client.getAccount({ accountIndex: "zk:ETH:256" }))
console.log(String(nonce))
`
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  writeFileSync(join(project, "index.ts"), program)
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  const strict = "--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess"
  for (const module of ["nodenext", "esnext --moduleResolution bundler"]) {
    const flags = `${strict} --target ES2022 --lib ES2022,DOM --module ${module}`.split(" ")
    run(process.execPath, [compiler, ...flags, "--types", "", "index.ts"], project)
  }
  const output = run(process.execPath, ["index.js"], project).trim()
  return output === "18446744073709551615" &&
      readFileSync(join(project, "index.js"), "utf8").includes("rollupClient")
    ? []
    : [`it said ${output}`]
}

/** Installs the program as users do, and compares its help with that of the whole package. */
function programAlone(tarball: string, whole: string): ReadonlyArray<string> {
  const prefix = mkdtempSync(join(folder, "global"))
  run("npm", ["install", "--global", "--prefix", prefix, "--offline", tarball])
  const helpOf = (program: string) => run(process.execPath, [program, "--help"])
  const [own, expected] = [
    helpOf(join(prefix, "bin/rollup-node")),
    helpOf(join(whole, manifest.bin["rollup-node"]!))
  ]
  return [
    ...atMost("the program", bytesOf(join(prefix, "lib/node_modules")), programBytesMax),
    ...own === expected && own !== "" ? [] : [`its help is ${own}`]
  ]
}

/** Dry-runs the publication to JSR; Deno is one of the tested runtimes. */
function jsrFaults(): ReadonlyArray<string> {
  const runtimes = join(root, "test/tools/runtimes")
  const deno = join(runtimes, `node_modules/@deno/${platform()}-${arch()}-glibc/deno`)
  if (!existsSync(deno)) run("npm", ["install", "--no-package-lock", "--ignore-scripts"], runtimes)
  const sources = join(folder, "jsr")
  run(process.execPath, [join(root, "app/packaging/jsr.ts"), sources])
  run(deno, ["publish", "--dry-run", "--allow-dirty", "--allow-slow-types"], sources)
  try {
    run(deno, ["publish", "--dry-run", "--allow-dirty"], sources)
    return ["no type is slow any more: leave out --allow-slow-types"]
  } catch (error) {
    return [...(error as { stderr: string }).stderr.matchAll(/adapters\/client\/[\w/]+\.ts/gu)].map(
      (
        [file]
      ) => `${file} has a type that JSR calls slow`
    )
  }
}
