import type { NeutralColumn, NeutralTable, NeutralType } from './tables.ts';

export type Dialect = 'sqlite' | 'postgres' | 'mariadb' | 'mysql';

/** Whether it is one of the two servers that read nearly the same SQL. */
export function isMysqlFamily(dialect: Dialect): boolean {
  return dialect === 'mariadb' || dialect === 'mysql';
}

/** The statements that make the tables and put the rows in, one after the other. */
export function createTablesSql(dialect: Dialect, tables: readonly NeutralTable[]): string[] {
  return tables.flatMap((table) => [
    ...enumTypes(dialect, table),
    createTable(dialect, table),
    ...insertRows(dialect, table),
    ...advanceSequences(dialect, table),
  ]);
}

type TypeNames = Readonly<Record<Extract<NeutralType, string>, string>>;

const mariadbTypes: TypeNames = {
  binary: 'longblob',
  bigint: 'bigint',
  boolean: 'boolean',
  day: 'date',
  float: 'double',
  instant: 'datetime(6)',
  integer: 'int',
  json: 'json',
  text: 'text',
  time: 'time',
  uuid: 'uuid',
};

const typeNames: Readonly<Record<Dialect, TypeNames>> = {
  sqlite: {
    binary: 'blob',
    bigint: 'bigint',
    boolean: 'boolean',
    day: 'date',
    float: 'double',
    instant: 'datetime',
    integer: 'integer',
    json: 'json',
    text: 'text',
    time: 'time',
    uuid: 'uuid',
  },
  postgres: {
    binary: 'bytea',
    bigint: 'bigint',
    boolean: 'boolean',
    day: 'date',
    float: 'double precision',
    instant: 'timestamptz',
    integer: 'integer',
    json: 'jsonb',
    text: 'text',
    time: 'time',
    uuid: 'uuid',
  },
  mariadb: mariadbTypes,
  // MySQL has no type for it.
  mysql: { ...mariadbTypes, uuid: 'char(36)' },
};

