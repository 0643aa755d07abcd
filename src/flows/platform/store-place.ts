import path from 'node:path';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { parseServerAddress } from '#kernel/text/server-address';
import type { FlowContext } from '../flow-context.ts';

export interface StorePlace {
  /** The address that opens the store. */
  readonly address: string;
  /** The same without a password, for people. */
  readonly name: string;
  /** Folder of the file; `undefined` on a database server. */
  readonly folder: string | undefined;
}

/**
 * Read the address of a store. Throws `PLATFORM_STORE_UNAVAILABLE` for any other engine, and `PLATFORM_PASSWORD_EXPOSED`
 * when the address came as an argument of the process and holds a password.
 *
 * @param variable The environment variable to set in place of the argument.
 */
export function storePlace(
  { workingFolder }: FlowContext,
  address: string,
  isArgument: boolean,
  variable: string,
): StorePlace {
  if (!/^(?:sqlite|postgres|postgresql|pg):/i.test(address)) throw unknownEngine();
  if (!/^sqlite:/i.test(address)) {
    const { url, hosts = [] } = parseServerAddress(address) ?? {};
    if (url && url.password !== '' && isArgument) throw passwordExposed(variable);
    // The store refuses what cannot be read, and does not repeat it.
    return { address, name: `postgres://${hosts.join(',')}${url?.pathname ?? ''}`, folder: undefined };
  }
  const file = path.resolve(workingFolder, decoded(address.replace(/^sqlite:(?:\/\/)?/i, '')));
  return { address, name: `sqlite:${file}`, folder: path.dirname(file) };
}

/** Decodes as the store does. The store refuses an invalid encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function passwordExposed(variable: string): CloudError {
  return cloudError(
    'PLATFORM_PASSWORD_EXPOSED',
    'The address of the store holds a password and was given as an argument, which everybody on the machine can read.',
    [`Set ${variable} to the address, and leave the argument out.`, 'Change the password: it was seen.'],
  );
}

function unknownEngine(): CloudError {
  return cloudError(
    'PLATFORM_STORE_UNAVAILABLE',
    'The platform keeps its store on SQLite or on PostgreSQL.',
    'Give an address that begins with "sqlite:" or "postgres:".',
  );
}
