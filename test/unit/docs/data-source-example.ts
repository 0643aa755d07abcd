import { createMemoryDataSource, type DataSource, type EmbeddedAgent } from '../../../src/exports/agent.ts';

interface Country {
  readonly code: string;
  readonly label: string;
}

/** Records that are there when the application starts. */
const regions = createMemoryDataSource([
  {
    name: 'regions',
    schema: {
      columns: [
        { name: 'id', type: 'Number', isAutoIncrement: true },
        { name: 'label', type: 'String', isNullable: false },
      ],
      primaryKey: ['id'],
    },
    records: [{ label: 'North' }, { label: 'South' }],
  },
]);

/** Records of another system, read again at every start and restart. */
function countriesOf(readCountries: () => Promise<readonly Country[]>): () => Promise<DataSource> {
  return async () =>
    createMemoryDataSource([
      {
        name: 'countries',
        schema: {
          columns: [
            { name: 'code', type: 'String' },
            { name: 'label', type: 'String' },
          ],
          primaryKey: ['code'],
        },
        records: await readCountries(),
      },
    ]);
}

/** A data source of your own: the same records, and a line in the log for every list. */
function logged(source: DataSource, log: (line: string) => void): DataSource {
  const { extendedBy: _extendedBy, prepareList: _prepareList, ...plain } = source;
  return {
    ...plain,
    list: (query, context) => {
      log(`list ${query.collection}`);
      return source.list(query, context);
    },
  };
}

export function addDataSources(
  agent: EmbeddedAgent,
  readCountries: () => Promise<readonly Country[]>,
  log: (line: string) => void,
): void {
  agent.addDataSource(logged(regions, log)).addDataSource(countriesOf(readCountries));
}
