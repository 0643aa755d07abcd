/**
 * One hash over the tables, columns, keys and checks of some databases, and the version of the server, which reads them.
 * Each row is hashed by itself and the hashes are added, so that neither an order nor a long text is needed.
 */
export function fingerprintSql(schemaCount: number): string {
  const schemas = Array.from({ length: schemaCount }, () => '?').join(', ');
  const hashOf = (columns: string) =>
    `sum(cast(conv(left(sha2(concat_ws('|', ${columns}), 256), 15), 16, 10) as decimal(30))), count(*)`;
  return `
    select 'server' as part, sha2(version(), 256) as hash, 1 as rows_hashed
    union all
    select 'columns', ${hashOf('table_schema, table_name, ordinal_position, column_name, column_type, is_nullable, ifnull(column_default, 0x00), extra, ifnull(collation_name, 0x00), column_comment')} from information_schema.columns where table_schema in (${schemas})
    union all
    select 'tables', ${hashOf('table_schema, table_name, table_type, table_comment')} from information_schema.tables where table_schema in (${schemas})
    union all
    select 'keys', ${hashOf('table_schema, table_name, index_name, non_unique, seq_in_index, column_name, ifnull(sub_part, 0)')} from information_schema.statistics where table_schema in (${schemas})
    union all
    select 'references', ${hashOf('table_schema, table_name, constraint_name, ordinal_position, column_name, referenced_table_schema, referenced_table_name, referenced_column_name')} from information_schema.key_column_usage where table_schema in (${schemas}) and referenced_table_name is not null
    union all
    select 'checks', ${hashOf(`constraint_schema, ${tableOfCheck}constraint_name, check_clause`)} from information_schema.check_constraints where constraint_schema in (${schemas})`;
}

/** MariaDB alone says which table a check belongs to, and alone reads such a comment. */
const tableOfCheck = '/*M! table_name, */ ';

/** How many times `fingerprintSql` asks for the list of databases. */
export const fingerprintParts = 5;
