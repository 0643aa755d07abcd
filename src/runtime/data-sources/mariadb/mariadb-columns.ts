import type { SqlRow } from '#kernel/ports/sql-row';
import type { ColumnType } from '../../query/column-type.ts';
import { type ColumnDescription, type WriteRights, writtenByRights } from '../tables/table-description.ts';
import { isGeometry, parseNativeType } from './mariadb-native-type.ts';
import { flavourTraits, type ServerFlavour } from './mariadb-or-mysql.ts';
import { encodedInstant } from './mariadb-values.ts';

interface NeutralType {
  readonly type: ColumnType;
  readonly isExact?: true;
  readonly isDuration?: true;
  readonly isOpaque?: true;
}

export interface DescribedColumns {
  readonly columns: ColumnDescription[];
  /** Native names of types that are not known, and so only shown. */
  readonly unknownTypes: readonly string[];
}

/**
 * Describe the columns of one table from its rows of `information_schema.columns`. `jsonColumns` are those whose check
 * is `json_valid`: MariaDB keeps JSON as a text with that check.
 */
export function describeColumns(
  rows: readonly SqlRow[],
  jsonColumns: ReadonlySet<string>,
  flavour: ServerFlavour,
): DescribedColumns {
  const unknownTypes: string[] = [];
  const columns = rows.map((row): ColumnDescription => {
    const name = String(row['name']);
    const declared = String(row['type']);
    const extra = String(row['extra'] ?? '');
    const neutral = jsonColumns.has(name) ? json : neutralType(declared);
    if (!neutral) unknownTypes.push(parseNativeType(declared).name);
    const { type, isExact, isDuration, isOpaque }: NeutralType = neutral ?? { type: 'String', isOpaque: true };
    const isGenerated = /\b(?:virtual|stored|persistent) generated\b/i.test(extra);
    const isAutoIncrement = /\bauto_increment\b/i.test(extra);
    const isExpression = /\bdefault_generated\b/i.test(extra);
    const given = isExpression ? undefined : literalDefault(row['default'] ?? null, type, isExact === true, flavour);
    const enumValues = type === 'Enum' ? listedValues(declared) : undefined;
    const comment = String(row['comment'] ?? '');
    return {
      name,
      nativeType: withCollation(declared, row['collation'] ?? null),
      type,
      isExact: isExact === true,
      isNullable: row['nullable'] === 'YES',
      isGenerated,
      ...(/\bvirtual generated\b/i.test(extra) ? { isVirtual: true } : {}),
      isAutoIncrement,
      hasDefault: isGenerated || isAutoIncrement || isExpression || hasDefault(row['default'] ?? null, flavour),
      ...(given === undefined ? {} : { defaultValue: given }),
      ...(enumValues ? { enumValues } : {}),
      ...(isDuration ? { isDuration } : {}),
      ...(isOpaque ? { isOpaque } : {}),
      ...writtenByRights(rightsOnColumn(row)),
      ...(comment === '' ? {} : { comment }),
    };
  });
  return { columns, unknownTypes };
}

/** What the user may do with a column, as the server works it out. Proxies that answer for one may say nothing: that is not a denial. */
export function rightsOnColumn(row: SqlRow): Omit<WriteRights, 'delete'> & { readonly read: boolean } {
  const rights = String(row['privileges'] ?? '')
    .toLowerCase()
    .split(/,\s*/);
  const may = (right: string) => rights.includes(right) || rights[0] === '';
  return { read: may('select'), add: may('insert'), edit: may('update') };
}

/** MariaDB says `NULL` for a column that may be null and has no default; on MySQL it is a text. */
function hasDefault(text: unknown, flavour: ServerFlavour): boolean {
  return text !== null && !(text === 'NULL' && flavourTraits[flavour].quotesDefaults);
}

/** How texts of the column compare is a part of its type, and decides which index can serve. */
function withCollation(declared: string, collation: unknown): string {
  return typeof collation === 'string' ? `${declared} collate ${collation}` : declared;
}

