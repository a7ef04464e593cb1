export * from "./commands.ts"
