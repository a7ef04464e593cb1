import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import {
  type Instruction,
  readContainerFile,
  type Stage,
  textsOf,
  wordsOf
} from "../../packaging/_container_file.ts"
import { read, root } from "../../packaging/_project.ts"

/*
 * Executes the container file in a folder, stage by stage, and starts the result as the image would
 * be started. The base images (Node itself, its libraries, the user, the read-only root) cannot be
 * tested without an engine.
 */

/** Returns the faults of the image. */
export const containerFaults = async (folder: string): Promise<ReadonlyArray<string>> => {
  const stages = readContainerFile(read("app/container/Containerfile"))
  for (const stage of stages) build(folder, stage)
  return await start(folderOf(folder, undefined), stages.at(-1)!)
}

const folderOf = (folder: string, name: string | undefined) => join(folder, name ?? "image")
/**
 * Commands on files of a base image, which is missing here, and the files that they would have
 * made.
 */
const ofBase = /\/usr\//u

const build = (folder: string, stage: Stage): void => {
  const here = folderOf(folder, stage.name)
  let directory = here
  for (const instruction of stage.instructions) {
    if (instruction.word === "WORKDIR") {
      mkdirSync(directory = join(here, instruction.text), { recursive: true })
    }
    if (instruction.word === "COPY") copy(folder, here, directory, instruction)
    if (instruction.word === "RUN" && !ofBase.test(instruction.text)) {
      execFileSync("sh", ["-c", instruction.text], {
        cwd: directory,
        stdio: "pipe",
        env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
      })
    }
  }
}

const copy = (
  folder: string,
  here: string,
  directory: string,
  { options, text }: Instruction
): void => {
  const sources = text.split(" ")
  const target = sources.pop()!
  if (ofBase.test(target)) return
  const to = join(target.startsWith("/") ? here : directory, target)
  for (const source of sources) {
    const from = options.from === undefined
      ? join(root, source)
      : join(folderOf(folder, options.from), source)
    // a folder is copied as its content; a file goes into a folder whose name ends in a slash
    cpSync(
      from,
      statSync(from).isDirectory()
        ? to
        : join(to, target.endsWith("/") ? source.split("/").at(-1)! : ""),
      { recursive: true }
    )
  }
}

const start = async (image: string, stage: Stage): Promise<ReadonlyArray<string>> => {
  const before = listing(join(image, "app"))
  const [port, adminPort] = [await freePort(), await freePort()]
  const environment = Object.fromEntries(
    textsOf(stage, "ENV").flatMap((text) => text.split(" ")).map((pair) => pair.split("="))
  )
  const [, ...words] = [
    ...wordsOf(textsOf(stage, "ENTRYPOINT")[0]!),
    ...wordsOf(textsOf(stage, "CMD")[0]!)
  ]
  const program = spawn(
    process.execPath,
    words.map((word) => word.startsWith("/") ? join(image, word) : word),
    {
      cwd: join(image, textsOf(stage, "WORKDIR").at(-1)!),
      env: {
        ...process.env,
        ...environment,
        PORT: `${port}`,
        ROLLUP_NODE_ADMIN_PORT: `${adminPort}`,
        // without a container, the address keeps others out
        HOST: "127.0.0.1"
      },
      stdio: ["ignore", "pipe", "pipe"]
    }
  )
  let output = ""
  for (const stream of [program.stdout, program.stderr]) {
    stream.on("data", (chunk) => {
      output += String(chunk)
    })
  }
  const ended = once(program, "exit") as Promise<[number | null, string | null]>
  try {
    const health = /http:\/\/127\.0\.0\.1:\d+(\/[\w/]+)/u.exec(
      textsOf(stage, "HEALTHCHECK")[0]!
    )![1]!
    if (!await answers(`http://127.0.0.1:${adminPort}${health}`, () => program.exitCode === null)) {
      return [`the health check failed, and the program printed: ${output}`]
    }
    const isServing = await answers(
      `http://127.0.0.1:${port}/state`,
      () => program.exitCode === null
    )
    program.kill("SIGTERM")
    const [code] = await ended
    return [
      ...isServing ? [] : [`it did not serve, and printed: ${output}`],
      ...code === 0
        ? []
        : [`it ended with ${code} after SIGTERM, expected 0, and printed: ${output}`],
      ...existsSync(join(image, "data/.rollup-node")) ? [] : ["it stored nothing below /data"],
      ...listing(join(image, "app")) === before
        ? []
        : ["it wrote to /app, which is to be read only"]
    ]
  } finally {
    if (program.exitCode === null) program.kill("SIGKILL")
  }
}

const listing = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map(({ name, parentPath }) =>
      `${parentPath}/${name} ${statSync(join(parentPath, name)).mtimeMs}`
    ).sort().join("\n")

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Sends requests until one succeeds, or the process has ended. */
const answers = async (url: string, isThere: () => boolean): Promise<boolean> => {
  while (isThere()) {
    const isGood = await fetch(url).then((response) => response.ok, () => false)
    if (isGood) return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return false
}
