import { spawn } from "node:child_process"

/* The program as `npm start` runs it, but standing still. */
const child = spawn(process.execPath, [new URL("../../app/main.ts", import.meta.url).pathname, "serve", "--port", "0", "--pace", "0"], { stdio: ["ignore", "pipe", "inherit"] })
child.stdout.setEncoding("utf8").on("data", (text: string) => {
  const port = /http:\/\/[^:]+:(\d+)/u.exec(text)?.[1]
  if (port !== undefined) console.log(`listening ${port}`)
})
process.on("SIGTERM", () => {
  child.on("exit", () => process.exit(0))
  child.kill("SIGTERM")
})
