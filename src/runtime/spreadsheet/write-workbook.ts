import { strToU8, Zip, ZipDeflate } from 'fflate';
import { isFormula } from '#kernel/text/without-formula';
import { requireRoom, type SheetCell, tooLarge } from './sheet-cell.ts';

/** Of a cell. */
const mostCharacters = 32_767;
/** Of the sheet before it is compressed; the container has no room for larger numbers. */
const mostBytes = 2 ** 32 - 1;
const dayMs = 86_400_000;
/** Days of spreadsheets are counted from here. */
const firstDay = Date.UTC(1899, 11, 30);

export interface SheetColumn {
  readonly title: string;
  /** How its numbers and dates are shown, as a spreadsheet writes it. Default: numbers as they are, dates as in ISO 8601. */
  readonly format?: string | undefined;
  /** In characters. */
  readonly width?: number | undefined;
}

type Rows = readonly (readonly SheetCell[])[];

/**
 * A workbook of one sheet, whose titles stay in sight, in pieces as its rows come. No piece comes before the first rows do. A text is a
 * cell of text, whatever it begins with.
 *
 * @throws `EXPORT_TOO_LARGE` for more rows than a sheet has, and for a text that no cell holds.
 */
export async function* writeWorkbook(
  name: string,
  columns: readonly SheetColumn[],
  batches: AsyncIterable<Rows>,
): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  const sheet = new ZipDeflate('xl/worksheets/sheet1.xml', { level: 6 });
  const cells = columns.map(cellWriter);
  let isBegun = false;
  let bytes = 0;
  let written = 0;
  const write = (xml: string, isLast = false) => {
    const piece = strToU8(xml);
    bytes += piece.length;
    if (bytes > mostBytes) throw tooLarge('more than 4 GB');
    sheet.push(piece, isLast);
    return pieces.splice(0);
  };
  const begin = () => {
    isBegun = true;
    for (const [file, xml] of Object.entries(fixedParts(name, columns))) {
      const part = new ZipDeflate(file);
      zip.add(part);
      part.push(strToU8(xml), true);
    }
    zip.add(sheet);
    return write(sheetHead(columns));
  };
  for await (const rows of batches) {
    requireRoom(written + rows.length);
    const xml = rows.map((row, at) => {
      requireFitting(row, columns, written + at + 1);
      return `<row>${row.map((cell, index) => cells[index]?.(cell) ?? '').join('')}</row>`;
    });
    written += rows.length;
    if (!isBegun) yield* begin();
    yield* write(xml.join(''));
  }
  if (!isBegun) yield* begin();
  yield* write('</sheetData></worksheet>', true);
  zip.end();
  yield* pieces.splice(0);
}

/** The formats of cells, by their places in the style sheet. Those of the columns follow. */
const plain = 0;
const bold = 1;
const quoted = 2;
const dates = 3;
const instants = 4;
const ownFormats = 5;
const usualFormats = ['yyyy-mm-dd', 'yyyy-mm-dd hh:mm:ss'];
/** Smaller numbers are formats that every spreadsheet knows. */
const firstFormatId = 164;

/** Writes the cells of a column. Without an address, each one follows the one before it. */
function cellWriter({ format }: SheetColumn, index: number): (cell: SheetCell) => string {
  const own = (usual: number) => (format === undefined ? usual : ownFormats + index);
  return (cell) => {
    if (cell.kind === 'empty') return '<c/>';
    // A text that looks like a formula stays one also when somebody edits its cell.
    if (cell.kind === 'text') return textCell(cell.value, isFormula(cell.value) ? quoted : plain);
    if (cell.kind === 'boolean') return `<c t="b"><v>${cell.value ? 1 : 0}</v></c>`;
    if (cell.kind === 'number') return `<c s="${own(plain)}"><v>${cell.value}</v></c>`;
    const days = (cell.value.getTime() - firstDay) / dayMs;
    return `<c s="${own(cell.kind === 'date' ? dates : instants)}"><v>${days}</v></c>`;
  };
}

function textCell(text: string, style: number): string {
  return `<c t="inlineStr" s="${style}"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`;
}

