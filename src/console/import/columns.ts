import { isToOne, type VisibleCollection } from '../model/schema.ts';
import type { Table, TableRow } from './table.ts';

/** Where the cells of a column go: into a field, or to the record that they name. */
export interface Target {
  readonly kind: 'values' | 'links';
  readonly name: string;
}

/** Every place that a column can go to. A relation takes ids. */
export function targetsOf({ fields, relations }: VisibleCollection): readonly Target[] {
  return [
    ...fields
      .filter(({ isReadOnly, isComputed }) => !isReadOnly && !isComputed)
      .map(({ name }) => ({ kind: 'values', name }) as const),
    ...relations
      .filter((relation) => isToOne(relation) && !relation.isReadOnly)
      .map(({ name }) => ({ kind: 'links', name }) as const),
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
  const taken = new Set(targets.flatMap((target, other) => (target && other !== at ? [keyOfTarget(target)] : [])));
  return possible.filter((one) => !taken.has(keyOfTarget(one)));
}

/** The target of each column by its name. Case, spaces, `-` and `_` do not count, and no target comes twice. */
export function guessTargets(columns: readonly string[], targets: readonly Target[]): readonly (Target | undefined)[] {
  const free = new Map(targets.toReversed().map((target) => [plain(target.name), target]));
  return columns.map((column) => {
    const target = free.get(plain(column));
    free.delete(plain(column));
    return target;
  });
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
  return { line, values: of('values'), links: of('links') };
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
