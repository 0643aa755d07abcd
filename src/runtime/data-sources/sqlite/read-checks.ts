import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { insideBrackets, isSign, isWord, sqlTokens } from '../checks/sql-tokens.ts';
import type { TableCheck } from '../checks/table-check.ts';

/** SQLite keeps the text that made a table, and its checks nowhere else. */
export function readSqliteChecks(connection: SqliteConnection): readonly TableCheck[] {
  const tables = connection.all("select name, sql from sqlite_schema where type = 'table' and sql is not null");
  return tables.flatMap((row) =>
    checksIn(String(row['sql'])).map((text) => ({
      schema: null,
      table: String(row['name']),
      text,
      hasBracketNames: true,
    })),
  );
}

function checksIn(createTable: string): readonly string[] {
  const tokens = sqlTokens(createTable);
  return tokens.flatMap((token, index) => {
    const open = tokens[index + 1];
    if (!isWord(token, 'CHECK') || !open || !isSign(open, '(')) return [];
    const close = tokens[index + 2 + insideBrackets(tokens, index + 1).length];
    return [createTable.slice(open.start + 1, close?.start)];
  });
}