/** A text that was cut would look like the whole one to whoever reads the file back. */
function requireFitting(row: readonly SheetCell[], columns: readonly SheetColumn[], record: number): void {
  for (const [index, cell] of row.entries()) {
    if (cell.kind !== 'text' || cell.value.length <= mostCharacters) continue;
    const place = `"${columns[index]?.title}" of record ${record}`;
    throw tooLarge(
      `the text in ${place}: it has ${cell.value.length} characters, and a cell ${mostCharacters} at most`,
    );
  }
}

/** What XML cannot hold, and what a spreadsheet would take for such a sign. */
const special = /[\p{Cc}\uFFFE\uFFFF]|_(?=x[0-9a-f]{4}_)/giu;
const keptSigns: ReadonlySet<string> = new Set(['\t', '\n']);
const markup: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replace(special, (sign) => (keptSigns.has(sign) ? sign : escaped(sign)))
    .replace(/[&<>"]/g, (sign) => markup[sign] ?? sign);
}

function escaped(sign: string): string {
  return `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
}

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const types = 'http://schemas.openxmlformats.org/package/2006/content-types';
const related = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const defaultWidth = 18;

function sheetHead(columns: readonly SheetColumn[]): string {
  const widths = columns.map(
    ({ width = defaultWidth }, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  return (
    `${head}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `${widths.length > 0 ? `<cols>${widths.join('')}</cols>` : ''}<sheetData>` +
    `<row>${columns.map(({ title }) => textCell(title, bold)).join('')}</row>`
  );
}

/** Everything but the sheet. */
function fixedParts(name: string, columns: readonly SheetColumn[]): Readonly<Record<string, string>> {
  const part = (path: string, kind: string) =>
    `<Override PartName="/xl/${path}" ContentType="${spreadsheet}.${kind}+xml"/>`;
  const relation = (id: number, kind: string, target: string) =>
    `<Relationship Id="r${id}" Type="${office}/${kind}" Target="${target}"/>`;
  return {
    '[Content_Types].xml':
      `${head}<Types xmlns="${types}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Default Extension="xml" ContentType="application/xml"/>${part('workbook.xml', 'sheet.main')}` +
      `${part('worksheets/sheet1.xml', 'worksheet')}${part('styles.xml', 'styles')}</Types>`,
    '_rels/.rels': `${head}<Relationships xmlns="${related}">${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml':
      `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>` +
      `<sheet name="${xmlText(sheetName(name))}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      `${head}<Relationships xmlns="${related}">${relation(1, 'worksheet', 'worksheets/sheet1.xml')}` +
      `${relation(2, 'styles', 'styles.xml')}</Relationships>`,
    'xl/styles.xml': styleSheet(columns),
  };
}

function styleSheet(columns: readonly SheetColumn[]): string {
  const formats = [...usualFormats, ...columns.map(({ format = 'General' }) => format)];
  const described = formats.map(
    (format, index) => `<numFmt numFmtId="${firstFormatId + index}" formatCode="${xmlText(format)}"/>`,
  );
  const style = (formatId: number, rest = '') =>
    `<xf numFmtId="${formatId}" fontId="0" fillId="0" borderId="0" xfId="0"${rest}/>`;
  const styles = [
    style(0),
    style(0).replace('fontId="0"', 'fontId="1" applyFont="1"'),
    style(0, ' quotePrefix="1"'),
    ...formats.map((_format, index) => style(firstFormatId + index, ' applyNumberFormat="1"')),
  ];
  const font = '<sz val="11"/><name val="Calibri"/>';
  return (
    `${head}<styleSheet xmlns="${main}"><numFmts count="${described.length}">${described.join('')}</numFmts>` +
    `<fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts>` +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    `<cellXfs count="${styles.length}">${styles.join('')}</cellXfs>` +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
  );
}

/** A name that a sheet may have. */
function sheetName(name: string): string {
  const allowed = name
    .replace(/[[\]:*?/\\\p{Cc}]/gu, ' ')
    .replace(/^'+|'+$/g, ' ')
    .slice(0, 31)
    .trim();
  return allowed === '' || allowed.toLowerCase() === 'history' ? 'Records' : allowed;
}
