import path from 'node:path';
import { projectConfigFile } from '#contracts/project-config';
import { bootstrap } from '../bootstrap/bootstrap.ts';
import type { FlowContext } from '../flow-context.ts';
import { dev } from './dev.ts';
import type { DevInput } from './dev-input.ts';

export interface DemoInput extends Omit<DevInput, 'folder'> {
  readonly directory: string;
}

/** Serve the sample shop, created first where it is not there yet. */
export async function demo(context: FlowContext, input: DemoInput): Promise<void> {
  const folder = path.resolve(context.workingFolder, input.directory);
  if (!(await context.fs.exists(path.join(folder, projectConfigFile)))) {
    await bootstrap(context, { directory: folder, template: 'shop' });
  }
  await dev(context, { ...input, folder });
}
