import { type CloudError, cloudError, toCloudError } from '#kernel/errors/cloud-error';
import { type ErrorReport, reportOfError } from '#kernel/errors/error-report';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { type ProjectFiles, readProjectFiles, resolveDataSources } from '#project/index';
import type { FlowContext } from '../flow-context.ts';

export interface TestedSource {
  readonly name: string;
  /** Time until its tables were read. */
  readonly ms: number;
  /** Tables and views that can be used; `null` where they could not be read. */
  readonly collections: number | null;
  /** What of the database is left out, and why. */
  readonly warnings: readonly string[];
  readonly error: ErrorReport | null;
}

export interface TestedSources {
  readonly dataSources: readonly TestedSource[];
}

/** Connect to data sources and read their tables. A source that fails is reported with its error; the others are tested all the same. */
export async function testDataSources(
  context: FlowContext,
  folder: string,
  names: readonly string[],
): Promise<TestedSources> {
  const files = await readProjectFiles(context.fs, folder, context.variables);
  const known = Object.keys(files.config.dataSources);
  for (const name of names) if (!known.includes(name)) throw unknownSource(name, known);
  const wanted = names.length > 0 ? names : known;
  const tested = () => Promise.all(wanted.map((name) => testOne(context, files, name)));
  // One that is being started is waited for.
  return { dataSources: await context.reporter.step(`Connecting to ${wanted.join(', ')}`, tested) };
}

async function testOne(
  { clock }: FlowContext,
  { root, config, env }: ProjectFiles,
  name: string,
): Promise<TestedSource> {
  const startedAt = clock.monotonicMs();
  const elapsed = () => Math.round(clock.monotonicMs() - startedAt);
  try {
    const { uri = '' } = resolveDataSources({ [name]: config.dataSources[name] ?? { uri: '' } }, root, env)[name] ?? {};
    const { createUriDataSource } = await import('#runtime/index');
    const source = await createUriDataSource(uri, { startupTimeoutMs: 0 })();
    const { collections, warnings = [] } = source;
    await source.close();
    return { name, ms: elapsed(), collections: collections.length, warnings, error: null };
  } catch (error) {
    return { name, ms: elapsed(), collections: null, warnings: [], error: reportOfError(toCloudError(error)) };
  }
}

function unknownSource(name: string, known: readonly string[]): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `The project has no data source "${name}".${didYouMean(nearestName(name, known))}`,
    known.length > 0 ? `Name one of: ${known.join(', ')}.` : 'Add one: vendor-cloud data-sources add main',
  );
}
