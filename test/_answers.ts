import { type HttpAnswer, isStream, type WholeBody } from "../adapters/http/message/mod.ts"

/** Returns the body of an answer that is no stream. */
export const bodyOf = ({ body }: Pick<HttpAnswer, "body">): WholeBody => {
  if (isStream(body)) throw new Error("The body is a stream")
  return body
}

export const textOf = (answer: Pick<HttpAnswer, "body">): string =>
  Buffer.from(bodyOf(answer)).toString()
