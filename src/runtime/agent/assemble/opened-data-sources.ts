import type { Logger } from '#kernel/ports/logger';
import type { DataSource, DataSourceFactory, SuggestedSettings } from '../../data-sources/interface/data-source.ts';

/** The data sources of an agent: opened when first needed, then kept open over every reload. */
export interface OpenedDataSources {
  /** The data sources in the order of their declaration. A failure is not kept: the next call tries again. */
  get(): Promise<readonly DataSource[]>;
  openConnections(): number;
  fingerprint(): Promise<string>;
  /** Log the time zones for which a database has other rules than Node.js. */
  warnOfZones(): Promise<void>;
  close(): Promise<void>;
}

export function createOpenedDataSources(factories: readonly DataSourceFactory[], logger: Logger): OpenedDataSources {
  let opening: Promise<readonly DataSource[]> | undefined;
  let opened: readonly DataSource[] = [];
  const get = () => {
    opening ??= openAll(factories).then(
      (sources) => {
        opened = sources;
        for (const warning of sources.flatMap(dataSourceWarnings)) logger.log('Warn', warning);
        for (const { onNotice, replicas } of sources) {
          onNotice?.((notice) => logger.log('Warn', notice));
          replicas?.onChange((sentence, isInUse) => logger.log(isInUse ? 'Info' : 'Warn', sentence));
        }
        return sources;
      },
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
  return {
    get,
    openConnections: () => opened.reduce((sum, source) => sum + source.openConnections(), 0),
    fingerprint: async () => {
      const sources = await get();
      return JSON.stringify(await Promise.all(sources.map((source) => source.fingerprint())));
    },
    warnOfZones: async () => {
      const warnings = await Promise.all((await get()).map((source) => source.zoneWarning?.()));
      for (const warning of warnings) if (warning !== undefined) logger.log('Warn', warning);
    },
    close: async () => {
      await opening?.catch(() => undefined);
      const closing = opened;
      opened = [];
      opening = undefined;
      await Promise.all(closing.map((source) => source.close()));
    },
  };
}

/** All of them or none: when one cannot be opened, the others are closed again. */
async function openAll(factories: readonly DataSourceFactory[]): Promise<readonly DataSource[]> {
  const results = await Promise.allSettled(factories.map((factory) => factory()));
  const sources = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failure = results.find((result) => result.status === 'rejected');
  if (!failure) return sources;
  await Promise.all(sources.map((source) => source.close()));
  throw failure.reason;
}

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
