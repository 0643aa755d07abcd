import type { Projection } from './projection.ts';
import type { RecordData } from './record-query.ts';

/** Cuts a joined record down to what is asked for. */
export function recordProjector(projection: Projection): (record: RecordData) => RecordData {
  const { columns } = projection;
  const relations = [...projection.relations].map(([name, behind]) => [name, recordProjector(behind)] as const);
  return (record) =>
    Object.fromEntries([
      ...columns.map((name) => [name, ownCopy(record[name])]),
      ...relations.map(([name, project]) => {
        const partner = record[name];
        return [name, isRecord(partner) ? project(partner) : null];
      }),
    ]);
}

/** Callers may change the records that they get. */
export function ownCopy(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? structuredClone(value) : (value ?? null);
}

function isRecord(value: unknown): value is RecordData {
  return typeof value === 'object' && value !== null;
}
