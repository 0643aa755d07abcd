import { describe, expect, it } from 'vitest';
import type { ToolCall } from '#kernel/ports/programs';
import { keychainOf, nativeKeychain } from '#node/system/system-keychain';
import { canRunKeychain, keychainProcessUrl, systemKeychain } from '../helpers/system-keychain.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

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
