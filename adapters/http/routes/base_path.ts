import type { HttpRequest } from "../message/mod.ts"

/** The URL of a request as the client sent it, and the path below which the host serves it. */
export type Location = Pick<HttpRequest, "url" | "basePath">

/**
 * Returns whether a text is a path without a slash at its end. It has no empty segment and no
 * backslash, with which a link would name another host.
 */
export const isBasePath = (path: string): boolean => /^(?:\/[\w.~!$&'()*+,;=:@%-]+)+$/u.test(path)

/**
 * Returns a function that locates a request whose URL includes the base path, or lacks it because a
 * framework has removed it. Throws if the base path is malformed.
 */
export const makeLocator = (basePath: string | undefined): (url: string) => Location => {
  if (basePath === undefined || basePath === "" || basePath === "/") return (url) => ({ url })
  if (!isBasePath(basePath)) {
    throw new Error(
      `Cannot serve below ${JSON.stringify(basePath)}: expected a path such as /rollup`
    )
  }
  const isBelow = (url: string): boolean =>
    url.startsWith(basePath) && ["/", "?", ""].includes(url.charAt(basePath.length))
  return (url) => ({ url: isBelow(url) ? url : basePath + url, basePath })
}
