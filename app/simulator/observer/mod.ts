export { Observer } from "./observer.ts"
