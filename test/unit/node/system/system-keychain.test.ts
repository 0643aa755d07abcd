import { describe, expect, it } from 'vitest';
import type { ToolCall } from '#kernel/ports/programs';
import { createKeychain, exitCodeOfMissingLibrary } from '#node/system/system-keychain';
import { keychainProcessUrl } from '../../../helpers/system-keychain.ts';

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
