import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { moveStore } from '#platform/index';
import { createPeopleRepository } from '#platform/people/people-repository';
import { migrateSqlite } from '#platform/store/migrate-sqlite';
import { adminLog } from '../../helpers/admin-log.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

/** The last version in which nobody had a team. */
const versionBefore = 10;

/** A store of that version: two environments, one of which has another team, which Bob was invited to. */
async function olderStore(): Promise<string> {
  const file = path.join(await temporaryFolder(), 'older.sqlite');
  const connection = await openSqlite(file);
  migrateSqlite(connection, file, versionBefore);
  connection.execute(`
    insert into projects values (1, 'shop', 0);
    insert into users values (1, 'Ada', '', 'Ada@example.test', 0), (2, 'Bob', '', 'Bob@example.test', 0);
    insert into roles values (1, 1, 'Administrators');
    insert into members (project_id, user_id, role_id, permission_level) values (1, 1, 1, 'admin'), (1, 2, 1, 'user');
    insert into environments (id, project_id, name, type, secret_hash, created_at)
      values (1, 1, 'development', 'development', 'a', 0), (2, 1, 'live', 'production', 'b', 0);
    insert into renderings values (1, 1, 'Operations'), (2, 2, 'Operations'), (3, 2, 'Support');
    insert into invitations (project_id, email, permission_level, role_id, team, secret_hash, invited_by, created_at, expires_at, accepted_at)
      values (1, 'bob@example.test', 'user', 1, 'Support', 'x', 1, 0, 1, 1)`);
  connection.close();
  return file;
}

it.each(useStoreEngines())(
  'people of an older store on $engine get the team of their invitation, and each environment every team',
  async ({ newPlace }) => {
    const place = await newPlace();
    await moveStore({ from: `sqlite:${await olderStore()}`, to: place, progress: () => undefined });
    const store = await openTestStore(place);
    expect(await createPeopleRepository(store, systemClock, adminLog).list(1)).toMatchObject([
      { team: 'Operations' },
      { team: 'Support' },
    ]);
    const renderings = store.db.selectFrom('renderings').select(['environmentId', 'team']).orderBy('environmentId');
    expect(await renderings.orderBy('team').execute()).toEqual([
      { environmentId: 1, team: 'Operations' },
      { environmentId: 1, team: 'Support' },
      { environmentId: 2, team: 'Operations' },
      { environmentId: 2, team: 'Support' },
    ]);
  },
);
