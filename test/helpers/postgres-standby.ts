import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);

/** A running server whose data is copied. */
interface CopiedServer {
  readonly port: number;
  readonly password: string;
  readonly databaseDir: string;
}

/** The role that standbys copy as. */
export const copierRole = "create role copier replication login password 'copies'";

/**
 * Copy the data of a running server into a new folder, for a standby that follows it. That is a backup as the documentation describes it
 * without the tools of the server.
 *
 * @returns the setting that makes the copy follow the server.
 */
export async function copyForStandby(server: CopiedServer, databaseDir: string, name: string): Promise<string> {
  const { port, password } = server;
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', password });
  await client.connect();
  await client.query('select pg_backup_start($1, true)', [name]);
  await run('cp', ['-a', server.databaseDir, databaseDir]);
  const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
  await client.end();
  await Promise.all(
    ['postmaster.pid', 'postmaster.opts'].map((file) => rm(path.join(databaseDir, file), { force: true })),
  );
  // Copies of a file of the server have its owner, who writes to these two at the start.
  const [ownFile, signal, label] = ['PG_VERSION', 'standby.signal', 'backup_label'].map((file) =>
    path.join(databaseDir, file),
  ) as [string, string, string];
  for (const file of [signal, label]) await run('cp', ['-a', ownFile, file]);
  await writeFile(label, rows[0]?.labelfile ?? '');
  return `primary_conninfo=host=127.0.0.1 port=${port} user=copier password=copies application_name=${name}`;
}