/** A quoted name, whatever is in it. */
function quoteName(dialect: Dialect, name: string): string {
  return isMysqlFamily(dialect) ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`;
}

function names(dialect: Dialect, list: readonly string[]): string {
  return list.map((name) => quoteName(dialect, name)).join(', ');
}

function createTable(dialect: Dialect, table: NeutralTable): string {
  const isAutoKeyInline = dialect === 'sqlite' && table.columns.some((column) => column.isAuto);
  const parts = [
    ...table.columns.map((column) => columnSql(dialect, table, column)),
    ...(isAutoKeyInline || table.primaryKey.length === 0 ? [] : [`primary key (${names(dialect, table.primaryKey)})`]),
    ...(table.uniqueKeys ?? []).map((columns) => `unique (${names(dialect, columns)})`),
    ...(table.foreignKeys ?? []).map(
      (key) =>
        `foreign key (${names(dialect, key.columns)}) references ${quoteName(dialect, key.table)} (${names(dialect, key.foreignColumns)})`,
    ),
  ];
  const options = isMysqlFamily(dialect) ? ' engine = innodb default charset utf8mb4 collate utf8mb4_unicode_ci' : '';
  return `create table ${quoteName(dialect, table.name)} (${parts.join(', ')})${options}`;
}

function columnSql(dialect: Dialect, table: NeutralTable, column: NeutralColumn): string {
  const name = quoteName(dialect, column.name);
  if (column.isAuto) {
    if (dialect === 'sqlite') return `${name} integer primary key autoincrement`;
    return dialect === 'postgres' ? `${name} serial` : `${name} int auto_increment`;
  }
  if (column.generatedFrom !== undefined) return `${name} ${generatedSql(dialect, column.generatedFrom)}`;
  const isRequired = column.isRequired || table.primaryKey.includes(column.name);
  const nullability = isRequired ? ' not null' : isMysqlFamily(dialect) ? ' null' : '';
  const defaultSql = column.default === undefined ? '' : ` default ${defaultLiteral(dialect, column)}`;
  return `${name} ${typeSql(dialect, table, column)}${nullability}${defaultSql}${enumCheck(dialect, column)}`;
}

/** MySQL takes a default of a long text or a document as an expression only. */
function defaultLiteral(dialect: Dialect, column: NeutralColumn): string {
  const literal = literalSql(dialect, column.type, column.default);
  return dialect === 'mysql' && (column.type === 'text' || column.type === 'json') ? `(${literal})` : literal;
}

function generatedSql(dialect: Dialect, source: string): string {
  const name = quoteName(dialect, source);
  if (isMysqlFamily(dialect)) return `text generated always as (concat(${name}, '!')) virtual`;
  return `text generated always as (${name} || '!') ${dialect === 'postgres' ? 'stored' : 'virtual'}`;
}

function typeSql(dialect: Dialect, table: NeutralTable, column: NeutralColumn): string {
  const { type } = column;
  if (type === 'text' && isMysqlFamily(dialect)) {
    const keys = [
      table.primaryKey,
      ...(table.uniqueKeys ?? []),
      ...(table.foreignKeys ?? []).map((key) => key.columns),
    ];
    // Keys that differ in case only are one key under the usual collations.
    if (keys.flat().includes(column.name)) {
      return `varchar(200) collate ${dialect === 'mysql' ? 'utf8mb4_0900_bin' : 'utf8mb4_nopad_bin'}`;
    }
  }
  if (typeof type === 'string') return typeNames[dialect][type];
  if ('decimal' in type) return `${dialect === 'postgres' ? 'numeric' : 'decimal'}(${type.decimal.join(',')})`;
  if (dialect === 'postgres') return quoteName(dialect, enumTypeName(table, column));
  return isMysqlFamily(dialect) ? `enum(${type.enum.map((value) => textSql(dialect, value)).join(', ')})` : 'text';
}

function enumTypeName(table: NeutralTable, column: NeutralColumn): string {
  return `${table.name} ${column.name}`;
}

function enumTypes(dialect: Dialect, table: NeutralTable): string[] {
  if (dialect !== 'postgres') return [];
  return table.columns.flatMap((column) =>
    typeof column.type === 'object' && 'enum' in column.type
      ? [
          `create type ${quoteName(dialect, enumTypeName(table, column))} as enum (${column.type.enum.map((value) => textSql(dialect, value)).join(', ')})`,
        ]
      : [],
  );
}

function enumCheck(dialect: Dialect, { name, type }: NeutralColumn): string {
  if (dialect !== 'sqlite' || typeof type !== 'object' || !('enum' in type)) return '';
  return ` check (${quoteName(dialect, name)} in (${type.enum.map((value) => textSql(dialect, value)).join(', ')}))`;
}

function insertRows(dialect: Dialect, table: NeutralTable): string[] {
  return table.rows.map((row) => {
    const columns = table.columns.filter((column) => row[column.name] !== undefined);
    const values = columns.map((column) => literalSql(dialect, column.type, row[column.name]));
    const columnNames = names(
      dialect,
      columns.map((column) => column.name),
    );
    return `insert into ${quoteName(dialect, table.name)} (${columnNames}) values (${values.join(', ')})`;
  });
}

/** PostgreSQL does not notice numbers that are given. */
function advanceSequences(dialect: Dialect, table: NeutralTable): string[] {
  const auto = table.columns.find((column) => column.isAuto);
  if (dialect !== 'postgres' || !auto || table.rows.length === 0) return [];
  const [tableName, column] = [quoteName(dialect, table.name), quoteName(dialect, auto.name)];
  return [
    `select setval(pg_get_serial_sequence(${textSql(dialect, tableName)}, ${textSql(dialect, auto.name)}), (select max(${column}) from ${tableName}))`,
  ];
}

/** A value as it is written in SQL. */
function literalSql(dialect: Dialect, type: NeutralType, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  switch (type) {
    case 'boolean':
      return dialect === 'sqlite' ? String(Number(value)) : String(value);
    case 'integer':
    case 'bigint':
      return String(value);
    case 'float':
      return floatSql(Number(value));
    case 'instant':
      return textSql(
        dialect,
        isMysqlFamily(dialect) ? String(value).replace('T', ' ').replace('Z', '') : String(value),
      );
    case 'json':
      return textSql(dialect, JSON.stringify(value));
    case 'binary': {
      const hex = Buffer.from(value as Uint8Array).toString('hex');
      return dialect === 'postgres' ? `'\\x${hex}'` : `x'${hex}'`;
    }
    default:
      return typeof type === 'object' && 'decimal' in type ? String(value) : textSql(dialect, String(value));
  }
}

/** With an exponent, so that no engine takes it for a decimal. */
function floatSql(value: number): string {
  const text = String(value);
  return text.includes('e') ? text : `${text}e0`;
}

function textSql(dialect: Dialect, text: string): string {
  const doubled = text.replaceAll("'", "''");
  return `'${isMysqlFamily(dialect) ? doubled.replaceAll('\\', '\\\\') : doubled}'`;
}
