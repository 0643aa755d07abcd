import { readProjectFiles } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { type DescribedSource, describedSource } from './described-source.ts';

export interface ListedSources {
  readonly dataSources: readonly DescribedSource[];
}

/** The data sources of a project, as they are configured. Opens none of them. */
export async function listDataSources(context: FlowContext, folder: string): Promise<ListedSources> {
  const { config, env } = await readProjectFiles(context.fs, folder, context.variables);
  return {
    dataSources: Object.entries(config.dataSources).map(([name, source]) => describedSource(name, source, env)),
  };
}
