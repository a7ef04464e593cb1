import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { parseEnv } from "node:util"
import { packageFiles } from "../../app/packaging/package_files.ts"
import { settings } from "../../app/config/mod.ts"
import { exitCodes } from "../../app/process/mod.ts"
import { read } from "../packaging/_project.ts"
import { env } from "../program/_env.ts"
import { inDirectory, program, until } from "../program/_program.ts"

/* The unit of systemd: its text in the guide, its exit codes and times, and the service it starts. */

const unit = read("app/systemd/rollup-node.service")
const guide = read("app/OPERATIONS.md")
const valueOf = (name: string): string => new RegExp(`^${name}=-?(.*)$`, "mu").exec(unit)![1]!

/** Time to close the stores after the connections of clients, in seconds. */
const closingSeconds = 5

describe("the unit of systemd", () => {
  it("is the one that the guide shows", () => {
    assert.include(guide, `\`\`\`ini\n${unit}\`\`\``)
  })

  it("does not restart a service that a restart cannot cure", () => {
    const lasting = Object.values(exitCodes).flatMap((each) =>
      "isLasting" in each ? [each.code] : []
    )
    assert.deepStrictEqual(valueOf("RestartPreventExitStatus").split(" ").map(Number), lasting)
    // a signal to stop ends with 0, which `on-failure` does not restart
    assert.strictEqual(valueOf("Restart"), "on-failure")
    assert.strictEqual(exitCodes.success.code, 0)
  })

  it("waits for responses in progress and for the stores", () => {
    const { shutdownTimeoutMs } = settings.serverSettings
    assert.isAbove(
      Number(valueOf("TimeoutStopSec")),
      shutdownTimeoutMs.default / 1000 + closingSeconds
    )
  })

  it("starts a node with its secrets, which SIGTERM stops with code 0", () =>
    inDirectory(async (root) => {
      const [etc, state, bin] = ["etc", "state", "bin"].map((name) => join(root, name))
      for (const folder of [etc!, state!, bin!]) mkdirSync(folder, { recursive: true })
      writeFileSync(join(etc!, "genesis.json"), packageFiles()["examples/genesis.json"]!)
      // the line of the guide that writes the secrets, without openssl
      const [, secret] = /^ +echo "(\w+=).*" >> \/etc\/rollup-node\/secrets$/mu.exec(guide)!
      const token = "0123456789abcdef"
      const secrets = parseEnv(`${secret}${token}\n`)
      const command = join(bin!, "rollup-node")
      writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`)
      chmodSync(command, 0o755)
      assert.strictEqual(valueOf("EnvironmentFile"), "/etc/rollup-node/secrets")
      assert.strictEqual(valueOf("StateDirectory"), "rollup-node")
      const [file, ...words] = valueOf("ExecStart").split(" ").map((word) =>
        word.replace("/var/lib/rollup-node", state!).replace("/etc/rollup-node", etc!)
      )
      const child = spawn(file!, [...words, "--port", "0", "--admin-port", "0"], {
        env: { ...env, ...secrets, PATH: `${bin}${delimiter}${process.env.PATH}` },
        stdio: ["ignore", "pipe", "pipe"]
      })
      try {
        let output = ""
        for (const stream of [child.stdout, child.stderr]) {
          stream.on("data", (text) => output += text)
        }
        const ended = new Promise((resolve) => child.once("exit", (...how) => resolve(how)))
        const urlOf = (text: string) =>
          new RegExp(`${text} (http://[\\d.:]+)`, "u").exec(output)?.[1]
        await until(
          () => child.exitCode !== null || urlOf("Listening on") !== undefined,
          () => output
        )
        const { status } = await fetch(`${urlOf("Health and metrics at")}/feed`, {
          headers: { authorization: `Bearer ${token}` }
        })
        assert.strictEqual(status, 200, output)
        child.kill("SIGTERM")
        assert.deepStrictEqual(await ended, [0, null], output)
      } finally {
        child.kill("SIGKILL")
      }
    }))
})
