import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isNewer } from '#flows/upgrade/latest-version';
import type { FileSystem } from '#kernel/ports/file-system';
import { nodeFileSystem } from '#node/files/node-file-system';
import { moduleUrl } from '#node/system/package-files';
import type { Invocation } from '../invocation/invocation.ts';
import { packageInfo } from '../invocation/package-info.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** What is known of newer versions, and since when. */
export interface KnownUpdate {
  /** Milliseconds since the epoch. */
  readonly checkedAt: number;
  /** `null` where the registry did not tell. */
  readonly latest: string | null;
}

/**
 * Tell of a newer version that is known from before. Once a day a process of its own asks the registry again; nobody waits for it.
 */
export async function tellOfUpdate({ environment, terminal }: Invocation): Promise<void> {
  const file = updateFile(environment.variables);
  const known = await readKnownUpdate(nodeFileSystem, file);
  const notice = noticeOf(known, packageInfo.version);
  if (notice !== undefined) terminal.note(`\n${notice}`);
  if (known === undefined || Date.now() - known.checkedAt > dayMs) askInBackground();
}

/** The line about a newer version, if there is one. */
export function noticeOf(known: KnownUpdate | undefined, version: string): string | undefined {
  const latest = known?.latest ?? undefined;
  if (latest === undefined || !isNewer(latest, version)) return undefined;
  return `vendor-cloud ${latest} is there; this is ${version}. Get it: vendor-cloud upgrade`;
}

/** Where it is kept. */
export function updateFile(variables: Readonly<Record<string, string | undefined>>): string {
  const caches = variables['XDG_CACHE_HOME'] || path.join(homedir(), '.cache');
  return path.join(caches, 'vendor-cloud', 'update.json');
}

/** A file that is missing, damaged or unreadable knows nothing. */
export async function readKnownUpdate(fs: FileSystem, file: string): Promise<KnownUpdate | undefined> {
  try {
    const { checkedAt, latest } = JSON.parse((await fs.readText(file)) ?? '{}') as Partial<KnownUpdate>;
    return typeof checkedAt === 'number'
      ? { checkedAt, latest: typeof latest === 'string' ? latest : null }
      : undefined;
  } catch {
    return undefined;
  }
}

function askInBackground(): void {
  const module = fileURLToPath(moduleUrl('#cli/check-for-update'));
  spawn(process.execPath, [...process.execArgv, module], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined) // A machine that starts no process gets no notice.
    .unref();
}
