/** Routes the requests of a listener to the resources of a path table, and answers them. */
export * from "./dispatcher.ts"
