import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  planOfRecord,
  type RecordPlan,
  recordKey,
  undoConflicts,
  type WriteOfHistory,
  type WriteToUndo,
} from '#flows/audit/undo/plan-undo';

/** Few values and records, so that values come back and keys are taken again. */
const fields = ['a', 'b'] as const;
const records = [
  { collection: 'orders', recordId: '1' },
  { collection: 'orders', recordId: '2' },
  { collection: 'customers', recordId: '1' },
];
type Values = Readonly<Record<string, unknown>>;
type Tables = Map<string, Values>;
interface Logged extends WriteOfHistory {
  readonly actor: number;
  readonly key: string;
  /** The row that an undo took back. */
  readonly reverses?: number;
}

const step = fc.record({
  actor: fc.nat(2),
  record: fc.nat(records.length - 1),
  kind: fc.constantFrom('update', 'update', 'update', 'create', 'delete', 'undo'),
  values: fc.tuple(fc.nat(2), fc.nat(2)),
  touched: fc.constantFrom(['a'], ['b'], ['a', 'b']),
  which: fc.nat(20),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Carries out what can be carried out, as an agent does, and logs it. */
function run(steps: readonly Step[]): { readonly log: readonly Logged[]; readonly tables: Tables } {
  const tables: Tables = new Map();
  const log: Logged[] = [];
  for (const { actor, record, kind, values, touched, which } of steps) {
    const key = recordKey(records[record] ?? { collection: '', recordId: '' });
    const now = tables.get(key);
    const whole = { a: values[0], b: values[1] };
    const sequence = log.length + 1;
    const base = { sequence, id: String(sequence), actor, key, isUndoable: true } as const;
    const note = (entry: Omit<Logged, keyof typeof base>) => {
      const logged: Logged = { ...base, ...entry };
      log.push(logged);
      write(tables, logged);
    };
    if (kind === 'create' && !now) note({ action: 'create', fields: [...fields], before: null, after: whole });
    if (kind === 'delete' && now) note({ action: 'delete', fields: [...fields], before: now, after: null });
    if (kind === 'update' && now) {
      const changed = touched.filter((name) => now[name] !== whole[name as 'a']);
      const [before, after] = [now, whole].map((all: Values) => picked(all, changed));
      if (changed.length > 0) note({ action: 'update', fields: changed, before: before ?? null, after: after ?? null });
    }
    // Whoever takes an undo back writes something of their own. An undo of an older agent does not name the write, and of older writes with
    // the same values no history says which one was meant.
    const isNamed = values[0] > 0;
    const earlier =
      kind === 'undo' ? log.filter((each) => each.key === key && each.label === undefined)[which] : undefined;
    if (earlier && isAsLeft(now, earlier) && (isNamed || isNewest(log, earlier))) {
      const { sequence: reverses, before, after } = earlier;
      const action = before && after ? 'update' : after ? 'delete' : 'create';
      const named = isNamed ? { undoes: earlier.id } : {};
      const undo = { action, label: 'undo', fields: earlier.fields, before: after ?? null, after: before ?? null };
      note({ ...undo, ...named, reverses });
    }
  }
  return { log, tables };
}

function picked(all: Values, names: readonly string[]): Values {
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

function isAsLeft(now: Values | undefined, { after }: WriteOfHistory): boolean {
  if (!after) return !now;
  return now !== undefined && Object.entries(after).every(([name, value]) => now[name] === value);
}

/** Whether nobody has written the same since. */
function isNewest(log: readonly Logged[], write: Logged): boolean {
  return log
    .slice(write.sequence)
    .filter(({ key }) => key === write.key)
    .every(({ action, fields: names }) => {
      const areUpdates = action === 'update' && write.action === 'update';
      return areUpdates && !names.some((name) => write.fields.includes(name));
    });
}

/** What the others alone would have made. An undo takes back what was written, and as long as nobody has written it again. */
function withoutActor(log: readonly Logged[], actor: number): Tables {
  const tables: Tables = new Map();
  /** What each write found that had an effect. */
  const found = new Map<number, Values | undefined>();
  for (const each of log.filter((logged) => logged.actor !== actor)) {
    const { sequence, key, reverses } = each;
    const now = tables.get(key);
    const reversed = reverses === undefined ? undefined : log[reverses - 1];
    if (reversed && !(found.has(reversed.sequence) && isAsLeft(now, reversed))) continue;
    const old = reversed && found.get(reversed.sequence);
    if ((each.action === 'create') === !now) found.set(sequence, now);
    write(tables, old ? { ...each, after: each.action === 'update' ? picked(old, each.fields) : old } : each);
  }
  return tables;
}

/** A write that does not fit does nothing, as a database refuses it. */
function write(tables: Tables, { key, action, after }: Pick<Logged, 'key' | 'action' | 'after'>): void {
  const now = tables.get(key);
  if (action === 'create' && !now) tables.set(key, { ...after });
  if (action === 'delete') tables.delete(key);
  if (action === 'update' && now) tables.set(key, { ...now, ...after });
}

function planOf(log: readonly Logged[], actor: number): RecordPlan {
  const plans = records.map((record) => {
    const own = log.filter(({ key }) => key === recordKey(record));
    const sequences = new Set(own.filter((each) => each.actor === actor).map(({ sequence }) => sequence));
    return planOfRecord(record, sequences, { writes: own.toReversed() });
  });
  const writes = plans.flatMap((plan) => plan.writes).sort((one, other) => other.sequence - one.sequence);
  return { writes, left: plans.flatMap(({ left }) => left), later: plans.flatMap(({ later }) => later) };
}

/** The tables after the writes of the plan were taken back, the newest first. */
function undone(tables: Tables, writes: readonly WriteToUndo[]): Tables {
  const result = new Map(tables);
  for (const each of writes) {
    const key = recordKey(each);
    const { before, after } = each;
    write(result, { key, action: before && after ? 'update' : after ? 'delete' : 'create', after: before });
  }
  return result;
}

describe('an undo of an actor', () => {
  const runs = Number(process.env['UNDO_HISTORIES'] ?? 10_000);

  it(`leaves the tables as a run without the actor does, or refuses (${runs} histories)`, () => {
    let clean = 0;
    let refused = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 4, maxLength: 24 }), fc.nat(2), (steps, actor) => {
        const { log, tables } = run(steps);
        const plan = planOf(log, actor);
        const now = new Map(records.map((record) => [recordKey(record), tables.get(recordKey(record)) ?? null]));
        const conflicts = undoConflicts(plan.writes, { now, later: plan.later });
        if (conflicts.length > 0) {
          refused += 1;
          return;
        }
        if (plan.writes.length > 0) clean += 1;
        expect(sorted(undone(tables, plan.writes))).toEqual(sorted(withoutActor(log, actor)));
      }),
      { numRuns: runs },
    );
    expect(clean).toBeGreaterThan(runs / 20);
    expect(refused).toBeGreaterThan(runs / 20);
  });
});

function sorted(tables: Tables) {
  return [...tables].sort(([one], [other]) => one.localeCompare(other));
}
