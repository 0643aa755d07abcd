import { z } from 'zod';
import { CloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { SqlRow } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { DeploymentRepository, VersionRecord } from './deployment-repository.ts';

const versionRow = z.object({
  projectId: z.number(),
  number: z.number(),
  digest: z.string(),
  sizeBytes: z.number(),
  message: z.string(),
  authorId: z.number(),
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  builtWith: z.string(),
  gitCommit: z.string().nullable(),
  idempotencyKey: z.string(),
  requestHash: z.string(),
  createdAt: z.number(),
});
const sizeRow = z.object({ sizeBytes: z.number() });

const selectVersions = `
  select v.project_id as projectId, v.number, v.digest, b.size_bytes as sizeBytes, v.message, v.author_id as authorId,
    u.first_name as firstName, u.last_name as lastName, u.email, v.built_with as builtWith, v.git_commit as gitCommit,
    v.idempotency_key as idempotencyKey, v.request_hash as requestHash, v.created_at as createdAt
  from versions v
  join users u on u.id = v.author_id
  join bundles b on b.project_id = v.project_id and b.digest = v.digest`;

export function createSqliteDeploymentRepository(connection: SqliteConnection, clock: Clock): DeploymentRepository {
  const selectByKey = (projectId: number, key: string) =>
    connection
      .all(`${selectVersions} where v.project_id = ? and v.idempotency_key = ?`, [projectId, key])
      .map(versionOf)[0];

  return {
    findBundleSize: async (projectId, digest) =>
      sizeRow
        .optional()
        .parse(
          connection.all('select size_bytes as sizeBytes from bundles where project_id = ? and digest = ?', [
            projectId,
            digest,
          ])[0],
        )?.sizeBytes,
    addBundle: async (projectId, digest, content) =>
      connection.run(
        `insert into bundles (project_id, digest, size_bytes, content, created_at) values (?, ?, ?, ?, ?)
         on conflict do nothing`,
        [projectId, digest, content.byteLength, content, clock.now()],
      ).changes > 0,
    findVersionByKey: async (projectId, key) => selectByKey(projectId, key),
    addVersion: async (version) =>
      connection.transaction(() => {
        const { projectId, digest, message, authorId, builtWith, gitCommit, idempotencyKey, requestHash } = version;
        const earlier = selectByKey(projectId, idempotencyKey);
        if (earlier) return earlier;
        connection.run(
          `insert into versions (project_id, number, digest, message, author_id, built_with, git_commit, idempotency_key, request_hash, created_at)
           select ?, coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ? from versions where project_id = ?`,
          [
            projectId,
            digest,
            message,
            authorId,
            builtWith,
            gitCommit,
            idempotencyKey,
            requestHash,
            clock.now(),
            projectId,
          ],
        );
        return selectByKey(projectId, idempotencyKey) ?? rowLost();
      }),
    listVersions: async (projectId, limit, before) =>
      connection
        .all(`${selectVersions} where v.project_id = ? and v.number < ? order by v.number desc limit ?`, [
          projectId,
          before ?? Number.MAX_SAFE_INTEGER,
          limit,
        ])
        .map(versionOf),
  };
}

function versionOf(row: SqlRow): VersionRecord {
  const { firstName, lastName, email, ...version } = versionRow.parse(row);
  return { ...version, author: { id: version.authorId, firstName, lastName, email } };
}

function rowLost(): never {
  throw new CloudError({ code: 'INTERNAL_BUG', message: 'A version that was just stored cannot be found.' });
}
