import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { type ColumnFilter, splitFilter } from '#platform/audit/log-filter';
import { openStore } from '#platform/store/open-store';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

it.each<[ColumnFilter, string]>([
  [{ status: 'failed' }, 'audit_rows_uncompleted'],
  [{ status: 'pending' }, 'audit_rows_uncompleted'],
  [{ status: 'failed', userId: 7 }, 'audit_rows_uncompleted_by_user'],
  [{ status: 'completed', userId: 7 }, 'audit_rows_by_user'],
  [{ userId: 7 }, 'audit_rows_by_user'],
  [{ team: 'Support' }, 'audit_rows_by_team'],
  [{ team: 'Support', type: 'write' }, 'audit_rows_of_teams_that_write'],
  [{ team: 'Support', type: 'read' }, 'audit_rows_by_team'],
  [{ type: 'write' }, 'audit_rows_that_write'],
  [{ clientId: '7' }, 'audit_rows_by_client'],
  [{ clientName: 'Claude', collection: 'orders' }, 'audit_rows_by_client_name'],
  [{ tool: 'list' }, 'audit_rows_by_tool'],
  [{ codeVersion: 3 }, 'audit_rows_by_version'],
  [{ codeVersion: 3, type: 'write' }, 'audit_rows_by_version'],
  [{ tool: 'list', userId: 7 }, 'audit_rows_by_user'],
  [{ status: 'failed', collection: 'orders' }, 'audit_rows_by_collection'],
])('SQLite finds %j by the index %s', async (filter, index) => {
  const storage = path.join(await temporaryFolder(), 'platform.sqlite');
  const store = await openStore({ dialect: 'sqlite', storage });
  const { sql, parameters } = store.db
    .selectFrom('auditRows')
    .select('sequence')
    .where('chainId', '=', 1)
    .where('sequence', '>=', 1)
    .where(splitFilter(filter).found)
    .orderBy('sequence', 'desc')
    .limit(1)
    .compile();
  await store.close();
  const connection = await openSqlite(storage);
  const plan = connection.all(`explain query plan ${sql}`, parameters as (string | number)[]);
  connection.close();
  expect(plan.map(({ detail }) => detail)).toEqual([expect.stringMatching(new RegExp(` INDEX ${index} `))]);
});
