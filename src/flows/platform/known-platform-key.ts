import path from 'node:path';
import type { FlowContext } from '../flow-context.ts';
import type { StorePlace } from './store-place.ts';

/** The key with which a platform signs, where it is known. None is made here: another key would prove nothing. */
export async function knownPlatformKey(context: FlowContext, { folder }: StorePlace): Promise<string | undefined> {
  const given = context.variables['SERVICE_PLATFORM_KEY'];
  const key = given ?? (folder === undefined ? null : await context.fs.readText(path.join(folder, 'platform.key')));
  return key ? key.trim() : undefined;
}
