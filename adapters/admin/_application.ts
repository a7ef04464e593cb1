import { Effect, Record, Struct } from "effect"
import { Application, defaultLimits, type HttpLimits } from "../http/mod.ts"
import { type Answers, Dispatcher } from "../http/dispatch/mod.ts"
import { makeRouter, type Routes } from "../http/routes/mod.ts"
import { refusal } from "./_reply.ts"
import { makeResources, type ResourcesOptions, tokenRefusal } from "./_resources.ts"

/** Returns the admin interface as an application that a server of the HTTP interface serves. */
export const adminApplication = (options: ResourcesOptions): Application["Service"] => {
  const { adminHeaderBytesMax, hits } = options.limits
  const routes: Routes = {
    revision: "admin",
    router: makeRouter(makeResources(options)),
    headers: () => ({ "content-type": "application/json" }),
    problem: refusal,
    docs: () => "/"
  }
  const dispatcher = new Dispatcher({
    answers: uncached,
    counts: { inFlight: 0 },
    latestSnapshotId: Effect.succeed(undefined),
    limits: unlimited,
    matchMount: (path) => ({
      mount: { path: "/" },
      path: path === "/" ? "" : path,
      basePath: "",
      revision: "admin"
    }),
    routes: new Map([["admin", routes]]),
    refuse: tokenRefusal(options.token)
  })
  return Application.of({
    // requests of operators are not queued, and their bodies are read line by line
    handle: (request) =>
      Effect.suspend(() =>
        dispatcher.answer(dispatcher.route(Struct.omit(request, ["accepts", "admit", "body"])))
      ),
    refuse: (problem) => {
      if (problem.limit === "headerBytesMax") hits.adminHeaderBytesMax++
      if (problem.limit === "headersTimeoutMs") hits.adminHeadersTimeoutMs++
      return dispatcher.refuse(routes, problem, "")
    },
    // the parser of the server refuses twice the sum of both
    limits: { ...defaultLimits, urlBytesMax: 0, headerBytesMax: adminHeaderBytesMax / 2 }
  })
}

/** The parser limits URL and headers, and the operations limit their bodies. */
const unlimited: HttpLimits = Record.map({ ...defaultLimits }, () => Infinity)

const uncached: Answers = {
  latestSnapshotId: () => undefined,
  answer: (read, { admit, compute }) =>
    admit(read, () =>
      Effect.map(
        compute(read),
        (answer) => "json" in answer ? { status: 200, headers: {}, body: answer.json } : answer
      ))
}
