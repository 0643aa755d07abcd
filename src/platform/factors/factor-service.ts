import type { Factor, FactorList } from '#contracts/second-factor';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { SealedTexts } from '#kernel/ports/sealed-texts';
import type { Author } from '../audit/admin-log.ts';
import type { UserRecord } from '../identity/identity-repository.ts';
import type { SignInTries } from '../passwords/sign-in-tries.ts';
import { needsSecondFactor } from '../rights/needs-second-factor.ts';
import type { Store } from '../store/store.ts';
import { noSuchFactor, wrongAnswer } from './factor-errors.ts';
import type { FactorRecord, FactorRepository, Passkey } from './factor-repository.ts';
import {
  type AppSecret,
  appSecretOf,
  hashOfCode,
  makeAppSecret,
  makeRecoveryCodes,
  stepOfCode,
} from './one-time-codes.ts';
import type { Passkeys } from './passkeys.ts';
import type { SignedIn, SignInSteps } from './sign-in-steps.ts';

/** What a page may ask somebody for. */
export interface AskedFactors {
  /** For the browser, as JSON; `undefined` where the person has no passkey of this address. */
  readonly passkeyOptions: string | undefined;
  readonly hasApp: boolean;
  /** Whether there are passkeys of another address. */
  readonly hasOtherPasskeys: boolean;
}

/** What a page may set up. */
export interface OfferedFactors {
  /** `undefined` where browsers make no passkeys for the address of the platform. */
  readonly passkeyOptions: string | undefined;
  /** `undefined` where the platform has no key to keep secrets under. */
  readonly app: AppSecret | undefined;
}

/** The answer to what a page asks for. */
interface FactorAnswer {
  readonly passkey?: string | undefined;
  readonly code?: string | undefined;
  readonly recoveryCode?: string | undefined;
}

/** A factor that somebody sets up: the answer of the browser, or a code of the app. */
interface NewFactorAnswer extends Pick<FactorAnswer, 'passkey' | 'code'> {
  readonly name: string;
}

/** The person whose factors these are, and the sign-in or the browser that asks. */
export interface FactorPlace {
  readonly user: UserRecord;
  /** What the steps are found by. */
  readonly subject: string;
  readonly author: Author;
}

/** What people sign in with beside their password. */
export interface FactorService {
  list(userId: number): Promise<FactorList>;
  /** Whether a sign-in asks: somebody has a factor, or a role demands one. */
  isAsked(userId: number): Promise<boolean>;
  hasAny(userId: number): Promise<boolean>;
  /**
   * Whether somebody without a factor may set one up at this sign-in. A password does not do, unless an administrator, by the invitation, the
   * role or a reset, has just asked the person to set one up.
   */
  maySetUp(signedIn: SignedIn): Promise<boolean>;
  ask(place: FactorPlace): Promise<AskedFactors>;
  /** Rejects with `SIGN_IN_REFUSED` for an answer that does not hold. Codes that fail are counted as passwords are. */
  check(place: FactorPlace, answer: FactorAnswer): Promise<void>;
  offer(place: FactorPlace): Promise<OfferedFactors>;
  /** Resolves to recovery codes with the first factor: nothing shows them again. Rejects with `SIGN_IN_REFUSED`. */
  add(place: FactorPlace, answer: NewFactorAnswer): Promise<readonly string[]>;
  rename(user: UserRecord, id: number, name: string, author: Author): Promise<void>;
  /** Rejects with `REQUEST_CONFLICT` for the last one that a role demands. */
  remove(user: UserRecord, id: number, author: Author): Promise<void>;
  /** New codes in the place of those before. */
  makeRecoveryCodes(user: UserRecord, author: Author): Promise<readonly string[]>;
  reset(user: UserRecord, author: Author): Promise<number>;
}

export interface FactorParts {
  readonly store: Store;
  readonly factors: FactorRepository;
  readonly steps: SignInSteps;
  readonly passkeys: Passkeys;
  readonly tries: SignInTries;
  /** Encrypts the secrets of apps; `undefined` where the platform has no key. */
  readonly sealed: SealedTexts | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly origin: () => string;
}

export function createFactorService(parts: FactorParts): FactorService {
  const { store, factors, steps, passkeys, clock, random } = parts;
  const isUsable = (factor: FactorRecord) => factor.kind === 'totp' || factor.host === passkeys.host();
  const passkeysHere = async (userId: number) =>
    (await factors.list(userId)).filter((factor): factor is Passkey => factor.kind === 'passkey' && isUsable(factor));
  const hasAny = async (userId: number) => (await factors.list(userId)).length > 0;
  return {
    hasAny,
    isAsked: async (userId) => (await hasAny(userId)) || needsSecondFactor(store.db, userId, clock.now()),
    maySetUp: async ({ userId, isVouched }) =>
      isVouched === true || ((await factors.setupUntil(userId)) ?? 0) > clock.now(),
    list: async (userId) => ({
      factors: (await factors.list(userId)).map((factor) => shown(factor, isUsable(factor))),
      recoveryCodes: await factors.countCodes(userId),
      isNeeded: await needsSecondFactor(store.db, userId, clock.now()),
    }),
    ask: async ({ user, subject }) => {
      const all = await factors.list(user.id);
      const here = await passkeysHere(user.id);
      const question = here.length === 0 ? undefined : await passkeys.ask(here);
      if (question) await steps.put('PasskeyChallenge', subject, user.id, { challenge: question.challenge });
      return {
        passkeyOptions: question?.options,
        hasApp: all.some(({ kind }) => kind === 'totp'),
        hasOtherPasskeys: !all.every(isUsable),
      };
    },
    check: async ({ user, subject }, { passkey, code, recoveryCode }) => {
      if (passkey !== undefined) return checkPasskey(parts, user, subject, passkey, await passkeysHere(user.id));
      const isRight = await inTurn(parts.tries, user.id, async () =>
        code === undefined
          ? factors.useCode(user.id, hashOfCode(recoveryCode ?? ''))
          : isCodeOfApp(parts, await factors.list(user.id), code),
      );
      if (!isRight) throw wrongCode();
    },
    ...createFactorSetup(parts, passkeysHere),
    rename: async (user, id, name, author) => {
      if (!(await factors.rename(user, id, name, author))) throw noSuchFactor(id);
    },
    remove: async (user, id, author) => {
      if (!(await factors.remove(user, id, author))) throw noSuchFactor(id);
    },
    makeRecoveryCodes: async (user, author) => {
      const codes = makeRecoveryCodes(random);
      await factors.replaceCodes(user, codes.map(hashOfCode), author);
      return codes;
    },
    reset: (user, author) => factors.reset(user, author),
  };
}

