import { z } from 'zod';
import { permissionLevels } from '#contracts/identity';
import type { Clock } from '#kernel/ports/clock';
import type { SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { IdentityRepository, Provisioned, ProvisionInput } from './identity-repository.ts';

const environmentRow = z.object({
  id: z.number(),
  projectId: z.number(),
  projectName: z.string(),
  name: z.string(),
  type: z.enum(['development', 'production']),
  apiEndpoint: z.string().nullable(),
});
const userRow = z.object({ id: z.number(), firstName: z.string(), lastName: z.string(), email: z.string() });
const memberRow = userRow.extend({
  permissionLevel: z.enum(permissionLevels),
  roleId: z.number(),
  roleName: z.string(),
});
const renderingRow = z.object({ id: z.number(), environmentId: z.number(), team: z.string() });
const idRow = z.object({ id: z.number() });

const environmentColumns = `e.id, e.project_id as projectId, p.name as projectName, e.name, e.type, e.api_endpoint as apiEndpoint
  from environments e join projects p on p.id = e.project_id`;
const userColumns = 'u.id, u.first_name as firstName, u.last_name as lastName, u.email';
const memberColumns = `${userColumns}, m.permission_level as permissionLevel, m.role_id as roleId, r.name as roleName
  from members m join users u on u.id = m.user_id join roles r on r.id = m.role_id`;
const renderingColumns = 'id, environment_id as environmentId, team from renderings';

export function createSqliteIdentityRepository(connection: SqliteConnection, clock: Clock): IdentityRepository {
  const first = <Schema extends z.ZodType>(schema: Schema, sql: string, parameters: readonly SqlValue[]) =>
    schema.optional().parse(connection.all(sql, parameters)[0]) as z.output<Schema> | undefined;

  return {
    findEnvironmentBySecret: async (secretHash) =>
      first(environmentRow, `select ${environmentColumns} where e.secret_hash = ?`, [secretHash]),
    findEnvironment: async (id) => first(environmentRow, `select ${environmentColumns} where e.id = ?`, [id]),
    findUser: async (id) => first(userRow, `select ${userColumns} from users u where u.id = ?`, [id]),
    listMembers: async (projectId) =>
      z
        .array(memberRow)
        .parse(connection.all(`select ${memberColumns} where m.project_id = ? order by u.id`, [projectId])),
    findRendering: async (environmentId, renderingId) =>
      first(renderingRow, `select ${renderingColumns} where environment_id = ? and id = ?`, [
        environmentId,
        renderingId,
      ]),
    listRenderings: async (environmentId) =>
      z
        .array(renderingRow)
        .parse(connection.all(`select ${renderingColumns} where environment_id = ? order by id`, [environmentId])),
    provisionDevelopment: async (input) => connection.transaction(() => provision(connection, clock.now(), input)),
  };
}

function provision(
  connection: SqliteConnection,
  now: number,
  { project, secretHash, user }: ProvisionInput,
): Provisioned {
  const upsert = (sql: string, parameters: readonly SqlValue[]) => idRow.parse(connection.all(sql, parameters)[0]).id;
  const projectId = upsert(
    'insert into projects (name, created_at) values (?, ?) on conflict (name) do update set name = excluded.name returning id',
    [project, now],
  );
  const userId = upsert(
    `insert into users (first_name, last_name, email, created_at) values (?, ?, ?, ?)
     on conflict (email) do update set first_name = excluded.first_name, last_name = excluded.last_name returning id`,
    [user.firstName, user.lastName, user.email, now],
  );
  const roleId = upsert(
    'insert into roles (project_id, name) values (?, ?) on conflict (project_id, name) do update set name = excluded.name returning id',
    [projectId, 'Administrators'],
  );
  connection.run(
    `insert into members (project_id, user_id, role_id, permission_level) values (?, ?, ?, 'admin') on conflict do nothing`,
    [projectId, userId, roleId],
  );
  const environmentId = upsert(
    `insert into environments (project_id, name, type, secret_hash, created_at) values (?, 'development', 'development', ?, ?)
     on conflict (secret_hash) do update set project_id = excluded.project_id returning id`,
    [projectId, secretHash, now],
  );
  const renderingId = upsert(
    `insert into renderings (environment_id, team) values (?, 'Operations')
     on conflict (environment_id, team) do update set team = excluded.team returning id`,
    [environmentId],
  );
  const one = (sql: string, parameters: readonly SqlValue[]) => connection.all(sql, parameters)[0];
  return {
    environment: environmentRow.parse(one(`select ${environmentColumns} where e.id = ?`, [environmentId])),
    member: memberRow.parse(one(`select ${memberColumns} where m.project_id = ? and u.id = ?`, [projectId, userId])),
    rendering: renderingRow.parse(one(`select ${renderingColumns} where id = ?`, [renderingId])),
  };
}
