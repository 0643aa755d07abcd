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
/** Foreign keys to the same table: a deletion is refused, reaches further, or takes the link away. */
export const links = ['parent_id', 'owner_id', 'friend_id'] as const;
/** The database fills in what a creation leaves out. */
const defaults: Values = {
  ...{ due: null, moment: null, data: null, active: null, size: 5 },
  ...{ parent_id: null, owner_id: null, friend_id: null },
};

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
  kind: fc.constantFrom<Write['kind']>('update', 'update', 'create', 'delete'),
  given: fc.subarray(columns, { minLength: 1 }),
  which: fc.nat(2),
  linked: fc.oneof(
    { weight: 2, arbitrary: fc.constant<(typeof links)[number][]>([]) },
    { weight: 1, arbitrary: fc.subarray([...links], { minLength: 1 }) },
  ),
  to: fc.nat(2),
});

type Records = Map<string, Values>;

const keyOf = (engine: EngineName, slot: unknown) => `${engine} ${slot}`;

/** What a write makes of the records. A change of a record that is not there does nothing. */
function write(records: Records, { engine, slot, kind, values }: Write): void {
  const key = keyOf(engine, slot);
  const now = records.get(key);
  if (kind === 'create') records.set(key, { ...defaults, ...values });
  if (kind === 'update' && now) records.set(key, { ...now, ...values });
  if (kind === 'delete') records.delete(key);
}

function recordsAfter(writes: readonly Write[]): Records {
  const records: Records = new Map();
  for (const each of writes) write(records, each);
  return records;
}

/** Whether others lead to the record of a write. */
function isLedTo(records: Records, { engine, slot }: Pick<Write, 'engine' | 'slot'>): boolean {
  return [...records].some(
    ([key, values]) =>
      key.startsWith(engine) && key !== keyOf(engine, slot) && links.some((name) => values[name] === slot),
  );
}

/** A history of three actors: only what can be carried out, and only what changes something. */
export const randomHistory: fc.Arbitrary<readonly Write[]> = fc
  .array(step, { minLength: 6, maxLength: 16 })
  .map((steps) => {
    const records: Records = new Map();
    const writes: Write[] = [];
    for (const { actor, engine: at, slot, kind, given, which, linked, to } of steps) {
      const engine = engines[at] ?? 'sqlite';
      const now = records.get(keyOf(engine, slot));
      const target = to !== slot && records.has(keyOf(engine, to)) ? to : null;
      const wanted: Values = {
        ...Object.fromEntries(given.map((name) => [name, domain[name][which]])),
        ...Object.fromEntries(linked.map((name) => [name, target])),
      };
      const note = (values: Values) => {
        const noted = { actor, engine, slot, kind, values };
        writes.push(noted);
        write(records, noted);
      };
      if (kind === 'create' && !now) note({ ...{ label: 'new', amount: '1.00' }, ...wanted });
      if (kind === 'update' && now) {
        const changed = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => now[name] !== value));
        if (Object.keys(changed).length > 0) note(changed);
      }
      if (kind === 'delete' && now && !isLedTo(records, { engine, slot })) note({});
    }
    return writes;
  });

/** The version of the code that each actor writes through; `undefined` for one whose agent names none. */
export type Versions = readonly (number | undefined)[];

/** In a third of the histories the undo uses the version of the code. The first actor has one then. */
export const randomVersions: fc.Arbitrary<Versions | undefined> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Versions>([1, 2, undefined], [2, 1, undefined], [1, undefined, 2], [2, 1, 1]),
  },
);

/** The writes of somebody that cannot be taken back: others have written the same since, or a foreign key stands in the way. */
export function conflictingWrites(writes: readonly Write[], actor: number): readonly Write[] {
  return writes.filter((write, index) => {
    if (write.actor !== actor) return false;
    const before = writes.slice(0, index);
    const later = writes.slice(index + 1).filter((other) => other.actor !== actor);
    const isAboutTheSame = (other: Write) => {
      if (other.engine !== write.engine || other.slot !== write.slot) return false;
      const areUpdates = write.kind === 'update' && other.kind === 'update';
      return !areUpdates || Object.keys(other.values).some((name) => Object.hasOwn(write.values, name));
    };
    return later.some(isAboutTheSame) || isTied(write, before, later);
  });
}

/** Whether a foreign key does not allow what taking a write back would do, once the later ones of the same actor are taken back. */
function isTied(write: Write, before: readonly Write[], later: readonly Write[]): boolean {
  const { engine, slot, kind, values } = write;
  const then = recordsAfter([...before, write, ...later]);
  if (kind === 'create') return isLedTo(then, write);
  const old = recordsAfter(before).get(keyOf(engine, slot)) ?? {};
  const written = kind === 'delete' ? links : links.filter((name) => Object.hasOwn(values, name));
  return written.some((name) => old[name] !== null && !then.has(keyOf(engine, old[name])));
}

/**
 * The writes of the others. What led to records of the actor leads nowhere: where nothing stands in the way of the undo, somebody has
 * written it again.
 */
export function withoutActor(writes: readonly Write[], actor: number): readonly Write[] {
  const records: Records = new Map();
  return writes
    .filter((each) => each.actor !== actor)
    .map((each) => {
      const isLost = (name: string) =>
        links.some((link) => link === name) &&
        each.values[name] !== null &&
        !records.has(keyOf(each.engine, each.values[name]));
      const values = Object.entries(each.values).map(([name, value]) => [name, isLost(name) ? null : value] as const);
      const possible = { ...each, values: Object.fromEntries(values) };
      write(records, possible);
      return possible;
    });
}
