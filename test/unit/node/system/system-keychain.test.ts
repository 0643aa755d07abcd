import { describe, expect, it } from 'vitest';
import type { ToolCall } from '#kernel/ports/programs';
import { createKeychain, exitCodeOfMissingLibrary, keychainOf, nativeKeychain } from '#node/system/system-keychain';
import { canRunKeychain, keychainProcessUrl, systemKeychain } from '../../../helpers/system-keychain.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };

/** A keychain of a system whose programs end with an exit code, and the calls of them. */
function keychainOn(system: string, variables: Readonly<Record<string, string>>, exitCode = 0) {
  const calls: ToolCall[] = [];
  const run = async (call: ToolCall) => {
    calls.push(call);
    return { exitCode, stdout: 'a secret', stderr: '' };
  };
  return { calls, keychain: createKeychain({ tools: { run }, variables, system, processUrl: keychainProcessUrl }) };
}

describe('the keychain of the system', () => {
  it.each([
    ['linux', bus, 'secret-tool'],
    ['darwin', {}, process.execPath],
    ['win32', {}, process.execPath],
  ])(
    'of %s is asked by a program that gets the secret through its stdin and has a deadline',
    async (system, set, program) => {
      const { calls, keychain } = keychainOn(system, set);
      expect(await keychain.store('https://platform.test', 'a secret')).toBe('kept');
      await keychain.remove('https://platform.test');
      expect(calls.map((call) => [call.program, call.input])).toEqual([
        [program, 'a secret'],
        [program, undefined],
        [program, undefined],
      ]);
      expect(calls.every(({ deadlineMs }) => deadlineMs === 30_000)).toBe(true);
      expect(JSON.stringify(calls.map(({ parameters }) => parameters))).not.toContain('a secret');
    },
  );

  it.each([
    ['linux', {}],
    ['linux', { ...bus, SERVICE_KEYCHAIN: 'false' }],
    ['darwin', { SERVICE_KEYCHAIN: 'false' }],
  ])('of %s is not asked with the variables %j', async (system, variables) => {
    const { calls, keychain } = keychainOn(system, variables);
    expect([await keychain.store('name', 'a secret'), await keychain.find('name')]).toEqual(['refused', undefined]);
    expect(calls).toEqual([]);
  });

  it('says that its library is not installed', async () => {
    const { keychain } = keychainOn('darwin', {}, exitCodeOfMissingLibrary);
    expect(await keychain.store('name', 'a secret')).toBe('missing');
  });

  it('refuses a secret that it does not give back as it was', async () => {
    const { keychain } = keychainOn('win32', {});
    expect(await keychain.store('name', 'another secret')).toBe('refused');
  });
});

const canRun = canRunKeychain();
describe.skipIf(canRun !== true)(
  `the library of macOS and Windows${canRun === true ? '' : ` (skipped: ${canRun})`}`,
  () => {
    it('keeps secrets in the Secret Service, gives them back and removes them', async () => {
      const { tools } = await systemKeychain(await temporaryFolder());
      const keychain = keychainOf(nativeKeychain(keychainProcessUrl), tools);
      const [name, secret] = ['https://platform.test', 'sëcret "of" Ada'];
      expect(await keychain.find(name)).toBeUndefined();
      expect(await keychain.store(name, secret)).toBe('kept');
      expect(await keychain.find(name)).toBe(secret);
      const parameters = ['lookup', 'service', 'vendor-cloud', 'username', name];
      expect(await tools.run({ program: 'secret-tool', parameters, deadlineMs: 10_000 })).toMatchObject({
        stdout: secret,
      });
      await keychain.remove(name);
      expect(await keychain.find(name)).toBeUndefined();
      await keychain.remove(name);
    });

    it('keeps nothing where no keychain answers', async () => {
      const { tools } = await systemKeychain(await temporaryFolder());
      const away = {
        run: (call: ToolCall) =>
          tools.run({
            ...call,
            program: 'env',
            parameters: ['-u', 'DBUS_SESSION_BUS_ADDRESS', call.program, ...call.parameters],
          }),
      };
      expect(
        await keychainOf(nativeKeychain(keychainProcessUrl), away).store('https://platform.test', 'a secret'),
      ).toBe('refused');
    });
  },
);
