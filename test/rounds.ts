/*
 * Two shares of one test suite. `npm test` runs a share of each long test, and no file named
 * `*.long.test.ts`. `npm run test:long` runs those files, and the long tests at full length.
 */

/** Whether this is `npm run test:long`; `vitest.config.ts` sets the variable. */
const isLongRun = process.env.TEST_LONG === "1"

/** Returns `long` in `npm run test:long`, and `short` everywhere else. */
export const rounds = <Share>(share: { readonly short: Share; readonly long: Share }): Share =>
  isLongRun ? share.long : share.short

/** Returns the command that repeats a test file with a seed and the share of this run. */
export const replayOf = (seed: string | number, file: string): string =>
  `SEED=${seed} ${isLongRun ? "npm run test:long" : "npm test"} -- ${file}`
