/** Migrations of the schema, and the health checks of the database. */
export { databaseHealth } from "./health.ts"
export { migrate, type MigrateOptions, type Migration } from "./migrate.ts"
export { checksumOf, migrations } from "./migrations.ts"
