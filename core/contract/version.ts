/**
 * The version of this package in `package.json`. The serialization of answers may differ between
 * versions.
 */
export const programVersion = "0.0.1"
