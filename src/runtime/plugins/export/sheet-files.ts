import { withoutFormula } from '#kernel/text/without-formula';
import type { ExportCell, ExportColumn, ExportSheet } from './export-sheet.ts';

const defaultWidth = 18;

/** A workbook with one sheet, whose titles stay in sight. */
export async function xlsxFile({ columns, rows }: ExportSheet): Promise<Uint8Array> {
  const { default: writeExcelFile } = await import('write-excel-file/node');
  const titles = columns.map((column) => ({ value: titleOf(column), fontWeight: 'bold' as const }));
  const cells = rows.map((row) => row.map((cell, index) => cellOfWorkbook(cell, columns[index]?.format)));
  const widths = columns.map(({ width = defaultWidth }) => ({ width }));
  return writeExcelFile([titles, ...cells], { columns: widths, stickyRowsCount: 1 }).toBuffer();
}

/** CSV with a byte order mark, by which spreadsheets know UTF-8. */
export async function csvFile({ columns, rows }: ExportSheet): Promise<Uint8Array> {
  const { stringify } = await import('csv-stringify/sync');
  const lines = [columns.map(titleOf), ...rows.map((row) => row.map(textOfCell))];
  return Buffer.from(stringify(lines, { bom: true }));
}

function titleOf({ field, title = field }: ExportColumn): string {
  return withoutFormula(title);
}

function cellOfWorkbook(cell: ExportCell, format: string | undefined) {
  if (cell.kind === 'empty') return null;
  if (cell.kind === 'text') return { type: String, value: cell.value };
  if (cell.kind === 'boolean') return { type: Boolean, value: cell.value };
  if (cell.kind === 'number') return { type: Number, value: cell.value, ...(format === undefined ? {} : { format }) };
  const usual = cell.kind === 'date' ? 'yyyy-mm-dd' : 'yyyy-mm-dd hh:mm:ss';
  return { type: Date, value: cell.value, format: format ?? usual };
}

function textOfCell(cell: ExportCell): string {
  if (cell.kind === 'empty') return '';
  if (cell.kind === 'date') return cell.value.toISOString().slice(0, 10);
  if (cell.kind === 'instant') return cell.value.toISOString().slice(0, 19).replace('T', ' ');
  if (cell.kind === 'text') return withoutFormula(cell.value);
  return String(cell.value);
}
