import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { program } from "../program/_program.ts"
import { unprivilegedAccount } from "../postgres/_account.ts"
import { freePort } from "../postgres/_free_port.ts"
import { memoryDirectory } from "../postgres/memory_directory.ts"
import { guideBlocks } from "./_guide.ts"
import { startHttpsProxy } from "./_https_proxy.ts"
import { type Shell, startShell } from "./_shell.ts"

/*
 * Executes the commands of `app/OPERATIONS.md` in one shell, with other directories and ports.
 * PostgreSQL needs its client programs, which the development dependency lacks: this uses an
 * installation of the machine. A command whose program is not installed is skipped by name.
 */

const programs = ["initdb", "pg_ctl", "postgres", "pg_basebackup", "pg_dump", "pg_restore", "psql"]

/** Returns the newest installation with all programs of the guide, or undefined. */
const findBinaries = (): string | undefined => {
  const debian = "/usr/lib/postgresql"
  const versions = existsSync(debian) ? readdirSync(debian) : []
  return [
    ...versions.toSorted((a, b) => Number(b) - Number(a)).map((v) => join(debian, v, "bin")),
    ...(process.env.PATH ?? "").split(delimiter)
  ].find((path) => programs.every((name) => existsSync(join(path, name))))
}

const isInstalled = (name: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${name}`])
    return true
  } catch {
    return false
  }
}

const binaries = findBinaries()
const missing = [
  ...binaries === undefined ? programs : [],
  ...["bash", "curl", "openssl"].filter((name) => !isInstalled(name))
]

describe.skipIf(missing.length > 0)(
  `the commands of the guide${missing.length > 0 ? ` (not installed: ${missing.join(", ")})` : ""}`,
  () => {
    let shell: Shell
    let closeProxy = async () => {}
    const account = unprivilegedAccount()
    const root = mkdtempSync(join(memoryDirectory(), "rollup-guide-"))
    const ports = new Map<string, number>()
    /** Replaces the directories and ports of the guide. */
    const adapted = (commands: string): string =>
      commands.replaceAll(/\/var\/(?=lib|backups)/gu, `${root}/var/`)
        .replaceAll(/\b(?:5432|5433|8080|8081|8443|9464|9465)\b/gu, (port) => `${ports.get(port)}`)
        // the directory of sockets of an installed PostgreSQL belongs to another account
        .replaceAll(/^archive_mode = on$/gmu, "$&\nunix_socket_directories = ''")

    beforeAll(async () => {
      for (const port of ["5432", "5433", "8080", "8081", "8443", "9464", "9465"]) {
        ports.set(port, await freePort())
      }
      const directories = ["bin", "var", "var/lib", "var/backups"].map((name) => join(root, name))
      for (const each of directories) mkdirSync(each)
      const command = join(root, "bin/rollup-node")
      await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, {
        mode: 0o755
      })
      await writeFile(join(root, "password"), "a password of the guide")
      if (account !== null) {
        for (const each of [root, ...directories]) chownSync(each, account.uid, account.gid)
      }
      shell = startShell({
        account,
        directory: root,
        env: {
          PATH: `${root}/bin:${binaries}:${process.env.PATH}`,
          HOME: root,
          LC_ALL: "C",
          PORT: `${ports.get("8080")}`,
          ROLLUP_NODE_ADMIN_PORT: `${ports.get("9464")}`,
          ROLLUP_NODE_TRANSACTIONS: "100",
          ROLLUP_NODE_PACE: "0.5"
        }
      })
      await shell.run(`trap '
        kill $(jobs -p) || true
        for data in ${root}/var/lib/postgresql/*; do pg_ctl --pgdata=$data --mode=immediate stop || true; done
      ' EXIT`)
    })
    afterAll(async () => {
      await shell?.close()
      await closeProxy()
      await rm(root, { recursive: true, force: true })
    })

    const blocks = guideBlocks()
    let failed = false
    for (const [i, { commands, heading, prints }] of blocks.entries()) {
      const lines = commands.split("\n")
      const skipped = isInstalled("caddy") ? [] : lines.filter((line) => line.startsWith("caddy "))
      const note = skipped.length > 0 ? `, caddy is not installed, skipped: ${skipped.join()}` : ""
      it(`${i + 1}: ${heading}${note}`, async ({ skip }) => {
        if (failed) skip("a block before it failed")
        failed = true
        if (skipped.length > 0) {
          closeProxy = await startHttpsProxy({
            port: ports.get("8443")!,
            targetPort: ports.get("8080")!,
            key: readFileSync(join(root, "key.pem"), "utf8"),
            certificate: readFileSync(join(root, "certificate.pem"), "utf8")
          })
        }
        const run = lines.filter((line) => !skipped.includes(line)).join("\n")
        const output = (await shell.run(adapted(run))).split("\n")
        let from = 0
        for (const expected of prints) {
          const at = output.findIndex((line, index) => index >= from && line.endsWith(expected))
          assert.isAtLeast(at, 0, `"${expected}" is not in the output:\n${output.join("\n")}`)
          from = at + 1
        }
        failed = false
      })
    }
  }
)
