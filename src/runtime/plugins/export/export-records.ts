import { withoutFormula } from '#kernel/text/without-formula';
import type { ActionContext } from '../../customizer/action-definition.ts';
import type { Plugin } from '../../customizer/agent.ts';
import type { CollectionOutline, ColumnOutline } from '../../customizer/collection-outline.ts';
import type { FormElement } from '../../customizer/form-element.ts';
import { declareInPlugin, takesPluginDeclarations } from '../../customizer/plugin-declarations.ts';
import type { NamesFields } from '../../customizer/plugin-options.ts';
import { valueReader } from '../../query/record-path.ts';
import type { RecordData } from '../../query/record-query.ts';
import { cellOf, cellOfText, localTimeIn, type SheetCell } from '../../spreadsheet/sheet-cell.ts';
import { pluginMisused } from '../../user-code/refused-options.ts';

/** A column of a file. */
export interface ExportColumn {
  /** A field, or a path `relation:field`. */
  readonly field: string;
  /** Default: the name of the field. */
  readonly title?: string;
  /** How a workbook shows its numbers and dates, as a spreadsheet writes it: `#,##0.00`, `yyyy-mm-dd`. `text` for values as they are. */
  readonly format?: string;
  /** In characters. */
  readonly width?: number;
}

/** A workbook with one sheet, whose titles stay in sight. */
async function xlsxFile(name: string, { columns, rows }: ExportSheet): Promise<Uint8Array> {
  const { writeWorkbook } = await import('../../spreadsheet/write-workbook.ts');
  const titled = columns.map(({ format, ...column }) => ({
    ...column,
    title: titleOf(column),
    format: format === 'text' ? undefined : format,
  }));
  const batches = (async function* all() {
    yield rows;
  })();
  const pieces: Uint8Array[] = [];
  for await (const piece of writeWorkbook(name, titled, batches)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** CSV with a byte order mark, by which spreadsheets know UTF-8. */
async function csvFile(_name: string, { columns, rows }: ExportSheet): Promise<Uint8Array> {
  const { stringify } = await import('csv-stringify/sync');
  const lines = [columns.map((column) => withoutFormula(titleOf(column))), ...rows.map((row) => row.map(textOfCell))];
  return Buffer.from(stringify(lines, { bom: true }));
}

function titleOf({ field, title = field }: ExportColumn): string {
  return title;
}

function textOfCell(cell: SheetCell): string {
  if (cell.kind === 'empty') return '';
  if (cell.kind === 'date') return cell.value.toISOString().slice(0, 10);
  if (cell.kind === 'instant') return cell.value.toISOString().slice(0, 19).replace('T', ' ');
  if (cell.kind === 'text') return withoutFormula(cell.value);
  return String(cell.value);
}

/** What an export holds, and how people ask for it. */
export interface ExportRecordsOptions extends NamesFields<'columns'> {
  /**
   * The fields, in their order: names, paths `relation:field`, or more about a column. The compiler checks them against the typings of the
   * project, and the agent when it loads the code.
   */
  readonly columns: readonly (string | ExportColumn)[];
  /** The name of the action. Default `Export`. */
  readonly name?: string;
  /** The name of the file, without its ending. Default `export`. */
  readonly fileName?: string;
  /** The formats to choose from. Default both. */
  readonly formats?: readonly ExportFormat[];
  /** How many records a file holds at most. Default 10,000. */
  readonly maxRecords?: number;
}

/** The kind of file that an export gives. */
export type ExportFormat = 'xlsx' | 'csv';

const files: Readonly<Record<ExportFormat, (name: string, sheet: ExportSheet) => Promise<Uint8Array>>> = {
  xlsx: xlsxFile,
  csv: csvFile,
};
const mimeTypes: Readonly<Record<ExportFormat, string>> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
};

/**
 * Add an action that answers with the selected records as a file: a workbook, with dates and numbers that a spreadsheet
 * calculates with, or CSV. Whoever may trigger the action may export.
 *
 * @example
 * orders.use(exportRecords, { columns: ['reference', { field: 'total', title: 'Total', format: '#,##0.00' }, 'customer:name'] });
 */
export const exportRecords: Plugin<ExportRecordsOptions> = (agent, collection, options) => {
  if (!collection) throw pluginMisused('exportRecords is used on a collection, not on the agent.');
  const {
    columns = [],
    name = 'Export',
    fileName = 'export',
    formats = ['xlsx', 'csv'],
    maxRecords = 10_000,
  } = options ?? {};
  if (columns.length === 0) throw pluginMisused('exportRecords needs "columns" in its options.');
  const wrong = formats.find((format) => !Object.hasOwn(files, format));
  if (wrong !== undefined || formats.length === 0)
    throw pluginMisused('The "formats" of exportRecords are "xlsx" and "csv".');
  if (!takesPluginDeclarations(collection))
    throw pluginMisused('exportRecords needs a collection of this version of the package.');
  const [first = 'xlsx'] = formats;
  const columnsAsked = columns.map((column) => (typeof column === 'string' ? { field: column } : column));
  const paths = columnsAsked.map(({ field }) => field);
  collection[declareInPlugin]({ kind: 'fields of an action', name, paths });
  collection.addAction(name, {
    scope: 'Bulk',
    generateFile: true,
    form: formOf(formats),
    execute: async (context, result) => {
      const [counted] = await context.collection.aggregate(context.filter, { operation: 'Count' });
      const count = Number(counted?.value ?? 0);
      if (count > maxRecords) return result.error(`${count} records are selected; a file holds ${maxRecords}.`);
      const records = await context.getRecords(paths);
      const chosen = formats.find((format) => format === context.formValues['Format']) ?? first;
      const { collection: asked, caller } = context;
      const typeOf = ({ field }: ExportColumn) => columnType(agent.collections, asked.name, field);
      const sheet = sheetOf(columnsAsked, records, { timezone: caller.timezone, typeOf });
      return result.file(await files[chosen](asked.name, sheet), `${fileName}.${chosen}`, mimeTypes[chosen]);
    },
  });
};

interface ExportSheet {
  readonly columns: readonly ExportColumn[];
  readonly rows: readonly (readonly SheetCell[])[];
}

interface SheetOptions {
  /** IANA time zone. */
  readonly timezone: string;
  /** The type of a column; `undefined` where nobody knows it. */
  readonly typeOf: (column: ExportColumn) => ColumnOutline['type'] | undefined;
}

function sheetOf(
  columns: readonly ExportColumn[],
  records: readonly RecordData[],
  { timezone, typeOf }: SheetOptions,
): ExportSheet {
  const localTime = localTimeIn(timezone);
  const readers = columns.map((column) => {
    const read = valueReader(column.field);
    if (column.format === 'text') return (record: RecordData) => cellOfText(read(record));
    const type = typeOf(column);
    return (record: RecordData) => cellOf(read(record), type, localTime);
  });
  return { columns, rows: records.map((record) => readers.map((read) => read(record))) };
}

/** There is nothing to ask where there is one format. */
function formOf(formats: readonly ExportFormat[]): FormElement<ActionContext>[] {
  if (formats.length === 1) return [];
  return [{ label: 'Format', type: 'Enum', enumValues: [...formats], defaultValue: formats[0], isRequired: true }];
}

/** The type of a column, or of one at the end of `relation:relation:column`; `undefined` for what customizations add. */
function columnType(
  collections: readonly CollectionOutline[],
  collection: string,
  path: string,
): ColumnOutline['type'] | undefined {
  const outline = collections.find(({ name }) => name === collection);
  const [first = '', ...rest] = path.split(':');
  if (rest.length === 0) return outline?.columns.find(({ name }) => name === first)?.type;
  const relation = outline?.relations.find(({ name }) => name === first);
  return relation?.foreignCollection ? columnType(collections, relation.foreignCollection, rest.join(':')) : undefined;
}
