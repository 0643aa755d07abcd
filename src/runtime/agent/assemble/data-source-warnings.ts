import type { DataSource, SuggestedSettings } from '../../data-sources/interface/data-source.ts';

const mostTables = 20;

/** The warnings about a data source once it is open, in sentences for the log. */
export function dataSourceWarnings({ warnings = [], suggestedSettings }: DataSource): readonly string[] {
  return suggestedSettings ? [...warnings, ...settingsWarning(suggestedSettings)] : warnings;
}

function settingsWarning({ softDelete, timestamps }: SuggestedSettings): string[] {
  const tables = [...new Set([...Object.keys(softDelete), ...Object.keys(timestamps)])].sort();
  if (tables.length === 0) return [];
  const named = tables.slice(0, mostTables).map((table) => {
    const columns = [softDelete[table], timestamps[table]?.created, timestamps[table]?.updated];
    return `${table} (${columns.filter((column) => column !== undefined).join(', ')})`;
  });
  const more = tables.length > mostTables ? ` and ${tables.length - mostTables} more` : '';
  return [
    `Columns look like soft deletes or timestamps, but no setting says that the data source keeps them: ${named.join(', ')}${more}. ` +
      'Deletion removes records of these tables, and clients write the times. ' +
      'Name the columns in "softDelete" and "timestamps" of the data source, or set false where nothing is kept.',
  ];
}
