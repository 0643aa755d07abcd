import path from 'node:path';

/** Where the catalogue of a data source is kept. Users name data sources, and not every name fits a file. */
export function catalogueFile(stateFolder: string, dataSource: string): string {
  return path.join(stateFolder, `catalogue-${encodeURIComponent(dataSource)}.json`);
}
