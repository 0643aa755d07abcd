import { BrokenLog } from '#contracts/audit/verdict';
import { cloudError } from '#kernel/errors/cloud-error';
import {
  type ArchivedRows,
  createArchivedRows,
  erasePersonFromStore,
  openArchive,
  type PersonInStore,
} from '#platform/index';
import { archiveBroken } from '../audit/verdict-errors.ts';
import type { FlowContext } from '../flow-context.ts';
import { knownPlatformKey } from './known-platform-key.ts';
import type { StorePlace } from './store-place.ts';

export interface PersonToErase extends PersonInStore {
  readonly store: string;
  readonly email: string;
}

export interface ErasedPerson extends PersonToErase {
  /** `false` for a dry run, and where somebody said no. */
  readonly isErased: boolean;
}

interface EraseInput {
  readonly store: StorePlace;
  readonly email: string;
  /** What the operator says of it: it stays in the log. */
  readonly reference: string | undefined;
  /** Who does it: it stays in the log. */
  readonly by: string;
  readonly isDryRun: boolean;
  /** Address of an archive: rows that retention has removed are erased there. */
  readonly archive: string | undefined;
  readonly confirm: (person: PersonToErase) => Promise<boolean>;
}

const longestText = 200;

/**
 * Erase a person from all audit logs of a store: who they were, and from where they came. The logs hold afterwards. What they wrote in
 * notes and about requests goes too.
 *
 * @throws `USAGE_INVALID`, `PLATFORM_KEY_WRONG`, `AUDIT_ARCHIVE_BROKEN`, and `PLATFORM_STORE_IN_USE` while a platform uses a SQLite file.
 */
export async function erasePerson(context: FlowContext, input: EraseInput): Promise<ErasedPerson> {
  const { store, email, reference, by, isDryRun, archive, confirm } = input;
  refuseUnusable(input);
  const platformKey = await existingKey(context, store);
  const { clock, random } = context;
  const objects = archive === undefined ? undefined : await openArchive(archive, context);
  let isErased = false;
  const found = await erasePersonFromStore(store.address, {
    ...{ email, reference, by, platformKey, clock, random },
    archivedRows: objects && readableRows(createArchivedRows(objects)),
    confirm: async ({ logs, texts }) => {
      const isNothing = logs.every(({ rows, keptValues }) => rows + keptValues === 0);
      if (isDryRun || (isNothing && Object.values(texts).every((count) => count === 0))) return false;
      isErased = await confirm({ store: store.name, email, logs, texts });
      return isErased;
    },
  });
  return { store: store.name, email, ...found, isErased };
}

/** What is wrong with the archive, as every command says it. */
function readableRows(archivedRows: ArchivedRows): ArchivedRows {
  return async function* (chain, before) {
    try {
      yield* archivedRows(chain, before);
    } catch (error) {
      throw error instanceof BrokenLog ? archiveBroken(error.problem) : error;
    }
  };
}

function refuseUnusable({ email, reference = '', by }: EraseInput): void {
  if (!/^\S+@\S+$/.test(email)) {
    throw cloudError(
      'USAGE_INVALID',
      `"${email}" is not an e-mail address.`,
      'Give the address that the person signed in with.',
    );
  }
  refuseText(reference, email, 'The reference', 'Give the number of a ticket after --reference.');
  refuseText(by, email, 'The text after --by', 'Name a role or an account after --by.');
}

/** These texts stay in the log for ever. */
function refuseText(text: string, email: string, what: string, nextStep: string): void {
  if (text.length > longestText || /[\p{Cc}\p{Bidi_Control}]/u.test(text)) {
    const why = `${what} is a text of one line, with ${longestText} characters at most.`;
    throw cloudError('USAGE_INVALID', why, nextStep);
  }
  if (text.toLowerCase().includes(email.toLowerCase())) {
    throw cloudError('USAGE_INVALID', `${what} names the person, and stays in the log for ever.`, nextStep);
  }
}

async function existingKey(context: FlowContext, store: StorePlace): Promise<string> {
  const key = await knownPlatformKey(context, store);
  if (key !== undefined) return key;
  throw cloudError(
    'PLATFORM_KEY_WRONG',
    'The key of the platform is missing, so nothing can sign what would be erased. An erasure that is not signed breaks the log.',
    'Set SERVICE_PLATFORM_KEY to the key of the platform, or put platform.key beside the store.',
  );
}
