import { describe, expect, it } from 'vitest';
import type { EnvironmentPermissions, PlatformUser } from '#contracts/permissions';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Mail, MailOutcome } from '#kernel/ports/mailer';
import { createSealedTexts } from '#node/system/secrets';
import { StoredApprovalMails } from '#platform/approvals/approval-mail-queue';
import { ApprovalMails } from '#platform/approvals/approval-mails';
import { StoredApprovals } from '#platform/approvals/approval-repository';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import type { Store } from '#platform/store/store';
import { adminLog, authorNumbered, provisionIn } from '../../helpers/admin-log.ts';
import { createManualTime } from '../../helpers/manual-time.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const ada = { firstName: 'Ada\r\nBcc: else@example.test', lastName: 'Lovelace', email: 'ada@example.test' };
const bob = { firstName: 'Bob', lastName: 'Brown', email: 'bob@example.test' };
const cy = { firstName: 'Cy', lastName: 'Clark', email: 'cy@example.test' };
const content = { recordIds: ['4'], values: {}, shown: [], timezone: 'UTC' };
const minuteMs = 60_000;
const { signal } = new AbortController();
const sent: MailOutcome = { state: 'sent' };

/** A mail server that answers as a test says. */
function scriptedMailer() {
  const mails: Mail[] = [];
  let answers: MailOutcome[] = [];
  let isAway = false;
  let end: (() => void) | undefined;
  return {
    mails,
    receivers: () => mails.splice(0).map(({ to }) => to),
    answer: (...next: MailOutcome[]) => {
      answers = next;
    },
    leave: (left = true) => {
      isAway = left;
    },
    /** The process ends when the next mail is at the server. */
    endWith: (error: Error) => {
      end = () => {
        end = undefined;
        throw error;
      };
    },
    mailer: {
      open: async () => {
        if (isAway) throw cloudError('MAIL_SERVER_UNUSABLE', 'It is away.', 'Start it.');
        return {
          close: () => undefined,
          send: async (mail: Mail) => {
            mails.push(mail);
            end?.();
            return answers.shift() ?? sent;
          },
        };
      },
    },
  };
}

