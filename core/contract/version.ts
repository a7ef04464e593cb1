/** The version of this package, as `package.json` says it; how answers are written depends on it. */
export const programVersion = "0.0.1"
