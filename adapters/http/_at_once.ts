import { Effect, Exit, Fiber, type Scope } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Chain } from "./_chain.ts"
import { type Answering, Directly } from "./_directly.ts"
import { Heads, isCounted } from "./_heads.ts"
import { serverRequest } from "./_server_request.ts"
import { ToldAnswer } from "./_told.ts"
import type { Unsent } from "./_unsent.ts"
import { type Headed, latin1Of, Wires } from "./_wires.ts"
import type { Application } from "./application.ts"
import { bodyBytes, type HttpAnswer, type HttpRequest } from "./message.ts"

export interface AtOnceOptions {
  readonly application: Application["Service"]
  readonly run: (effect: Effect.Effect<HttpAnswer>) => Fiber.Fiber<HttpAnswer>
  readonly unsent: Unsent
}

/**
 * Answers every GET that has no body before the framework hears of it: its fiber, scope, and copy of the request would take longer than
 * everything else about an answer that is there already. The framework has the others: bodies, requests that wait for their turn
 * in a pipeline, and whatever comes while the server ends. What is not answered when the scope closes is interrupted.
 */
export const answerAtOnce = (server: Server, options: AtOnceOptions): Effect.Effect<void, never, Scope.Scope> =>
  Effect.suspend(() => {
    const { emit } = server
    const { application, run, unsent } = options
    const [wires, heads] = [new Wires(), new Heads()]
    const begin = (request: HttpRequest): Answering => {
      const answer = application.handle(request)
      if (Exit.isExit(answer)) return answer as Exit.Exit<HttpAnswer>
      const fiber = run(answer)
      return fiber.pollUnsafe() ?? fiber
    }
    const directly = new Directly({ server, unsent, begin, send: (answer, socket) => isThere(answer) && isWritten(answer.value, socket, wires, heads) })
    const begun: Begun = { begin, directly, wires, heads, running: new Chain() }
    server.emit = (event: string, ...given: ReadonlyArray<unknown>) =>
      (event === "request" && isTaken(server, given[0] as IncomingMessage, given[1] as ServerResponse, begun)) || Reflect.apply(emit, server, [event, ...given])
    // who is interrupted leaves the chain
    return Effect.addFinalizer(() => Fiber.interruptAll([...begun.running]))
  })

/** What is made once for many answers, and what is not there yet. */
interface Begun {
  readonly begin: (request: HttpRequest) => Answering
  readonly directly: Directly
  readonly wires: Wires
  readonly heads: Heads
  readonly running: Chain<Fiber.Fiber<HttpAnswer>>
}

const isTaken = (server: Server, source: IncomingMessage, response: ServerResponse, { begin, directly, heads, running, wires }: Begun): boolean => {
  const { headers, method } = source
  const known = directly.told(source, response)
  // a response without a socket waits for its turn; a server that is ending tells its clients so
  if (!server.listening || method !== "GET" || response.socket === null) return false
  if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) return false
  const request = serverRequest(source)
  if (request === undefined) return false
  const answer = known ?? begin(request)
  const end = (exit: Exit.Exit<HttpAnswer>): void => {
    // it never fails: its client left, or the server could wait no longer
    if (!isThere(exit)) response.destroy()
    else if (!wires.sendKept(ToldAnswer.partsOf(exit.value), response)) write(exit.value, response, { wires, heads })
  }
  if (Exit.isExit(answer)) {
    end(answer)
    return true
  }
  const fiber = answer
  const link = running.add(fiber)
  fiber.addObserver((exit) => {
    running.remove(link)
    end(exit)
  })
  response.once("close", () => {
    if (!response.writableEnded) fiber.interruptUnsafe()
  })
  return true
}

/** Whether it is on its way, without a response of Node. */
const isWritten = (answer: HttpAnswer, socket: Socket, wires: Wires, heads: Heads): boolean => {
  const parts = ToldAnswer.partsOf(answer)
  if (wires.write(parts, socket)) return true
  const head = heads.of(answer, parts)
  if (head === undefined) return false
  wires.note(answer, head)
  const { body, isAscii } = answer
  if (typeof body !== "string") socket.write(head + latin1Of(body), "latin1")
  else socket.write(head + body, isAscii === true ? "latin1" : "utf8")
  return true
}

const isThere = (answer: Answering): answer is Exit.Success<HttpAnswer> => Exit.isExit(answer) && Exit.isSuccess(answer)

/**
 * Writes past the framework: it asks Node to check the length of what it sends, and Node then makes two system calls of one, which is a
 * third of the cost of a small answer.
 */
export const write = (answer: HttpAnswer, response: Headed, learning?: Pick<Begun, "heads" | "wires">): void => {
  const { body, headers, isAscii, status } = answer
  if (response.destroyed || response.headersSent) return
  response.writeHead(status, isCounted(status, headers) ? headers : { ...headers, "content-length": `${isAscii === true ? body.length : bodyBytes(body)}` })
  if (learning !== undefined && typeof response._header === "string" && response.shouldKeepAlive) {
    learning.heads.note(response._header)
    learning.wires.note(answer, response._header)
  }
  // a head and a text leave as one piece, a head and bytes as two, which takes longer
  if (typeof body !== "string") response.end(latin1Of(body), "latin1")
  else response.end(body, isAscii === true ? "latin1" : "utf8")
}