const json: NeutralType = { type: 'Json' };
const number: NeutralType = { type: 'Number' };
const exactNumber: NeutralType = { type: 'Number', isExact: true };
const text: NeutralType = { type: 'String' };
const binary: NeutralType = { type: 'Binary' };
/** Bits that a JS number still holds exactly. */
const safeBits = 53;

const byName: Readonly<Record<string, NeutralType>> = {
  tinyint: number,
  smallint: number,
  mediumint: number,
  int: number,
  integer: number,
  bigint: exactNumber,
  decimal: exactNumber,
  numeric: exactNumber,
  float: number,
  double: number,
  real: number,
  year: number,
  char: text,
  varchar: text,
  tinytext: text,
  text,
  mediumtext: text,
  longtext: text,
  enum: { type: 'Enum' },
  // A set is the text of its values, separated by commas.
  set: text,
  date: { type: 'Dateonly' },
  datetime: { type: 'Date' },
  timestamp: { type: 'Date' },
  time: { type: 'Time', isDuration: true },
  json,
  uuid: { type: 'Uuid' },
  inet4: text,
  inet6: text,
  binary,
  varbinary: binary,
  tinyblob: binary,
  blob: binary,
  mediumblob: binary,
  longblob: binary,
};

function neutralType(declared: string): NeutralType | undefined {
  const { name, numbers } = parseNativeType(declared);
  if ((name === 'tinyint' || name === 'bit') && (numbers[0] ?? 1) === 1 && declared.includes('(')) {
    return { type: 'Boolean' };
  }
  if (name === 'bit') return (numbers[0] ?? 1) > safeBits ? exactNumber : number;
  if (isGeometry(name)) return { type: 'Json', isOpaque: true };
  return byName[name];
}

/** `enum('draft','it''s')` → `draft`, `it's`. */
function listedValues(declared: string): string[] {
  return [...declared.matchAll(/'((?:[^']|'')*)'/g)].map((match) => (match[1] ?? '').replaceAll("''", "'"));
}

/**
 * The value of a default that is a literal, as a record has it; `undefined` when there is none or it is an expression.
 * MariaDB writes the default as SQL, texts in quotes; MySQL writes texts bare and marks expressions elsewhere.
 */
export function literalDefault(stored: unknown, type: ColumnType, isExact: boolean, flavour: ServerFlavour): unknown {
  const { quotesDefaults } = flavourTraits[flavour];
  if (typeof stored !== 'string' || (quotesDefaults && stored === 'NULL')) return undefined;
  const bits = /^b'([01]+)'$/.exec(stored)?.[1];
  if (bits !== undefined) return bitsDefault(BigInt(`0b${bits}`), type, isExact);
  if (!quotesDefaults) return ofType(stored, type, isExact);
  const quoted = /^'(.*)'$/s.exec(stored)?.[1];
  if (quoted === undefined && !/^[+-]?[\d.]+(?:e[+-]?\d+)?$/i.test(stored)) return undefined;
  return ofType(quoted === undefined ? stored : unescaped(quoted), type, isExact);
}

function bitsDefault(value: bigint, type: ColumnType, isExact: boolean): unknown {
  if (type === 'Boolean') return value !== 0n;
  return isExact ? String(value) : Number(value);
}

function ofType(text: string, type: ColumnType, isExact: boolean): unknown {
  switch (type) {
    case 'Boolean':
      return Number(text) !== 0;
    case 'Number':
      return isExact ? text : Number(text);
    case 'Date':
      return encodedInstant(text);
    case 'Json':
      return parsedJson(text);
    case 'Binary':
      return undefined;
    default:
      return text;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It is not JSON, so no record could hold it. The database accepts or refuses it when it is used.
    return undefined;
  }
}

/** A text as it is between quotes, without its escapes. */
export function unescaped(quoted: string): string {
  return quoted.replaceAll(/''|\\([\s\S])/g, (sign, escaped: string | undefined) => {
    if (escaped === undefined) return sign === "''" ? "'" : sign;
    return escapes[escaped] ?? escaped;
  });
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', '0': '\0', Z: '\u001a' };
