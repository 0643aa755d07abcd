import { latestVersion } from '#flows/upgrade/latest-version';
import { proxiesFrom } from '#kernel/environment/proxies';
import { isCloudError } from '#kernel/errors/cloud-error';
import { processEnvironment } from '#node/environment/process-environment';
import { nodeFileSystem } from '#node/files/node-file-system';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { packageInfo } from './invocation/package-info.ts';
import { type KnownUpdate, updateFile } from './updates/update-notice.ts';

/** The program that asks the registry for the newest version, once, and keeps what it learns for the next commands. */
const { variables } = processEnvironment;
const http = createHttp({ clock: systemClock, random: systemRandom, ...proxiesFrom(variables) });
const latest = await latestVersion({ http, variables, package: packageInfo }, 5_000).catch((error: unknown) => {
  if (isCloudError(error)) return null; // The next day is early enough to ask again.
  throw error;
});
const known: KnownUpdate = { checkedAt: systemClock.now(), latest };
await nodeFileSystem.writeAtomically(updateFile(variables), JSON.stringify(known));
await http.close();
