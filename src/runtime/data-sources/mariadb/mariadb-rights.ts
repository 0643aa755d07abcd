import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlRow } from '#kernel/ports/sql-row';
import { likeToRegExp } from '../../query/like-pattern.ts';

type Query = (sql: string, parameters: readonly string[]) => Promise<readonly SqlRow[]>;

/** What the server says of its user beyond the rights on each column. */
export interface MariadbRights {
  mayDelete(schema: string, table: string): boolean;
  /** One sentence where the server only reads. */
  readonly warnings: readonly string[];
}

/** A line of `show grants`. */
export interface Grant {
  readonly isTaken: boolean;
  /** As the line names them; `*` for all. */
  readonly schema: string;
  readonly table: string;
  readonly grantee: string;
  readonly privileges: ReadonlySet<string>;
}

/** Only MySQL carries out a comment for its versions. */
const readOnlySettings = `
  select @@global.read_only as \`read_only\`, @@global.innodb_read_only as \`innodb_read_only\`
    /*!50708 , @@global.super_read_only as \`super_read_only\` */`;

/**
 * Read the rights of the user with those of their active roles. Proxies that answer for a server may not know the statements: then
 * everything counts as allowed, and the database refuses what is not.
 */
export async function readRights(query: Query): Promise<MariadbRights> {
  try {
    const rows = await query('show grants', []);
    const grants = grantsOf(rows.flatMap((row) => Object.values(row).slice(0, 1).map(String)));
    const [settings = {}] = await query(readOnlySettings, []);
    return {
      mayDelete: (schema, table) => mayDelete(grants, schema, table),
      warnings: readOnlyWarnings(settings, grants),
    };
  } catch (error) {
    if (!isCloudError(error) || error.code !== 'DATABASE_QUERY_FAILED') throw error;
    return { mayDelete: () => true, warnings: [] };
  }
}

/** The rights of the user that writes while the server only reads. `super_read_only` and `innodb_read_only` hold for everybody. */
const exemptions = ['SUPER', 'CONNECTION_ADMIN', 'READ_ONLY ADMIN', 'READ ONLY ADMIN'];

function readOnlyWarnings(settings: SqlRow, grants: readonly Grant[]): string[] {
  const ofServer = grants.filter(({ schema, isTaken }) => schema === '*' && !isTaken);
  const isExempt = ofServer.some((grant) => hasAll(grant) || exemptions.some((name) => grant.privileges.has(name)));
  const isOn = ([name, value]: readonly [string, unknown]) =>
    !['0', 'OFF'].includes(String(value).toUpperCase()) && !(isExempt && name === 'read_only');
  const on = Object.entries(settings).filter(isOn);
  if (on.length === 0) return [];
  const names = on.map(([name]) => `"${name}"`).join(' and ');
  return [`The database server only reads at the moment, and refuses every write of this user: ${names} is on.`];
}

/** The lines of `show grants`, which are those of roles and of everybody too. */
export function grantsOf(lines: readonly string[]): readonly Grant[] {
  return lines.flatMap((text) => parseGrant(text) ?? []);
}

export function mayDelete(grants: readonly Grant[], schema: string, table: string): boolean {
  const byGrantee = [...Map.groupBy(grants, ({ grantee }) => grantee).values()];
  return byGrantee.some((own) => mayDeleteBy(own, schema, table));
}

function mayDeleteBy(grants: readonly Grant[], schema: string, table: string): boolean {
  const isSchema = (grant: Grant) => isSame(grant.schema, schema);
  const isTaken = grants.some((grant) => grant.isTaken && isSchema(grant) && deletes(grant));
  const given = grants.filter((grant) => !grant.isTaken);
  if (!isTaken && given.some((grant) => grant.schema === '*' && deletes(grant))) return true;
  // Of several patterns that match, the server takes the one whose first wildcard comes last.
  const [ofSchema] = given
    .filter((grant) => grant.schema !== '*' && grant.table === '*' && isLike(schema, grant.schema))
    .toSorted((a, b) => plainStart(b.schema) - plainStart(a.schema));
  if (ofSchema && deletes(ofSchema)) return true;
  return given.some((grant) => isSchema(grant) && isSame(grant.table, table) && deletes(grant));
}

function deletes(grant: Grant): boolean {
  return grant.privileges.has('DELETE') || hasAll(grant);
}

function hasAll({ privileges }: Grant): boolean {
  return privileges.has('ALL PRIVILEGES') || privileges.has('ALL');
}

const identifier = String.raw`(\*|\`(?:[^\`]|\`\`)+\`|"(?:[^"]|"")+"|[\w$]+)`;
const line = new RegExp(
  String.raw`^(GRANT|REVOKE) (.+?) ON (?:TABLE )?${identifier}\.${identifier} (?:TO|FROM) (.+?)(?: IDENTIFIED | WITH | REQUIRE |$)`,
  'is',
);
const columnList = /\((?:`(?:[^`]|``)*`|"(?:[^"]|"")*"|[^)`"])*\)/g;

/** `undefined` for a line about roles, routines and proxies. */
function parseGrant(text: string): Grant | undefined {
  const [, verb, privileges, schema, table, grantee] = line.exec(text) ?? [];
  if (!privileges || !schema || !table || !grantee) return undefined;
  const names = privileges.replaceAll(columnList, '').split(',');
  return {
    isTaken: verb?.toUpperCase() === 'REVOKE',
    schema: unquoted(schema),
    table: unquoted(table),
    grantee,
    privileges: new Set(names.map((name) => name.trim().toUpperCase())),
  };
}

function unquoted(name: string): string {
  const [sign = ''] = name;
  return sign === '`' || sign === '"' ? name.slice(1, -1).replaceAll(sign + sign, sign) : name;
}

/** Whether names of different case are the same depends on the server. Where they are not, the database refuses what is not allowed. */
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** In the name of a database in a grant, `_` is any character and `%` any text, unless there is a backslash before. */
function isLike(name: string, pattern: string): boolean {
  return likeToRegExp(pattern.toLowerCase()).test(name.toLowerCase());
}

function plainStart(pattern: string): number {
  const at = pattern.replaceAll(/\\[\s\S]/g, 'x').search(/[%_]/);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}
