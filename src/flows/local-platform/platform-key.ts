import path from 'node:path';
import { cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';

/**
 * What the platform encrypts secrets under: `SERVICE_PLATFORM_KEY`, else the file `platform.key` in a folder, which is made with
 * a new key where it is missing. Git ignores it there, unless the folder has other rules for git already.
 */
export async function readPlatformKey(context: FlowContext, folder: string): Promise<string> {
  const given = context.variables['SERVICE_PLATFORM_KEY'];
  if (given !== undefined) return checked(given, 'SERVICE_PLATFORM_KEY');
  const { fs, random } = context;
  const file = path.join(folder, 'platform.key');
  if (await fs.createExclusively(file, random.hex(32), { mode: 0o600 })) {
    await fs.createExclusively(path.join(folder, '.gitignore'), '/platform.*\n', { mode: 0o600 });
  }
  return checked(((await fs.readText(file)) ?? '').trim(), file);
}

function checked(key: string, place: string): string {
  if (/^[0-9a-f]{64}$/.test(key)) return key;
  throw cloudError('PLATFORM_KEY_WRONG', `${place} holds no key of 64 lower-case hexadecimal digits.`, [
    'Put the key there that the platform was started with before.',
    'A new platform takes a new key: openssl rand -hex 32',
  ]);
}
