import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import {
  type Instruction,
  readContainerFile,
  type Stage,
  textsOf,
  wordsOf
} from "../../packaging/_container_file.ts"
import { read, root } from "../../packaging/_project.ts"
import { freePort } from "../../postgres/_free_port.ts"
import { killAll, start, type Started } from "../../program/_program.ts"

/*
 * Executes the container file in a folder, stage by stage, and starts the result as the image would
 * be started. The base images (Node itself, its libraries, the user, the read-only root) cannot be
 * tested without an engine.
 */

/** Returns the faults of the image. */
export const containerFaults = async (folder: string): Promise<ReadonlyArray<string>> => {
  const stages = readContainerFile(read("app/container/Containerfile"))
  for (const stage of stages) build(folder, stage)
  return await startImage(folderOf(folder, undefined), stages.at(-1)!)
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

const startImage = async (image: string, stage: Stage): Promise<ReadonlyArray<string>> => {
  const before = listing(join(image, "app"))
  const [port, adminPort] = [await freePort(), await freePort()]
  const environment = Object.fromEntries(
    textsOf(stage, "ENV").flatMap((text) => text.split(" ")).map((pair) => pair.split("="))
  )
  const [, ...words] = ["ENTRYPOINT", "CMD"].flatMap((word) => wordsOf(textsOf(stage, word)[0]!))
  const program = start(words.map((word) => word.startsWith("/") ? join(image, word) : word), {
    command: [process.execPath],
    cwd: join(image, textsOf(stage, "WORKDIR").at(-1)!),
    environment: {
      ...environment,
      PORT: `${port}`,
      ROLLUP_NODE_ADMIN_PORT: `${adminPort}`,
      // without a container, the address keeps others out
      HOST: "127.0.0.1"
    }
  })
  try {
    const health = /http:\/\/127\.0\.0\.1:\d+(\/[\w/]+)/u.exec(textsOf(stage, "HEALTHCHECK")[0]!)
    if (!await answers(`http://127.0.0.1:${adminPort}${health![1]}`, program)) {
      return [`the health check failed, and the program printed: ${program.output()}`]
    }
    const isServing = await answers(`http://127.0.0.1:${port}/state`, program)
    program.signal("SIGTERM")
    const [code] = await program.ended
    return [
      ...isServing ? [] : ["it did not serve"],
      ...code === 0 ? [] : [`it ended with ${code} after SIGTERM: ${program.output()}`],
      ...existsSync(join(image, "data/.rollup-node")) ? [] : ["it stored nothing below /data"],
      ...listing(join(image, "app")) === before
        ? []
        : ["it wrote to /app, which is to be read only"]
    ]
  } finally {
    killAll()
  }
}

const listing = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map(({ name, parentPath }) =>
      `${parentPath}/${name} ${statSync(join(parentPath, name)).mtimeMs}`
    ).sort().join("\n")

/** Sends requests until one succeeds, or the program has ended. */
const answers = async (url: string, { hasEnded }: Started): Promise<boolean> => {
  while (!hasEnded()) {
    if (await fetch(url).then((response) => response.ok, () => false)) return true
    await sleep(100)
  }
  return false
}
