import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TailInput, tailLog } from '#flows/audit/tail/tail-audit-log';
import { flowContext } from './flow-context.ts';

export interface TailedPlatform {
  readonly url: string;
  readonly token: string;
  /** Of a project and of the files of the tail. */
  readonly folder: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Make the folder a project. */
export async function makeTailFolder(folder: string): Promise<void> {
  await writeFile(path.join(folder, 'vendor-cloud.json'), '{"name":"shop","entry":"index.ts","dataSources":{}}');
  await writeFile(path.join(folder, 'index.ts'), '');
}

/** Run a tail: from the start and once, unless told otherwise. Resolves with how many rows were delivered, and what it warned of. */
export async function runTail(
  { url, token, folder, variables = {} }: TailedPlatform,
  input: Pick<TailInput, 'to'> & Partial<TailInput>,
  onWarning?: () => void,
): Promise<{ readonly rows: number; readonly warnings: readonly string[] }> {
  const context = flowContext(folder);
  const warnings: string[] = [];
  const { rows } = await tailLog(
    {
      ...context,
      variables: { SERVICE_SERVER_URL: url, SERVICE_AUTH_TOKEN: token, ...variables },
      reporter: {
        ...context.reporter,
        warn: (message) => {
          warnings.push(message);
          onWarning?.();
        },
      },
    },
    {
      folder,
      isAdmin: false,
      isFromStart: true,
      isOnce: true,
      hostname: 'here',
      signal: new AbortController().signal,
      ...input,
    },
  );
  return { rows, warnings };
}