describe.each(useStoreEngines())('mails about requests on $engine', ({ newPlace }) => {
  const open = async () => {
    const place = await newPlace();
    const store = await openTestStore(place);
    const time = createManualTime();
    const { clock } = time;
    const project = { project: 'shop', secretHash: 'secret' };
    const { environment, member } = await provisionIn(store, { ...project, user: ada });
    const { member: bobs } = await provisionIn(store, { ...project, user: bob });
    const { member: cys } = await provisionIn(store, { ...project, user: cy });
    const server = scriptedMailer();
    const logged: object[] = [];
    const approvers = new Set([bobs.id, cys.id]);
    const start = (at: Store) => {
      const queue = new StoredApprovalMails(at, clock);
      const sealed = createSealedTexts('k'.repeat(64), 'requests for approvals');
      const approvals = new StoredApprovals({ store: at, sealed, clock, adminLog, mails: queue });
      const mails = new ApprovalMails({
        ...{ queue, approvals, store: at, clock, mailer: server.mailer, identity: createIdentityRepository(at) },
        permissions: {
          environment: async () => documentFor(),
          users: async () => [member, bobs, cys].map((person) => userOf(person, approvers.has(person.id))),
        },
        pageOf: (_, id) => `https://platform.test/console/test/approvals/${id}`,
        logger: { log: (_level, message, fields) => void logged.push({ message, ...fields }) },
      });
      return { queue, approvals, sendDue: () => mails.sendDue(signal) };
    };
    const running = start(store);
    /** Somebody asks, and the agent says who may grant it: `null` for an agent that does not. */
    const ask = async (id = '4', told: readonly number[] | null = [...approvers]) => {
      const record = await running.approvals.add(
        environment,
        {
          ...{ personId: member.id, collection: 'orders', action: 'Refund', content: { ...content, recordIds: [id] } },
        },
        authorNumbered(member.id),
      );
      if (told) await running.approvals.setApprovers(environment.id, record.id, told);
      return record;
    };
    const rows = () => store.db.selectFrom('approvalMails').selectAll().execute();
    const by = { ada: authorNumbered(member.id), bob: authorNumbered(bobs.id), cy: authorNumbered(cys.id) };
    return { ...running, ...{ store, place, time, environment, server, logged, approvers, start, ask, rows, by } };
  };

  it('go once to everybody who may grant a request and to who asked, and never to somebody about themselves', async () => {
    const { store, approvals, server, sendDue, ask, rows, by, approvers, environment, time } = await open();
    const asked = await ask();
    await ask();
    approvers.add(asked.user.id);
    await Promise.all([sendDue(), sendDue()]);
    await sendDue();
    expect(server.mails.map(({ subject }) => subject)).toEqual(
      Array.from({ length: 2 }, () => `Request ${asked.id} waits for an approval: Refund of orders`),
    );
    expect(server.mails[0]?.text).toContain('Ada Bcc: else@example.test Lovelace asks for an approval.');
    expect(server.receivers().sort()).toEqual([bob.email, cy.email]);
    await approvals.comment(asked, by.ada, 'Please.');
    await approvals.comment(asked, by.bob, 'Why?');
    await approvals.decide(asked, { state: 'granted', author: by.cy, runId: crypto.randomUUID(), comment: 'Go.' });
    const own = await ask('5');
    await approvals.decide(own, { state: 'withdrawn', author: by.ada });
    await sendDue();
    expect(server.mails.map(({ text }) => text.split('\n')[0])).toEqual([
      'Bob Brown has written a comment on your request.',
      'Cy Clark has granted your request.',
    ]);
    expect(server.receivers()).toEqual([ada.email, ada.email]);
    expect(await rows()).toEqual([]);
    // Without a mail server there are none.
    const sealed = createSealedTexts('k'.repeat(64), 'requests for approvals');
    const others = new StoredApprovals({ store, sealed, clock: time.clock, adminLog });
    await others.comment(asked, by.bob, 'Really?');
    expect(await rows()).toEqual([]);
    expect((await approvals.find(environment.id, own.id))?.state).toBe('withdrawn');
  });

  it('go to who may grant it with its records, who asked among them, and by role where no agent says who that is', async () => {
    const { approvals, server, sendDue, ask, by, approvers, environment, time } = await open();
    approvers.add(by.ada.user.id);
    await ask('4', [by.ada.user.id, by.cy.user.id]);
    await sendDue();
    expect(server.receivers().sort()).toEqual([ada.email, cy.email]);
    await ask('5', []);
    await sendDue();
    expect(server.receivers()).toEqual([]);
    // The records are not all: a role that is gone by then may not grant it.
    await ask('6', [by.bob.user.id, by.cy.user.id]);
    approvers.delete(by.bob.user.id);
    await sendDue();
    expect(server.receivers()).toEqual([cy.email]);
    approvers.delete(by.ada.user.id);
    const { id } = await ask('7', null);
    await sendDue();
    expect(server.receivers()).toEqual([]);
    time.pass(minuteMs);
    await sendDue();
    expect(server.receivers()).toEqual([cy.email]);
    // Later it is too late.
    await approvals.setApprovers(environment.id, id, [by.cy.user.id]);
    await sendDue();
    expect(server.receivers()).toEqual([]);
  });

  it('wait for a server that is away, across a restart, and for a day at most', async () => {
    const { store, server, sendDue, start, ask, rows, time, logged } = await open();
    await ask();
    server.leave();
    await sendDue();
    expect(logged).toEqual([{ message: 'It is away.', next: 'Start it.' }]);
    await sendDue();
    expect(logged).toHaveLength(1);
    time.pass(minuteMs);
    server.leave(false);
    await start(store).sendDue();
    expect(server.receivers()).toEqual([bob.email, cy.email]);

    await ask('5');
    server.leave();
    for (let minute = 0; minute < 25 * 60; minute += 5) {
      await sendDue();
      time.pass(5 * minuteMs);
    }
    expect(logged.filter((line) => JSON.stringify(line).includes('It is away'))).toHaveLength(8);
    expect(logged.filter((line) => JSON.stringify(line).includes('was given up'))).toHaveLength(2);
    expect(await rows()).toEqual([]);
  });

  it('are tried again, or given up, as the server answers, and never sent twice', async () => {
    const { store, start, server, sendDue, ask, time, logged } = await open();
    await ask();
    server.answer({ state: 'later', reason: 'EENVELOPE 451' }, { state: 'refused', reason: 'EENVELOPE 550' });
    await sendDue();
    await sendDue();
    expect(server.receivers()).toEqual([bob.email, cy.email]);
    expect(logged).toMatchObject([{ event: 'asked', domain: 'example.test', reason: 'EENVELOPE 550' }]);
    time.pass(minuteMs);
    await sendDue();
    expect(server.receivers()).toEqual([bob.email]);
    await ask('5');
    server.answer({ state: 'unknown', reason: 'ETIMEDOUT' });
    await sendDue();
    await sendDue();
    expect(server.receivers()).toEqual([bob.email, cy.email]);
    expect(logged).toMatchObject([{}, { reason: 'ETIMEDOUT' }]);
    // The process ends with a mail at the server, which may have taken it.
    await ask('6');
    server.endWith(new Error('The process ends.'));
    await expect(sendDue()).rejects.toThrow('The process ends.');
    await start(store).sendDue();
    expect(server.receivers()).toEqual([bob.email, cy.email]);
    expect(logged).toMatchObject([{}, {}, { reason: 'the platform ended while it was sent' }]);
  });

  it('are dropped once nobody needs them, and for who has lost the right or wants none', async () => {
    const { store, approvals, server, sendDue, ask, rows, by, approvers, environment, time } = await open();
    const answered = await ask();
    server.leave();
    await sendDue();
    await approvals.decide(answered, { state: 'refused', author: by.bob });
    await ask('5');
    await sendDue();
    approvers.delete(by.bob.user.id);
    await store.transaction(async ({ db }) => {
      const document = JSON.stringify({ approvalMails: false });
      const row = { projectId: environment.projectId, revision: 1, document };
      await db
        .insertInto('preferences')
        .values({ userId: by.ada.user.id, ...row })
        .execute();
    });
    server.leave(false);
    time.pass(minuteMs);
    await sendDue();
    expect(server.receivers()).toEqual([cy.email]);
    expect(await rows()).toEqual([]);
  });
});

const approverRole = 7;

function documentFor(): EnvironmentPermissions {
  const right = { roles: [approverRole] };
  const rights = { triggerEnabled: true, userApprovalEnabled: right, selfApprovalEnabled: right };
  return { collections: { orders: { actions: { Refund: rights } } } } as unknown as EnvironmentPermissions;
}

function userOf(
  { id, email, ...names }: { id: number; email: string; firstName: string; lastName: string },
  isApprover: boolean,
): PlatformUser {
  const fullName = `${names.firstName} ${names.lastName}`;
  const role = { roleId: isApprover ? approverRole : 1, permissionLevel: 'user' as const };
  return { id, email, ...names, fullName, ...role, tags: {} };
}
