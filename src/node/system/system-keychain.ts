import { fileURLToPath } from 'node:url';
import type { Keychain } from '#kernel/ports/keychain';
import type { ToolCall, Tools } from '#kernel/ports/programs';

interface KeychainInput {
  readonly tools: Tools;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** `linux`, `darwin`, `win32`. */
  readonly system: string;
  /** The module that asks the keychain of macOS or Windows, in a process of its own. */
  readonly processUrl: URL;
}

/** A program that asks a keychain. A secret goes in through its stdin and comes out of its stdout, so no list of processes shows it. */
type KeychainProgram = (action: 'store' | 'lookup' | 'clear', name: string) => Pick<ToolCall, 'program' | 'parameters'>;

/** How `keychain-process.ts` says that its library is not installed. */
export const exitCodeOfMissingLibrary = 3;

/** A locked keychain asks the person at the screen for its password. */
const deadlineMs = 30_000;

/**
 * The keychain of macOS or Windows, or the Secret Service of a Linux desktop. `SERVICE_KEYCHAIN=false` switches it off, and so does
 * a Linux without a session bus: `secret-tool` would start a bus that nobody sees.
 */
export function createKeychain({ tools, variables, system, processUrl }: KeychainInput): Keychain {
  if (variables['SERVICE_KEYCHAIN'] === 'false') return noKeychain;
  if (system === 'darwin' || system === 'win32') return keychainOf(nativeKeychain(processUrl), tools);
  return variables['DBUS_SESSION_BUS_ADDRESS'] ? keychainOf(secretTool, tools) : noKeychain;
}

const noKeychain: Keychain = {
  store: async () => 'refused',
  find: async () => undefined,
  remove: async () => undefined,
};

/** The program of Linux desktops. */
const secretTool: KeychainProgram = (action, name) => {
  const label = action === 'store' ? [`--label=vendor-cloud at ${name}`] : [];
  return { program: 'secret-tool', parameters: [action, ...label, 'service', 'vendor-cloud', 'server', name] };
};

/** A process of its own: a question on the screen would hold this one up, whatever its deadline. */
export function nativeKeychain(processUrl: URL): KeychainProgram {
  const script = fileURLToPath(processUrl);
  return (action, name) => ({ program: process.execPath, parameters: [script, action, 'vendor-cloud', name] });
}

export function keychainOf(program: KeychainProgram, tools: Tools): Keychain {
  const find = async (name: string) => {
    const { exitCode, stdout } = await tools.run({ ...program('lookup', name), deadlineMs });
    return exitCode === 0 && stdout !== '' ? stdout : undefined;
  };
  return {
    find,
    async store(name, secret) {
      const { exitCode } = await tools.run({ ...program('store', name), input: secret, deadlineMs });
      if (exitCode === exitCodeOfMissingLibrary) return 'missing';
      // Some keychains take a secret and do not give it back.
      return exitCode === 0 && (await find(name)) === secret ? 'kept' : 'refused';
    },
    async remove(name) {
      await tools.run({ ...program('clear', name), deadlineMs });
    },
  };
}
