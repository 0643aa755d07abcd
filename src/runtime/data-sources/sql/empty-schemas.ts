import type { SqlRow } from '#kernel/ports/sql-row';

/** A warning for each schema without a table: it is often a misspelt name, and the agent would serve nothing of it without a word. */
export function emptySchemaWarnings(schemas: readonly string[], tables: readonly SqlRow[]): string[] {
  return schemas
    .filter((schema) => !tables.some((table) => table['schema'] === schema))
    .map(
      (schema) =>
        `The schema "${schema}" has no table, or does not exist. Name the right ones behind the address: ?schema=<name>,<name>`,
    );
}
