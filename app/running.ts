import { Cause, Effect, Exit, Layer, Logger, References } from "effect"
import { constants } from "node:os"
import type { Command, Invocation } from "./config/mod.ts"
import { exitCodes, programFailure } from "./exit_codes.ts"
import { isWorker } from "./workers/mod.ts"

/**
 * Runs a command to its end, which the exit code tells. The first signal to stop interrupts it, which lets what has begun end; a second one
 * ends the program at once.
 */
export const runCommand = (command: Command, { origins, settled }: Invocation): void => {
  const fiber = Effect.runFork(Effect.provide(command.run(settled as never, { origins }), telling(command, settled)))
  let signalled: number | undefined
  const stop = (signal: NodeJS.Signals): void => {
    // a terminal signals all processes of a group; the supervisor drains its workers
    if (isWorker()) return
    const code = 128 + constants.signals[signal]
    if (signalled !== undefined) process.exit(code)
    signalled = code
    if (command.isService) Effect.runFork(Effect.provide(toldToStop(signal), telling(command, settled)))
    fiber.interruptUnsafe()
  }
  // who reads the log may leave, and the service goes on
  if (command.isService) for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  process.on("SIGINT", stop)
  process.on("SIGTERM", stop)
  // an effect that only waits does not keep the process alive by itself
  const alive = setInterval(() => {}, 2 ** 30)
  fiber.addObserver((exit) => {
    clearInterval(alive)
    process.off("SIGINT", stop)
    process.off("SIGTERM", stop)
    const code = Exit.isSuccess(exit) ? exitCodes.done.code : codeOf(exit.cause, command, signalled)
    // whatever is still open would keep the process alive
    if (signalled !== undefined || code !== 0) process.exit(code)
  })
}

const toldToStop = (signal: NodeJS.Signals): Effect.Effect<void> =>
  Effect.logInfo(`Told to stop by ${signal}: what has begun is let end, a second signal ends it at once`)

const codeOf = (cause: Cause.Cause<unknown>, { isService }: Command, signalled: number | undefined): number => {
  if (Cause.hasInterruptsOnly(cause)) return isService && signalled !== undefined ? exitCodes.done.code : signalled ?? exitCodes.unexpected.code
  const failure = programFailure(cause)
  process.stderr.write(`${failure === undefined ? `Something happened that nobody expected\n${Cause.pretty(cause)}` : failure.message}\n`)
  return exitCodes[failure?.ending ?? "unexpected"].code
}

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** How the command tells what it does. */
const telling = ({ isService, writesData }: Command, settled: Invocation["settled"]) => {
  const { logFormat, logLevel = "info" } = settled as { readonly logFormat?: "auto" | "text" | "json"; readonly logLevel?: keyof typeof levels }
  const json = writesData ? Logger.withConsoleError(Logger.formatJson) : Logger.consoleJson
  return Layer.mergeAll(
    Layer.succeed(References.MinimumLogLevel, levels[logLevel]),
    Layer.succeed(Logger.LogToStderr, writesData),
    logFormat === "json" || (logFormat === "auto" && isService && !process.stdout.isTTY) ? Logger.layer([json]) : Layer.empty
  )
}
