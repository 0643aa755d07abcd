import fc from 'fast-check';

/** The data source of each table, and the engine under it. */
export const engines = ['sqlite', 'postgres', 'mariadb'] as const;
export type EngineName = (typeof engines)[number];

export type Values = Readonly<Record<string, unknown>>;

/** Few values of each column, so that they come back. Texts as a database writes them. */
const domain = {
  label: ['a', 'ä', ''],
  amount: ['12.50', '0.10', '-3.00'],
  due: ['2026-01-31', '2024-02-29', null],
  moment: ['2026-01-31T12:00:00.000Z', '2026-07-01T00:30:00.000Z', null],
  data: [{ a: [1, { b: null }] }, [], null],
  active: [true, false, null],
  size: [5, 6, 7],
} as const;
const columns = Object.keys(domain) as (keyof typeof domain)[];
/** The database fills in what a creation leaves out. */
const defaults: Values = { due: null, moment: null, data: null, active: null, size: 5, parent_id: null };

/** A write that was carried out: what the agent is asked, whether once or again without somebody. */
export interface Write {
  readonly actor: number;
  readonly engine: EngineName;
  /** From 0 on; the id of a record is that beyond the first of the history. */
  readonly slot: number;
  readonly kind: 'create' | 'update' | 'delete';
  readonly values: Values;
}

const step = fc.record({
  actor: fc.nat(2),
  engine: fc.nat(2),
  slot: fc.nat(2),
  kind: fc.constantFrom('update', 'update', 'create', 'delete'),
  given: fc.subarray(columns, { minLength: 1 }),
  which: fc.nat(2),
  hasParent: fc.boolean(),
});

/** A history of three actors: only what can be carried out, and only what changes something. */
export const randomHistory: fc.Arbitrary<readonly Write[]> = fc
  .array(step, { minLength: 6, maxLength: 16 })
  .map((steps) => {
    const records = new Map<string, { readonly actor: number; readonly values: Values }>();
    const writes: Write[] = [];
    for (const { actor, engine: at, slot, kind, given, which, hasParent } of steps) {
      const engine = engines[at] ?? 'sqlite';
      const key = `${engine} ${slot}`;
      const now = records.get(key);
      const note = (values: Values) => writes.push({ actor, engine, slot, kind: kind as Write['kind'], values });
      const wanted: Values = Object.fromEntries(given.map((name) => [name, domain[name][which]]));
      if (kind === 'create' && !now) {
        // Of the same actor: what an undo takes back in the wrong order, the foreign key refuses.
        const parent = [0, 1, 2].find((other) => records.get(`${engine} ${other}`)?.actor === actor && other !== slot);
        const values = {
          ...{ label: 'new', amount: '1.00', ...wanted },
          ...(hasParent && parent !== undefined ? { parent_id: parent } : {}),
        };
        records.set(key, { actor, values: { ...defaults, ...values } });
        note(values);
      }
      if (kind === 'update' && now) {
        const changed = Object.fromEntries(
          Object.entries(wanted).filter(([name, value]) => now.values[name] !== value),
        );
        if (Object.keys(changed).length === 0) continue;
        records.set(key, { ...now, values: { ...now.values, ...changed } });
        note(changed);
      }
      const isParent = [...records].some(
        ([other, { values }]) => other.startsWith(engine) && values['parent_id'] === slot,
      );
      if (kind === 'delete' && now && !isParent) {
        records.delete(key);
        note({});
      }
    }
    return writes;
  });

/** The writes of somebody that cannot be taken back, because others have written the same since. */
export function conflictingWrites(writes: readonly Write[], actor: number): readonly Write[] {
  return writes.filter((write, index) => {
    const isAboutTheSame = (other: Write) => {
      if (other.actor === actor || other.engine !== write.engine || other.slot !== write.slot) return false;
      const areUpdates = write.kind === 'update' && other.kind === 'update';
      return !areUpdates || Object.keys(other.values).some((name) => Object.hasOwn(write.values, name));
    };
    return write.actor === actor && writes.slice(index + 1).some(isAboutTheSame);
  });
}
