import type { Kysely, Selectable } from 'kysely';
import type { McpSession } from '#contracts/mcp-marks';
import type { Tables } from '../store/tables.ts';

export type StoredMark = Selectable<Tables['mcpMarks']>;

/** Marks of one environment; of one person where somebody is named. */
export interface WhichMarks {
  readonly environmentId: number;
  readonly personId?: number | undefined;
}

export function findMark(
  db: Kysely<Tables>,
  environmentId: number,
  { personId, client }: McpSession,
): Promise<StoredMark | undefined> {
  return db
    .selectFrom('mcpMarks')
    .selectAll()
    .where((the) => the.and({ environmentId, personId, client }))
    .executeTakeFirst();
}
