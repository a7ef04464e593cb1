export { isSupervisor, isWorker, workerCount } from "./role.ts"
export { supervise } from "./supervisor.ts"
export { runAsWorker, type WorkerSelf } from "./worker.ts"
