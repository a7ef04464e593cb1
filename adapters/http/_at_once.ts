import { type Effect, Exit, Fiber, type Scope } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Heads } from "./_heads.ts"
import { serverRequest } from "./_server_request.ts"
import { ToldAnswer } from "./_told.ts"
import { latin1Of, Wires } from "./_wires.ts"
import type { Application } from "./application.ts"
import { bodyBytes, type HttpAnswer } from "./message.ts"

export interface AtOnceOptions {
  readonly application: Application["Service"]
  readonly run: (effect: Effect.Effect<HttpAnswer>) => Fiber.Fiber<HttpAnswer>
  /** What is not answered when it closes is interrupted. */
  readonly scope: Scope.Scope
}

/**
 * Answers every GET that has no body before the framework hears of it: its fiber, scope, and copy of the request would take longer than
 * everything else about an answer that is there already. The framework has the others: bodies, upgrades, requests that wait for their turn
 * in a pipeline, and whatever comes while the server ends.
 */
export const answerAtOnce = (server: Server, options: AtOnceOptions): void => {
  const { emit } = server
  const [wires, heads] = [new Wires(), new Heads()]
  server.emit = (event: string, ...given: ReadonlyArray<unknown>) =>
    (event === "request" && isTaken(server, given[0] as IncomingMessage, given[1] as ServerResponse, { wires, heads }, options)) || Reflect.apply(emit, server, [event, ...given])
}

/** What is made once for many answers. */
interface Made {
  readonly wires: Wires
  readonly heads: Heads
}

const isTaken = (server: Server, source: IncomingMessage, response: ServerResponse, { heads, wires }: Made, { application, run, scope }: AtOnceOptions): boolean => {
  const { headers, method } = source
  // a response without a socket waits for its turn; a server that is ending tells its clients so
  if (!server.listening || method !== "GET" || response.socket === null) return false
  if (headers.upgrade !== undefined || headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) return false
  const request = serverRequest(source)
  if (request === undefined) return false
  const answer = application.handle(request)
  if (isThere(answer)) {
    const { value } = answer
    const parts = ToldAnswer.partsOf(value)
    if (!wires.sendKept(parts, response) && !heads.send(value, parts, response)) write(value, response, wires)
    return true
  }
  const fiber = Fiber.runIn(run(answer), scope)
  const end = (exit: Exit.Exit<HttpAnswer>): void => {
    // it never fails: its client left, or the server could wait no longer
    if (Exit.isSuccess(exit)) write(exit.value, response)
    else response.destroy()
  }
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) {
    end(exit)
    return true
  }
  fiber.addObserver(end)
  response.once("close", () => {
    if (!response.writableEnded) fiber.interruptUnsafe()
  })
  return true
}

const isThere = (answer: Effect.Effect<HttpAnswer>): answer is Exit.Success<HttpAnswer> => Exit.isExit(answer) && Exit.isSuccess(answer)

/**
 * Writes past the framework: it asks Node to check the length of what it sends, and Node then makes two system calls of one, which is a
 * third of the cost of a small answer.
 */
export const write = (answer: HttpAnswer, response: ServerResponse, wires?: Wires): void => {
  const { body, headers, isAscii, status } = answer
  if (response.destroyed || response.headersSent) return
  const isCounted = headers["content-length"] !== undefined || status === 204 || status === 304
  response.writeHead(status, isCounted ? headers : { ...headers, "content-length": `${isAscii === true ? body.length : bodyBytes(body)}` })
  wires?.note(answer, response)
  // a head and a text leave as one piece, a head and bytes as two, which takes longer
  if (typeof body !== "string") response.end(latin1Of(body), "latin1")
  else response.end(body, isAscii === true ? "latin1" : "utf8")
}
