/** Migrations of the schema, and the health checks of the database. */
export * from "./health.ts"
export * from "./migrate.ts"
export * from "./migrations.ts"
