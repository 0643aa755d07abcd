import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { createAdminLog, thePlatform } from '../audit/admin-log.ts';
import { openStore, type StoreAddress } from '../store/open-store.ts';
import { readStore } from '../transfer/read-store.ts';
import { createFactorRepository } from './factor-repository.ts';

interface ResetInput {
  readonly email: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Asked with how many factors would be reset. */
  readonly confirm: (factors: number) => Promise<boolean>;
}

/**
 * Reset the second factors of somebody in a store, on the machine of the platform: the way back in when the last administrator has lost
 * theirs. Everything that the person is signed in with ends, and the log of each of their projects has it. Resolves to how many factors
 * were reset; `undefined` where `confirm` said no.
 *
 * @throws `REQUEST_NOT_FOUND` for an e-mail address that nobody has.
 */
export async function resetFactorsInStore(
  address: StoreAddress,
  { email, clock, random, confirm }: ResetInput,
): Promise<number | undefined> {
  // Opened for reading first, because opening it for writing would make a store that is not there.
  await readStore(address, { isAlone: false }, async () => undefined);
  const store = await openStore(address);
  try {
    const user = await store.db
      .selectFrom('users')
      .select(['id', 'firstName', 'lastName', 'email'])
      .where(({ fn, eb }) => eb(fn('lower', ['email']), '=', email.toLowerCase()))
      .executeTakeFirst();
    if (!user) throw nobody(email);
    const factors = createFactorRepository(store, clock, createAdminLog(clock, random));
    if (!(await confirm((await factors.list(user.id)).length))) return undefined;
    return await factors.reset(user, thePlatform);
  } finally {
    await store.close();
  }
}

function nobody(email: string): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `Nobody has the e-mail address ${email} on this platform.`,
    'Check the address, and the store: --store',
  );
}
