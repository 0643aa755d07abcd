import type { FastifyInstance } from 'fastify';
import type { JWK } from 'jose';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { SealedTexts } from '#kernel/ports/sealed-texts';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import { type AdminLog, type Author, thePlatform } from '../audit/admin-log.ts';
import type { Store, StoreTransaction } from '../store/store.ts';

const dayMs = 24 * 60 * 60_000;
/** A key signs for so long, then a new one does. */
const signingMs = 90 * dayMs;
/** A key is published for so long after its successor was made: longer than anything lasts that it signed. */
const publishedMs = dayMs;

/** The newest signs; all are published and check what they have signed. */
export interface SignInKeys {
  /** Which keys these are. */
  readonly version: string;
  /** Private RSA keys: they sign who somebody is. The newest first. */
  readonly signingKeys: readonly JWK[];
  /** Sign the cookies of sign-ins under way. The newest first. */
  readonly cookieKeys: readonly string[];
}

/** The keys that every process of the platform signs with. */
export interface SignInKeyring {
  /** As the store has them now. A first key, and one after 90 days, is made here. */
  current(): Promise<SignInKeys>;
  /** Sign with a new key from now on. */
  rotate(author: Author): Promise<void>;
}

interface KeyPair {
  readonly signingKey: JWK;
  readonly cookieKey: string;
}

interface KeptKey {
  readonly id: string;
  readonly sealed: string;
  readonly createdAt: number;
}

export interface KeyringParts {
  readonly store: Store;
  /** Encrypts the private keys under a key that is not in the store. */
  readonly sealed: SealedTexts;
  /** Every project signs in with the keys, so that the log of each has a new one. */
  readonly adminLog: AdminLog;
  readonly clock: Clock;
  readonly random: Random;
}

export function createSignInKeyring({ store, sealed, adminLog, clock, random }: KeyringParts): SignInKeyring {
  let known: SignInKeys | undefined;

  const keep = async (author: Author, isNeeded: (newest: KeptKey | undefined) => boolean) => {
    const id = random.uuid();
    const text = await sealed.seal(JSON.stringify(await makeKeyPair(id, random)));
    await store.transaction(async (transaction) => {
      const { db, lock } = transaction;
      await lock('sign-in keys');
      const kept = await list(db);
      // Another process may have been first.
      if (!isNeeded(kept[0])) return;
      await db.insertInto('signInKeys').values({ id, sealed: text, createdAt: clock.now() }).execute();
      await logNewKey(transaction, adminLog, author, id);
      const published = publishedOf(kept, clock.now()).map((key) => key.id);
      const gone = kept.map((key) => key.id).filter((each) => !published.includes(each) && each !== kept[0]?.id);
      if (gone.length > 0) await db.deleteFrom('signInKeys').where('id', 'in', gone).execute();
    });
  };
  const isDue = (newest: KeptKey | undefined) => !newest || newest.createdAt + signingMs <= clock.now();

  return {
    current: async () => {
      let kept = await list(store.db);
      if (isDue(kept[0])) {
        await keep(thePlatform, isDue);
        kept = await list(store.db);
      }
      const published = publishedOf(kept, clock.now());
      const version = published.map(({ id }) => id).join(' ');
      if (known?.version !== version) known = { version, ...(await openKeys(published, sealed)) };
      return known;
    },
    rotate: (author) => keep(author, () => true),
  };
}

/** Keys of this process only, for a platform that has no key to encrypt them under. They end with the process. */
export function createPassingKeyring({
  store,
  adminLog,
  random,
}: Omit<KeyringParts, 'sealed' | 'clock'>): SignInKeyring {
  let made: Promise<SignInKeys> | undefined;
  const make = async (before: SignInKeys | undefined): Promise<SignInKeys> => {
    const { signingKey, cookieKey } = await makeKeyPair(random.uuid(), random);
    return {
      version: String(signingKey.kid),
      signingKeys: [signingKey, ...(before?.signingKeys ?? [])],
      cookieKeys: [cookieKey, ...(before?.cookieKeys ?? [])],
    };
  };
  const current = () => {
    made ??= make(undefined);
    return made;
  };
  return {
    current,
    rotate: async (author) => {
      const next = await make(await current());
      await store.transaction((transaction) => logNewKey(transaction, adminLog, author, next.version));
      made = Promise.resolve(next);
    },
  };
}

async function logNewKey(transaction: StoreTransaction, adminLog: AdminLog, author: Author, id: string) {
  const projects = await transaction.db.selectFrom('projects').select('id').orderBy('id').execute();
  for (const { id: projectId } of projects) {
    adminLog(transaction, { projectId, author, type: 'add', resource: 'sign-in-key', newValue: { id } });
  }
}

/** The newest first. */
function list(db: Store['db']): Promise<KeptKey[]> {
  return db
    .selectFrom('signInKeys')
    .select(['id', 'sealed', 'createdAt'])
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .execute();
}

/** The newest, and those that it or another one has replaced lately. */
function publishedOf(kept: readonly KeptKey[], now: number): readonly KeptKey[] {
  return kept.filter((_key, index) => {
    const successor = kept[index - 1];
    return !successor || successor.createdAt + publishedMs > now;
  });
}

async function openKeys(kept: readonly KeptKey[], sealed: SealedTexts): Promise<Omit<SignInKeys, 'version'>> {
  const pairs = await Promise.all(kept.map((key) => openKey(key, sealed)));
  return {
    signingKeys: pairs.map(({ signingKey }) => signingKey),
    cookieKeys: pairs.map(({ cookieKey }) => cookieKey),
  };
}

async function openKey(key: KeptKey, sealed: SealedTexts): Promise<KeyPair> {
  const text = await sealed.open(key.sealed);
  if (text !== undefined) return JSON.parse(text) as KeyPair;
  throw cloudError(
    'PLATFORM_KEY_WRONG',
    'The keys of the sign-in cannot be decrypted, so nobody can sign in.',
    'Start the platform with the key it had: the file platform.key, or SERVICE_PLATFORM_KEY.',
  );
}

async function makeKeyPair(kid: string, random: Random): Promise<KeyPair> {
  const { exportJWK, generateKeyPair } = await import('jose');
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const signingKey = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid };
  return { signingKey, cookieKey: random.hex(32) };
}

/** `POST /api/sign-in-keys/rotate`: sign with a new key from now on. The one before stays published for a day. */
export function registerKeyRoutes(server: FastifyInstance, guards: Guards, keyring: SignInKeyring): void {
  server.post('/api/sign-in-keys/rotate', { onRequest: guards.user.check }, async (request, reply) => {
    const by = guards.user.of(request);
    authorise(by, 'rotate sign-in keys');
    await keyring.rotate(by.author);
    return reply.code(204).send();
  });
}
