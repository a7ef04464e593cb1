export * from "./observer.ts"
