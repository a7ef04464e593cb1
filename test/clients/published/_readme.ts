import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "./_program.ts"

/* Runs the commands of the README, from the installation of the library to a forged transfer. */

const root = join(import.meta.dirname, "../../..")
const example = "test/clients/published/example.cjs"
const commandTimeoutMs = 600_000

/** Returns the commands of the section: the server, and those of the second terminal. */
const readmeCommands = () => {
  const section = readFileSync(join(root, "README.md"), "utf8").split(
    "## With the published clients\n"
  )[1]!.split(/^## /mu)[0]!
  const [server, ...client] = [...section.matchAll(/^ {4}(\S.*)$/gmu)].map((match) => match[1]!)
  return { server: server!, client }
}

/** Runs them with free ports and in a folder of their own; returns what they print. */
export const runReadme = async (folder: string): Promise<string> => {
  mkdirSync(folder)
  const ports = { "8080": String(await freePort()), "8545": String(await freePort()) }
  const withPorts = (text: string) =>
    Object.entries(ports).reduce((changed, [port, free]) => changed.replaceAll(port, free), text)
  const copy = join(folder, "example.cjs")
  writeFileSync(copy, withPorts(readFileSync(join(root, example), "utf8")))

  const { client, server } = readmeCommands()
  const env = { ...process.env, PORT: ports["8080"], ROLLUP_NODE_ADMIN_PORT: "off", TMPDIR: folder }
  const started = spawn("sh", ["-c", `exec ${withPorts(server)}`], { cwd: root, env })
  try {
    await printed(started, /Listening on /u)
    const script = client.join("\n").replaceAll(example, copy)
    return await printed(spawn("sh", ["-ec", script], { cwd: root, env }))
  } finally {
    const ended = once(started, "close")
    started.kill("SIGTERM")
    await ended
  }
}

/** Returns the output of a process at its end, or once it matches. */
const printed = (child: ChildProcess, pattern?: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ""
    const fail = (reason: string) => reject(new Error(`${reason}: ${output}`))
    const timeout = setTimeout(() => {
      child.kill("SIGKILL")
      fail("Time-out")
    }, commandTimeoutMs)
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on("data", (chunk) => {
        output += String(chunk)
        if (pattern?.test(output) !== true) return
        clearTimeout(timeout)
        resolve(output)
      })
    }
    child.once("close", (code) => {
      clearTimeout(timeout)
      if (code === 0) resolve(output)
      else fail(`Exit code ${code}`)
    })
  })
