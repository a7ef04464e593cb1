/** Requests, answers and problems, independent of the transport. */
export * from "./failure.ts"
export * from "./message.ts"
export * from "./limit.ts"
export * from "./problem.ts"
