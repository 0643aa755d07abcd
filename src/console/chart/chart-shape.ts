import type { RecordChart } from '#contracts/dashboards';

/** A chart by the shape of its answer. */
export type ChartShape =
  | { readonly kind: 'value'; readonly now: Figure; readonly before?: Figure }
  | { readonly kind: 'percentage'; readonly value: Figure }
  | { readonly kind: 'objective'; readonly value: Figure; readonly objective: Figure }
  | { readonly kind: 'shares'; readonly shares: readonly Share[] }
  | { readonly kind: 'lines'; readonly labels: readonly string[]; readonly lines: readonly Line[] }
  | { readonly kind: 'rows'; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'smart'; readonly value: unknown }
  /** There is no figure: the code found none, or no record fits. */
  | { readonly kind: 'nothing' };

/** A number of JSON where that is exact, else its digits. */
export type Figure = number | string | null;

export interface Line {
  readonly name: string;
  readonly values: readonly Figure[];
}

/** A chart over records may have any value of a field as a key. */
type Share = { readonly key: unknown; readonly value: Figure };
type Point = { readonly label: string; readonly values: { readonly value: Figure } };

/** The answer of a chart over records. Its definition says what a number is. */
export function shapeOfRecords(value: unknown, { type, objective }: RecordChart): ChartShape {
  if (type === 'Objective') {
    const now = typeof value === 'object' && value !== null && 'value' in value ? figureOf(value.value) : null;
    return objective === undefined ? { kind: 'value', now } : { kind: 'objective', value: now, objective };
  }
  return shapeOf(value);
}

export function shapeOf(value: unknown): ChartShape {
  if (value === null || value === undefined || isNothing(value)) return { kind: 'nothing' };
  if (isFigure(value)) return { kind: 'percentage', value };
  if (isListOf<Point>(value, 'label', 'values')) {
    return {
      kind: 'lines',
      labels: value.map(({ label }) => label),
      lines: [{ name: '', values: value.map(({ values }) => values.value) }],
    };
  }
  if (isListOf<Share>(value, 'key', 'value')) return { kind: 'shares', shares: value };
  if (typeof value !== 'object') return { kind: 'smart', value };
  if (isListOf<Readonly<Record<string, unknown>>>(value)) return rowsOfObjects(value);
  const all = value as Readonly<Record<string, unknown>>;
  if ('countCurrent' in all) {
    const before = all['countPrevious'];
    return {
      kind: 'value',
      now: figureOf(all['countCurrent']),
      ...(before === undefined ? {} : { before: figureOf(before) }),
    };
  }
  if ('objective' in all)
    return { kind: 'objective', value: figureOf(all['value']), objective: figureOf(all['objective']) };
  const { labels, values } = all;
  if (isNothing(labels) || isNothing(values)) return { kind: 'nothing' };
  if (Array.isArray(labels) && isListOf<{ key: string; values: Figure[] }>(values, 'key', 'values')) {
    return {
      kind: 'lines',
      labels: labels.map(String),
      lines: values.map((line) => ({ name: line.key, values: line.values })),
    };
  }
  return { kind: 'smart', value };
}

/** A chart as rows, for those who read rather than look. */
export function rowsOf(shape: ChartShape, language: string): readonly (readonly string[])[] {
  const textOfFigure = figuresIn(language);
  switch (shape.kind) {
    case 'value':
      return [[textOfFigure(shape.now), ...(shape.before === undefined ? [] : [textOfFigure(shape.before)])]];
    case 'percentage':
      return [[`${textOfFigure(shape.value)} %`]];
    case 'objective':
      return [[textOfFigure(shape.value), textOfFigure(shape.objective)]];
    case 'shares':
      return shape.shares.map(({ key, value }) => [textOfKey(key), textOfFigure(value)]);
    case 'lines':
      return shape.labels.map((label, at) => [
        label,
        ...shape.lines.map(({ values }) => textOfFigure(values[at] ?? null)),
      ]);
    case 'rows':
      return shape.rows;
    case 'smart':
      return [[JSON.stringify(shape.value, null, 2) ?? '']];
    case 'nothing':
      return [];
  }
}

/** Objects of one list as the rows of a table, with a column for each name that one of them has. */
function rowsOfObjects(value: readonly Readonly<Record<string, unknown>>[]): ChartShape {
  const columns = [...new Set(value.flatMap((row) => Object.keys(row)))];
  return { kind: 'rows', columns, rows: value.map((row) => columns.map((name) => textOfKey(row[name]))) };
}

export function textOfKey(key: unknown): string {
  if (key === undefined) return '';
  return typeof key === 'string' ? key : JSON.stringify(key);
}

/** How a language writes figures: digits in groups, and none rounded away. */
export function figuresIn(language: string): (value: Figure) => string {
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 20 });
  return (value) => {
    const text = value === null ? '–' : String(value);
    return isPlain(text) ? numbers.format(text) : text;
  };
}

/** Digits that the format keeps whole. It takes them as a text, so that none is lost before either. */
function isPlain(text: string): text is `${number}` {
  return /^-?\d+(\.\d{1,20})?$/.test(text);
}

function isNothing(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isFigure(value: unknown): value is Figure {
  return typeof value === 'number' || (typeof value === 'string' && value !== '' && Number.isFinite(Number(value)));
}

function figureOf(value: unknown): Figure {
  return isFigure(value) ? value : null;
}

function isListOf<Item>(value: unknown, ...names: readonly string[]): value is readonly Item[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every(
    (item: unknown) => typeof item === 'object' && item !== null && names.every((name) => name in item),
  );
}
