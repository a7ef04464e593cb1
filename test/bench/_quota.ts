import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const periodUs = 10_000

/** The folder in which Linux lets this user divide the processors, by the first version of its control groups or the second; undefined where it does not. */
const places = [
  { folder: "/sys/fs/cgroup/cpu", told: (quotaUs: number) => ({ "cpu.cfs_period_us": `${periodUs}`, "cpu.cfs_quota_us": `${quotaUs}` }) },
  { folder: "/sys/fs/cgroup", told: (quotaUs: number) => ({ "cpu.max": `${quotaUs} ${periodUs}` }) }
]

const isUsable = (folder: string): boolean => {
  const controllers = join(folder, "cgroup.subtree_control")
  try {
    accessSync(folder, constants.W_OK)
    return existsSync(join(folder, "cpu.cfs_quota_us")) || (existsSync(controllers) && readFileSync(controllers, "utf8").split(/\s/u).includes("cpu"))
  } catch {
    return false
  }
}

const place = places.find(({ folder }) => isUsable(folder))

export const canLimit = place !== undefined

/** Lets a running process use no more than a share of one core, with all its threads. Returns what ends that, once the process is gone. */
export const limit = (pid: number, share: number): () => void => {
  if (place === undefined) throw new Error("This machine does not let this user divide its processors: expected a control group of Linux that can be written")
  const folder = join(place.folder, `bench-${process.pid}-${pid}`)
  mkdirSync(folder)
  for (const [name, value] of Object.entries(place.told(periodUs * share))) writeFileSync(join(folder, name), value)
  writeFileSync(join(folder, "cgroup.procs"), `${pid}`)
  return () => rmdirSync(folder)
}