/** How somebody gets a factor. */
function createFactorSetup(
  { factors, steps, passkeys, sealed, clock, random, origin }: FactorParts,
  passkeysHere: (userId: number) => Promise<readonly Passkey[]>,
): Pick<FactorService, 'offer' | 'add'> {
  return {
    offer: async ({ user, subject }) => {
      const host = passkeys.host();
      const question = host === undefined ? undefined : await passkeys.askForNew(user, await passkeysHere(user.id));
      if (question) await steps.put('PasskeyChallenge', subject, user.id, { challenge: question.challenge });
      if (!sealed) return { passkeyOptions: question?.options, app: undefined };
      const begun = await steps.find('TotpSecret', subject);
      const secret = (begun && (await sealed.open(begun.sealed))) ?? (await makeAppSecret(random));
      await steps.put('TotpSecret', subject, user.id, { sealed: await sealed.seal(secret) });
      return {
        passkeyOptions: question?.options,
        app: await appSecretOf(secret, new URL(origin()).hostname, user.email),
      };
    },
    add: async ({ user, subject, author }, { name, passkey, code = '' }) => {
      const codes = makeRecoveryCodes(random);
      const hashes = codes.map(hashOfCode);
      if (passkey !== undefined) {
        const { challenge = '' } = (await steps.take('PasskeyChallenge', subject)) ?? {};
        const made = await passkeys.readNew(passkey, challenge, name);
        return (await factors.add(user, made, hashes, author)) ? codes : [];
      }
      const begun = await steps.find('TotpSecret', subject);
      const secret = begun && (await sealed?.open(begun.sealed));
      const step = secret === undefined ? undefined : await stepOfCode(secret, code, clock.now());
      if (!begun || step === undefined || !(await steps.take('TotpSecret', subject))) throw wrongCode();
      const made = { kind: 'totp', name, sealed: begun.sealed, lastStep: step } as const;
      return (await factors.add(user, made, hashes, author)) ? codes : [];
    },
  };
}

async function checkPasskey(
  { factors, steps, passkeys }: FactorParts,
  user: UserRecord,
  subject: string,
  answer: string,
  known: readonly Passkey[],
): Promise<void> {
  const { challenge = '' } = (await steps.take('PasskeyChallenge', subject)) ?? {};
  const { passkey, counter } = await passkeys.read(answer, challenge, known);
  if (await factors.useKey(passkey.id, counter)) return;
  throw wrongAnswer(
    `The passkey "${passkey.name}" of ${user.email} counts backwards: there may be a copy of it.`,
    'Use another factor, and remove this one.',
  );
}

/** Whether it is a code of one of the apps, and none that was taken before. */
async function isCodeOfApp(
  { factors, sealed, clock }: FactorParts,
  all: readonly FactorRecord[],
  code: string,
): Promise<boolean> {
  for (const factor of all) {
    if (factor.kind !== 'totp') continue;
    const secret = await sealed?.open(factor.sealed);
    const step = secret === undefined ? undefined : await stepOfCode(secret, code, clock.now());
    if (step !== undefined && (await factors.useStep(factor.id, step))) return true;
  }
  return false;
}

/**
 * Count a code as a failure before it is looked at, as a password. Only who knows the password comes here, so that the person
 * counts, and no address does. E-mail addresses count in lower case: none of them is this subject.
 */
async function inTurn(tries: SignInTries, userId: number, check: () => Promise<boolean>): Promise<boolean> {
  const signInTry = { email: `Second factor of person ${userId}`, address: undefined };
  if (!(await tries.begin(signInTry))) return false;
  const isRight = await check();
  if (isRight) await tries.succeeded(signInTry);
  return isRight;
}

function wrongCode() {
  return wrongAnswer(
    'The code is wrong or was used before, or there were too many tries.',
    'Wait for the next code of the app, and see that the clock of the device is right.',
  );
}

function shown({ id, kind, name, createdAt, lastUsedAt }: FactorRecord, isUsable: boolean): Factor {
  const used = lastUsedAt === null ? null : new Date(lastUsedAt).toISOString();
  return { id, kind, name, createdAt: new Date(createdAt).toISOString(), lastUsedAt: used, isUsable };
}
