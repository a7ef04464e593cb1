import { get } from "node:http"
import { text } from "node:stream/consumers"
import { inject } from "vitest"

/**
 * Asks the process of vitest for what all files of a run share: the URL of the server, or the
 * template for other servers as JSON.
 */
export const askRun = (what: "server" | "template"): Promise<string> =>
  new Promise((resolve, reject) => {
    get(`${inject("postgres").door}/${what}`, { agent: false }, (response) => {
      text(response).then(
        (body) => response.statusCode === 200 ? resolve(body) : reject(new Error(body)),
        reject
      )
    }).on("error", reject)
  })
