import { execFile, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import { commonSettings, type MysqlFamilyServer, type ServerProgram, startServer } from './mysql-family-server.ts';

const run = promisify(execFile);
const folder = path.resolve(import.meta.dirname, '../../.cache/mysql-server');
const root = path.join(folder, 'root');
const program = unpacked();

/** The server that `scripts/fetch-mysql-server.sh` has unpacked, with the C library it was unpacked with. */
function unpacked(): ServerProgram | undefined {
  const [loader] = globSync(path.join(root, 'usr/lib/*/ld-linux-*.so.*'));
  if (loader === undefined) return undefined;
  const command = [loader, '--library-path', path.dirname(loader), path.join(root, 'usr/sbin/mysqld')] as const;
  const { status, stdout } = spawnSync(command[0], [...command.slice(1), '--no-defaults', '--version'], {
    encoding: 'utf8',
  });
  if (status !== 0) return undefined;
  const settings = [
    ...commonSettings,
    `--lc-messages-dir=${path.join(root, 'usr/share/mysql')}`,
    `--character-sets-dir=${path.join(root, 'usr/share/mysql/charsets')}`,
    `--plugin-dir=${path.join(root, 'usr/lib/mysql/plugin')}`,
    '--innodb-redo-log-capacity=8M',
    '--innodb-doublewrite=off',
    // Folders in memory take no asynchronous writes.
    '--innodb-use-native-aio=off',
    '--innodb-flush-method=fsync',
    '--mysqlx=off',
    '--secure-file-priv=',
  ];
  return {
    name: 'MySQL',
    version: /Ver (\S+)/.exec(stdout)?.[1] ?? 'unknown',
    command: [...command],
    settings,
    withoutTls: '--tls-version=',
    async makeData(data, given) {
      await run(command[0], [...command.slice(1), ...settings, ...given, '--initialize-insecure', `--datadir=${data}`]);
      // Every server makes a number of its own.
      await rm(path.join(data, 'auto.cnf'), { force: true });
    },
  };
}

/** A suite on a MySQL server; without one it is skipped, and its name says so. */
export function describeOnMysql(name: string, suite: () => void): void {
  const why = program ? '' : ` (skipped: ${whyNoMysql()})`;
  describe.skipIf(program === undefined)(`${name} on MySQL ${program?.version ?? ''}${why}`, suite);
}

/** A MySQL server of its own for a test file. */
export async function startMysql(options: readonly string[] = []): Promise<MysqlFamilyServer> {
  if (!program) throw new Error(whyNoMysql());
  return startServer(program, options);
}

/** Why there is no server to start; `undefined` where there is one. */
export function whyNoMysql(): string | undefined {
  if (program) return undefined;
  const reason = path.join(folder, 'why-not');
  return existsSync(reason)
    ? readFileSync(reason, 'utf8').trim()
    : 'the server is not there; scripts/fetch-mysql-server.sh fetches it';
}
