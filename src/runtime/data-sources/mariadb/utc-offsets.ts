import type { MysqlDatabase } from '#node/mysql/open-mysql';

/** Zones in one answer, of which the server keeps a megabyte at most. */
const zonesAtOnce = 100;

/**
 * The offsets of time zones by the tables of the server, for those that it knows: many servers have no such tables, and then
 * know none.
 */
export async function readUtcOffsets(
  database: Pick<MysqlDatabase, 'all'>,
  zones: readonly string[],
  instants: readonly Date[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const offsets = new Map<string, readonly number[]>();
  const at = instants.map((instant) => instant.toISOString().slice(0, 19).replace('T', ' '));
  const columns = at.map((_, index) => `timestampdiff(second, ?, convert_tz(?, '+00:00', z.name)) as o${index}`);
  for (let start = 0; start < zones.length; start += zonesAtOnce) {
    const rows = await database.all(
      `select z.name, ${columns.join(', ')} from json_table(?, '$[*]' columns (name varchar(64) path '$')) z`,
      [...at.flatMap((instant) => [instant, instant]), zones.slice(start, start + zonesAtOnce)],
    );
    for (const { name, ...found } of rows) {
      const values = at.map((_, index) => found[`o${index}`] ?? null);
      if (!values.includes(null)) offsets.set(String(name), values.map(Number));
    }
  }
  return offsets;
}
