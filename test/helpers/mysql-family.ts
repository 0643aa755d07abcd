import { describeOnMariadb, startMariadb } from './mariadb-server.ts';
import type { MysqlFamilyServer } from './mysql-family-server.ts';
import { describeOnMysql, startMysql } from './mysql-server.ts';

/** One of the two servers, as far as a test has to tell them apart. */
export interface FamilyMember {
  readonly name: 'MariaDB' | 'MySQL';
  /** The scheme of its connection URI. */
  readonly dialect: 'mariadb' | 'mysql';
  /** Types of the neutral tables that it keeps as texts. */
  readonly lacksTypes: readonly 'uuid'[];
  start(options?: readonly string[]): Promise<MysqlFamilyServer>;
}

const mariadb: FamilyMember = { name: 'MariaDB', dialect: 'mariadb', lacksTypes: [], start: startMariadb };
const mysql: FamilyMember = { name: 'MySQL', dialect: 'mysql', lacksTypes: ['uuid'], start: startMysql };

/** The same suite on MariaDB and on MySQL; it is skipped, and says why, on a server that is not there. */
export function describeOnMysqlFamily(name: string, suite: (member: FamilyMember) => void): void {
  describeOnMariadb(name, () => suite(mariadb));
  describeOnMysql(name, () => suite(mysql));
}

/** A table of the numbers 1 to `count`, called `seq`, that both servers make. */
export function numbersTo(count: number): string {
  return `json_table(concat('[0', repeat(',0', ${count - 1}), ']'), '$[*]' columns (seq for ordinality)) as numbers`;
}

/** A query that ends when it is cancelled, and not before. */
export const endless = `select /* endless */ count(*) from ${[1, 2, 3, 4].map((n) => `${numbersTo(1000)}_${n}`).join(' join ')}
  where numbers_1.seq + numbers_2.seq + numbers_3.seq + numbers_4.seq = 1`;
