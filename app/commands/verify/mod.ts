export * from "./verify.ts"
