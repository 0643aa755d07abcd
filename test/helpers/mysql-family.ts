import { describeOnMariadb, startMariadb } from './mariadb-server.ts';
import type { MysqlFamilyServer } from './mysql-family-server.ts';
import { describeOnMysql, startMysql } from './mysql-server.ts';

/** One of the two servers, as far as a test has to tell them apart. */
export interface FamilyMember {
  readonly name: 'MariaDB' | 'MySQL';
  /** The scheme of its connection URI. */
  readonly dialect: 'mariadb' | 'mysql';
  start(options?: readonly string[]): Promise<MysqlFamilyServer>;
}

const mariadb: FamilyMember = { name: 'MariaDB', dialect: 'mariadb', start: startMariadb };
const mysql: FamilyMember = { name: 'MySQL', dialect: 'mysql', start: startMysql };

/** The same suite on MariaDB and on MySQL; it is skipped, and says why, on a server that is not there. */
export function describeOnMysqlFamily(name: string, suite: (member: FamilyMember) => void): void {
  describeOnMariadb(name, () => suite(mariadb));
  describeOnMysql(name, () => suite(mysql));
}
