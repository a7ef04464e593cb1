import { spawn } from "node:child_process"

/** Cleans up after the test process, however it ends. */
export interface Watchdog {
  /** Sets the process to end together with the tests; null for none. */
  readonly watch: (pid: number | null) => void
  /** Ends the watched process if there is one, and removes the directories. */
  readonly release: () => Promise<void>
}

/*
 * Reads process ids until the pipe is closed. SIGQUIT makes a server end its children and then
 * itself, within seconds. A killed server leaves a segment of shared memory that its lock file
 * names.
 */
const script = `
trap '' HUP INT TERM
pid=
while read -r line; do pid=$line; done
lock=$1/data/postmaster.pid
if [ "$pid" != "" ] && [ "$pid" != none ]; then
  kill -QUIT "$pid"
  tries=0
  while [ -e "$lock" ] && kill -0 "$pid" && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -KILL "$pid"
fi
[ -e "$lock" ] && ipcrm -m "$(sed -n '7s/.* //p' "$lock")"
tries=0
until rm -rf "$@" || [ $tries -ge 50 ]; do sleep 0.2; tries=$((tries + 1)); done
`

/**
 * Starts a shell that waits for the end of a pipe from this process; the data of the server are in
 * the first directory. The system closes the pipe even if this process crashes or is killed, when
 * no handler would run.
 */
export const startWatchdog = (...directories: ReadonlyArray<string>): Watchdog => {
  const shell = spawn("/bin/sh", ["-c", script, "watchdog", ...directories], {
    cwd: "/",
    env: { PATH: `${process.env.PATH ?? ""}:/usr/bin:/bin` },
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  const ended = new Promise<void>((resolve, reject) => {
    shell.on("error", reject)
    shell.on("exit", () => resolve())
  })
  ended.catch(() => {}) // the caller of `release` handles the failure
  shell.stdin.on("error", () => {})
  return {
    watch: (pid) => void shell.stdin.write(`${pid ?? "none"}\n`),
    release: () => {
      shell.stdin.end()
      return ended
    }
  }
}
