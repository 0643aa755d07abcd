import type { ChangePassword, PasswordReset, UsePasswordReset } from '#contracts/people';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { sha256Hex } from '#node/system/digest';
import { authorise } from '../access/authorise.ts';
import type { SignedInUser } from '../access/guards.ts';
import { noSuchMember, type PeopleRepository } from '../people/people-repository.ts';
import type { PasswordHashes } from './password-hash.ts';
import type { PasswordRepository } from './password-repository.ts';
import type { SignInTries, SignInTry } from './sign-in-tries.ts';

const resetLifetimeMs = 24 * 60 * 60_000;

export interface PasswordService {
  /**
   * Whose e-mail and password these are. `undefined` when they are wrong, and at once while the account or the address is locked.
   * The answer takes equally long whether the account exists or not. Rejects with `SIGN_IN_BUSY` when too many wait.
   *
   * @param signal aborts when the client is gone: it waits no longer then.
   */
  check(signInTry: SignInTry, password: string, signal?: AbortSignal): Promise<number | undefined>;
  /** A link with which a member of the project sets a new password, once. Rejects with `REQUEST_FORBIDDEN` or `…_NOT_FOUND`. */
  makeReset(by: SignedInUser, userId: number): Promise<PasswordReset>;
  /**
   * Change one's own password; all sessions end. Rejects with `REQUEST_UNAUTHENTICATED` when the current one is wrong, which
   * counts as a try to sign in.
   */
  change(by: SignedInUser, input: ChangePassword, address: string | undefined): Promise<void>;
  /** Set the password by such a link; whoever was signed in as that person is no longer. */
  useReset(input: UsePasswordReset, address: string | undefined): Promise<void>;
}

export interface PasswordServices {
  readonly passwords: PasswordRepository;
  readonly hashes: PasswordHashes;
  readonly people: PeopleRepository;
  readonly tries: SignInTries;
  readonly clock: Clock;
  readonly random: Random;
  /** What links begin with. */
  readonly origin: () => string;
}

export function createPasswordService({
  passwords,
  hashes,
  people,
  tries,
  clock,
  random,
  origin,
}: PasswordServices): PasswordService {
  const check: PasswordService['check'] = async ({ email: typed, address }, password, signal) => {
    const email = typed.trim().toLowerCase();
    const signInTry = { email, address };
    const failures = await tries.failuresOf(signInTry);
    if (failures === undefined) return undefined;
    return hashes.queue.inTurn({ address, failures, signal }, async () => {
      if (!(await tries.begin(signInTry))) return undefined;
      const account = await passwords.findByEmail(email);
      const isRight = await hashes.isPasswordOf(password, account?.hash);
      if (!account || !isRight) return undefined;
      await tries.succeeded(signInTry);
      hashes.queue.hasBehaved(address);
      return account.userId;
    });
  };
  return {
    check,
    change: async ({ user, author }, { current, password }, address) => {
      if ((await check({ email: user.email, address }, current)) !== user.id) throw wrongPassword();
      refuseEmailAsPassword(password, user.email);
      await passwords.set(user, await hashes.hash(password), author);
    },
    makeReset: async (by, userId) => {
      authorise(by, 'manage people');
      const { projectId } = by.environment;
      const user = await people.find(projectId, userId);
      if (!user) throw noSuchMember(userId);
      if (await people.isManagedElsewhere(userId, by.user.id)) throw managedElsewhere();
      const secret = random.hex(32);
      const expiresAt = clock.now() + resetLifetimeMs;
      await passwords.addReset({ secretHash: sha256Hex(secret), user, projectId, author: by.author, expiresAt });
      return { link: `${origin()}/reset#${secret}`, expiresAt: new Date(expiresAt).toISOString() };
    },
    useReset: async ({ secret, password }, address) => {
      const secretHash = sha256Hex(secret);
      const reset = await passwords.findReset(secretHash);
      if (!reset || reset.usedAt !== null || reset.expiresAt <= clock.now()) throw linkIsSpent();
      refuseEmailAsPassword(password, reset.email);
      if (!(await passwords.useReset(secretHash, await hashes.hash(password), address))) throw linkIsSpent();
      await tries.succeeded({ email: reset.email.toLowerCase(), address: undefined });
    },
  };
}

/** Throws `REQUEST_INVALID` for the password that everybody guesses first. */
export function refuseEmailAsPassword(password: string, email: string): void {
  if (password.trim().toLowerCase() !== email.toLowerCase()) return;
  throw cloudError('REQUEST_INVALID', 'The password is the e-mail address.', 'Choose a password that nobody guesses.');
}

function wrongPassword(): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'The current password is wrong, or there were too many tries.',
    'Wait a little and try again, or ask an administrator for a link to set a new one.',
  );
}

function linkIsSpent(): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    'The link was used before, has expired, or was replaced by a newer one.',
    'Ask an administrator of the project for a new link.',
  );
}

/** Whoever may set a password may sign in as that person, in every project. */
function managedElsewhere(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'This person is a member of a project that you do not administer, so you cannot set their password.',
    'Ask an administrator of the other project.',
  );
}
