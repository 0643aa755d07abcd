import { isToOne, isWritten, type VisibleCollection } from '../model/schema.ts';
import type { Table, TableRow } from './table.ts';

/** Where the cells of a column go: into a field, or to the record that they name by its id or its title. */
export interface Target {
  readonly kind: 'values' | 'links' | 'titles';
  readonly name: string;
  /** The field that `titles` are of. */
  readonly title?: string;
}

/** Every place that a column can go to. A relation takes ids, or titles as an export of ours has them: `customer:name`. */
export function targetsOf({ fields, relations }: VisibleCollection): readonly Target[] {
  return [
    ...fields
      .filter((field) => isWritten(field, 'add') && !field.isComputed)
      .map(({ name }) => ({ kind: 'values', name }) as const),
    ...relations
      .filter((relation) => isToOne(relation) && isWritten(relation, 'add'))
      .flatMap(({ name, title }) => [{ kind: 'links', name } as const, { kind: 'titles', name, title } as const]),
  ];
}

/** The text that a target is known by. The schema is read again, so the same target comes as another object. */
export function keyOfTarget({ kind, name }: Target): string {
  return `${kind} ${name}`;
}

/** The targets that the column at this place may choose from: its own, and those of no other column. */
export function freeTargets(
  possible: readonly Target[],
  targets: readonly (Target | undefined)[],
  at: number,
): readonly Target[] {
  const taken = new Set(targets.flatMap((target, other) => (target && other !== at ? [placeOf(target)] : [])));
  return possible.filter((one) => !taken.has(placeOf(one)));
}

/** The target of each column by its name. Case, spaces, `-` and `_` do not count, and no target comes twice. */
export function guessTargets(columns: readonly string[], targets: readonly Target[]): readonly (Target | undefined)[] {
  const free = new Map(targets.toReversed().map((target) => [plain(pathOf(target)), target]));
  const taken = new Set<string>();
  return columns.map((column) => {
    const target = free.get(plain(column));
    if (!target || taken.has(placeOf(target))) return undefined;
    taken.add(placeOf(target));
    return target;
  });
}

/** What a target is called: a field, a relation for its ids, or the path of its titles. */
export function pathOf({ name, title }: Target): string {
  return title === undefined ? name : `${name}:${title}`;
}

/** What of a record the target fills. An id and a title of one relation are the same link. */
function placeOf({ kind, name }: Target): string {
  return `${kind === 'values' ? 'field' : 'relation'} ${name}`;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}

/** A row as an import takes it. */
export function recordOf({ line, cells }: TableRow, targets: readonly (Target | undefined)[]) {
  const of = (kind: Target['kind']) =>
    Object.fromEntries(
      targets.flatMap((target, at) =>
        target?.kind === kind && cells[at] !== undefined ? [[target.name, cells[at]]] : [],
      ),
    );
  return { line, values: of('values'), links: of('links'), titles: of('titles') };
}

/** A line of CSV (RFC 4180). A text that looks like a formula gets an apostrophe. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const plainText = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plainText) ? `"${plainText.replaceAll('"', '""')}"` : plainText;
}

/** The head of the file of refused rows. */
export function refusedHead({ columns }: Table, reason: string): string {
  return csvLine([...columns, reason]);
}
