import type { Kysely } from 'kysely';
import {
  type Ask,
  type AskAnswer,
  type AskState,
  askPreviewSchema,
  askSeconds,
  type ListedAsk,
  maxOpenAsks,
  type UseOfYes,
} from '#contracts/mcp-marks';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { findMark, type WhichMarks } from './find-mark.ts';

/** The questions to the people of marked sessions: `#contracts/mcp-marks`. */
export interface AskRepository {
  /** The question that is open for the call, else a new one. Rejects with `REQUEST_NOT_FOUND` for a session without a mark. */
  ask(environmentId: number, asked: Ask): Promise<Omit<AskState, 'url'>>;
  /** Use a yes. It is good for one run. */
  use(environmentId: number, use: UseOfYes): Promise<boolean>;
  /** Answer for the person. Whether there was such a question, without an answer. */
  answer(id: string, which: WhichMarks, answer: AskAnswer): Promise<boolean>;
}

type AskRow = Tables['mcpAsks'];

export function createAskRepository(store: Store, clock: Clock, random: Random): AskRepository {
  return {
    ask: (environmentId, { digest, tool, preview, ...session }) =>
      store.transaction(async ({ db, lock }) => {
        await lock(`MCP mark ${environmentId} ${session.personId} ${session.client}`);
        const mark = await findMark(db, environmentId, session);
        if (!mark) throw notMarked();
        const now = clock.now();
        await db.deleteFrom('mcpAsks').where('expiresAt', '<=', now).execute();
        // A yes that was used is for that call only: the next one asks again.
        await db
          .deleteFrom('mcpAsks')
          .where((the) => the.and({ markId: mark.id, digest }))
          .where('runId', 'is not', null)
          .execute();
        const known = await asksOf(db, mark.id).where('digest', '=', digest).executeTakeFirst();
        if (known) return stateOf(known);
        // The oldest give way, so that no assistant fills the page of its person.
        const kept = await asksOf(db, mark.id).orderBy('expiresAt', 'desc').orderBy('id').execute();
        const oldest = kept.slice(maxOpenAsks - 1).map(({ id }) => id);
        if (oldest.length > 0) await db.deleteFrom('mcpAsks').where('id', 'in', oldest).execute();
        const row: AskRow = {
          id: random.uuid(),
          markId: mark.id,
          digest,
          tool,
          preview: JSON.stringify(preview),
          expiresAt: now + askSeconds * 1000,
          answer: null,
          runId: null,
        };
        await db.insertInto('mcpAsks').values(row).execute();
        return stateOf(row);
      }),
    use: (environmentId, { digest, runId, ...session }) =>
      store.transaction(async ({ db }) => {
        const mark = await findMark(db, environmentId, session);
        if (!mark) return false;
        const ofYes = db
          .updateTable('mcpAsks')
          .set({ runId })
          .where((the) => the.and({ markId: mark.id, digest, answer: 'yes' }))
          .where('expiresAt', '>', clock.now());
        // Of several runs at once, one alone finds it unused.
        const used = await ofYes
          .where((the) => the.or([the('runId', 'is', null), the('runId', '=', runId)]))
          .returning('id')
          .executeTakeFirst();
        return used !== undefined;
      }),
    answer: (id, { environmentId, personId }, answer) =>
      store.transaction(async ({ db }) => {
        const answered = await db
          .updateTable('mcpAsks')
          .set({ answer })
          .where((the) => the.and({ id, answer: null }))
          .where('expiresAt', '>', clock.now())
          .where('markId', 'in', (marks) => {
            const own = marks.selectFrom('mcpMarks').select('mcpMarks.id').where('environmentId', '=', environmentId);
            return personId === undefined ? own : own.where('personId', '=', personId);
          })
          .returning('id')
          .executeTakeFirst();
        return answered !== undefined;
      }),
  };
}

/** Questions that wait for an answer, or for the call that uses their yes; the newest last. */
export async function listAsks(db: Kysely<Tables>, markId: number, now: number): Promise<readonly ListedAsk[]> {
  const rows = await asksOf(db, markId)
    .where('expiresAt', '>', now)
    .where('runId', 'is', null)
    .orderBy('expiresAt')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...stateOf(row),
    tool: row.tool,
    preview: askPreviewSchema.parse(JSON.parse(row.preview)),
  }));
}

function asksOf(db: Kysely<Tables>, markId: number) {
  return db.selectFrom('mcpAsks').selectAll().where('markId', '=', markId);
}

function stateOf({ id, answer, expiresAt }: AskRow): Omit<AskState, 'url'> {
  return { id, answer, expiresAt: new Date(expiresAt).toISOString() };
}

function notMarked(): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'The session has no mark, so nobody has to be asked.',
    'Look again whether the session is marked.',
  );
}
