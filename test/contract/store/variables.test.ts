import { describe, expect, it } from 'vitest';
import { createSealedTexts } from '#node/system/secrets';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createVariableRepository } from '#platform/variables/variable-repository';
import { createVariableService } from '#platform/variables/variable-service';
import { adminLog, authorNumbered, provisionIn } from '../../helpers/admin-log.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

describe.each(useStoreEngines())('variables of an environment on $engine', ({ newPlace }) => {
  async function start() {
    const store = await openTestStore(await newPlace());
    const { environment, member } = await provisionIn(store, {
      project: 'shop',
      secretHash: 'secret',
      user: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' },
    });
    const service = createVariableService(
      createVariableRepository(store, createSealedTexts('key', 'test'), systemClock, systemRandom, adminLog),
    );
    const by = {
      user: member,
      environment,
      credential: { kind: 'token', token: 'vcu_' } as const,
      signedInAt: undefined,
      hasSecondFactor: false,
      author: authorNumbered(member.id),
    };
    const set = (values: Readonly<Record<string, string>>, base: number) =>
      service.change(by, { set: values, unset: [], base });
    const read = (revision: number) => service.read(environment, revision);
    return { set, read };
  }

  it.each(['before', 'after'])(
    'keep the secret that hosts sign with, also when it is first asked for %s a change',
    async (when) => {
      const { set, read } = await start();
      if (when === 'before') await read(0);
      await set({ GREETING: 'Ahoy' }, 0);
      const [first, second] = [await read(0), await read(1)];
      expect(second).toEqual({ revision: 1, variables: { GREETING: 'Ahoy' }, authSecret: first.authSecret });
      expect(first.variables).toEqual({});
    },
  );

  it('are changed by one of two who change the same revision', async () => {
    const { set, read } = await start();
    const both = await Promise.allSettled([set({ A: '1' }, 0), set({ B: '1' }, 0)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(Object.keys((await read(1)).variables)).toHaveLength(1);
    await expect(read(2)).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
  });
});
