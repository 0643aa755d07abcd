import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe } from 'vitest';
import { commonSettings, type MysqlFamilyServer, type ServerProgram, startServer } from './mysql-family-server.ts';

const run = promisify(execFile);
// Debian keeps the server out of the path of ordinary users.
const installed = ['mariadbd', '/usr/sbin/mariadbd', '/usr/libexec/mariadbd']
  .map((candidate) => ({ candidate, ...spawnSync(candidate, ['--version'], { encoding: 'utf8' }) }))
  .find(({ status }) => status === 0);

const program: ServerProgram | undefined = installed && {
  name: 'MariaDB',
  version: /Ver (\S+)/.exec(installed.stdout)?.[1] ?? 'unknown',
  command: [installed.candidate],
  settings: [...commonSettings, '--innodb-log-file-size=8M', '--innodb-fast-shutdown=2'],
  withoutTls: '--skip-ssl',
  makeData: (folder, settings) =>
    run('mariadb-install-db', [
      '--no-defaults',
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      ...settings,
      `--datadir=${folder}`,
    ]),
};

/** A suite on a MariaDB server; without one it is skipped, and its name says so. */
export function describeOnMariadb(name: string, suite: () => void): void {
  const why = program ? '' : ` (skipped: ${whyNoMariadb()})`;
  describe.skipIf(program === undefined)(`${name} on MariaDB ${program?.version ?? ''}${why}`, suite);
}

/** A MariaDB server of its own for a test file, in a temporary folder and on a free port of the loopback. */
export async function startMariadb(options: readonly string[] = []): Promise<MysqlFamilyServer> {
  if (!program) throw new Error(whyNoMariadb());
  return startServer(program, options);
}

/** Why there is no server to start; `undefined` where there is one. */
export function whyNoMariadb(): string | undefined {
  return program ? undefined : 'mariadbd is not installed; on Debian, apt-get install mariadb-server';
}
