import type { PlatformUser } from '#contracts/permissions';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Mail, Mailer, MailSession } from '#kernel/ports/mailer';
import { fullNameOf } from '#kernel/text/full-name';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import { wantsApprovalMails } from '../preferences/preferences.ts';
import type { Store } from '../store/store.ts';
import type { ApprovalMailQueue, QueuedMail, UnaddressedMail } from './approval-mail-queue.ts';
import { approvalMailText } from './approval-mail-text.ts';
import type { ApprovalRepository } from './approval-repository.ts';
import type { ApprovalRecord } from './approval-rows.ts';
import { type ApprovalParts, approversOf } from './approval-service.ts';

export interface ApprovalMailParts extends Pick<ApprovalParts, 'permissions' | 'pageOf'> {
  readonly queue: ApprovalMailQueue;
  readonly approvals: Pick<ApprovalRepository, 'find'>;
  readonly identity: Pick<IdentityRepository, 'findEnvironment' | 'findMember' | 'findUser'>;
  readonly store: Store;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly logger: Logger;
}

const minuteMs = 60_000;
/** After each attempt that failed. After the last one the mail is given up. */
const pausesMs = [1, 5, 15, 60, 240, 720].map((minutes) => minutes * minuteMs);
const longestWaitMs = 24 * 60 * minuteMs;

/** Sends the mails that wait. One process of the platform does so at a time. */
export class ApprovalMails {
  readonly #parts: ApprovalMailParts;

  constructor(parts: ApprovalMailParts) {
    this.#parts = parts;
  }

  /** Warn whoever runs the platform at its start, and not when the first mail waits. */
  async checkServer(signal: AbortSignal): Promise<void> {
    await this.#open(signal).then((session) => session?.close());
  }

  /** Send what is due. The database is at work meanwhile only between two mails. */
  async sendDue(signal: AbortSignal): Promise<void> {
    const { queue, store } = this.#parts;
    if (!(await queue.isDue())) return;
    await store.exclusively('mails about approvals', async () => {
      // Nobody else sends now, so whoever handed these over has ended. A second mail would be worse than none: the console has the request.
      for (const mail of await queue.takeHanded()) this.#warn(mail, 'the platform ended while it was sent');
      for (const mail of await queue.unaddressed()) await this.#address(mail);
      await this.#deliver(signal);
    });
  }

  async #address(mail: UnaddressedMail): Promise<void> {
    const found = await this.#find(mail);
    const receivers = found ? await this.#receivers(found) : [];
    await this.#parts.queue.address(
      mail,
      receivers.map(({ id }) => id),
    );
  }

  async #deliver(signal: AbortSignal): Promise<void> {
    const { queue } = this.#parts;
    const due = await queue.due();
    let session: MailSession | undefined;
    try {
      for (const [place, queued] of due.entries()) {
        if (signal.aborted) return;
        const mail = await this.#mailOf(queued);
        if (!mail) {
          await queue.remove(queued);
          continue;
        }
        session ??= await this.#open(signal);
        if (!session) {
          for (const each of due.slice(place)) await this.#retry(each, 'the mail server is unusable');
          return;
        }
        await queue.hand(queued);
        const outcome = await session.send(mail);
        if (outcome.state === 'later') await this.#retry(queued, outcome.reason);
        else await queue.remove(queued);
        if (outcome.state === 'refused' || outcome.state === 'unknown') this.#warn(queued, outcome.reason, mail.to);
        if (outcome.state === 'unknown') return;
        if (outcome.state === 'sent') continue;
        // What was refused is half of a mail, to some servers.
        session.close();
        session = undefined;
      }
    } finally {
      session?.close();
    }
  }

  async #open(signal: AbortSignal): Promise<MailSession | undefined> {
    const { mailer, logger } = this.#parts;
    try {
      return await mailer.open(signal);
    } catch (error) {
      if (!isCloudError(error) || error.code !== 'MAIL_SERVER_UNUSABLE') throw error;
      if (!signal.aborted) logger.log('Warn', error.message, { next: error.nextSteps[0], ...error.safeDetails });
      return undefined;
    }
  }

  async #retry(mail: QueuedMail, reason: string): Promise<void> {
    const { queue, clock } = this.#parts;
    const pause = pausesMs[mail.attempts];
    const now = clock.now();
    if (pause !== undefined && now + pause < mail.queuedAt + longestWaitMs) return queue.postpone(mail, now + pause);
    await queue.remove(mail);
    this.#warn(mail, reason);
  }

  /** Of the address, the log has the domain. */
  #warn({ approvalId, event, userId }: QueuedMail, reason: string, address?: string): void {
    const domain = address?.slice(address.lastIndexOf('@') + 1);
    const facts = {
      approval: approvalId,
      event,
      personId: userId,
      ...(domain === undefined ? {} : { domain }),
      reason,
    };
    this.#parts.logger.log('Warn', 'A mail about a request for an approval was given up.', facts);
  }

  /** `undefined` for a mail that nobody needs any more, or that its receiver may not have any more. */
  async #mailOf(queued: QueuedMail): Promise<Mail | undefined> {
    const { identity, pageOf, clock } = this.#parts;
    if (clock.now() >= queued.queuedAt + longestWaitMs) return undefined;
    const found = await this.#find(queued);
    const receivers = found ? await this.#receivers(found) : [];
    const receiver = receivers.find(({ id }) => id === queued.userId);
    if (!found || !receiver) return undefined;
    const { record, environment, event } = found;
    const author = await identity.findUser(queued.authorId);
    const text = approvalMailText({
      ...{ event, request: record, environment, url: pageOf(environment, record.id) },
      askedBy: fullNameOf(record.user),
      doneBy: author ? fullNameOf(author) : 'Somebody',
    });
    return { id: `approval-${record.id}.mail-${queued.id}`, to: receiver.email, ...text };
  }

  async #find({ environmentId, approvalId, event }: UnaddressedMail): Promise<FoundRequest | undefined> {
    const { approvals, identity } = this.#parts;
    const environment = await identity.findEnvironment(environmentId);
    const record = environment && (await approvals.find(environmentId, approvalId));
    return environment && record && { environment, record, event };
  }

  /** Who gets a mail about a request now. */
  async #receivers({ environment, record, event }: FoundRequest): Promise<readonly Receiver[]> {
    const { store, identity } = this.#parts;
    const { projectId } = environment;
    const known = await (event === 'asked' ? this.#approvers(environment, record) : askerOf(identity, record));
    const wanted = await Promise.all(known.map(({ id }) => wantsApprovalMails(store.db, id, projectId)));
    return known.filter((_, place) => wanted[place]);
  }

  async #approvers(environment: EnvironmentRecord, record: ApprovalRecord): Promise<readonly PlatformUser[]> {
    if (record.state !== 'asked') return [];
    const approvers = await approversOf(this.#parts.permissions, environment, record);
    return record.approvers ? approvers.filter(({ id }) => record.approvers?.includes(id)) : approvers;
  }
}

interface FoundRequest {
  readonly environment: EnvironmentRecord;
  readonly record: ApprovalRecord;
  readonly event: QueuedMail['event'];
}

interface Receiver {
  readonly id: number;
  readonly email: string;
}

/** Nobody, once they have left the project. */
async function askerOf(
  identity: Pick<IdentityRepository, 'findMember'>,
  { environment, user }: ApprovalRecord,
): Promise<readonly Receiver[]> {
  const member = await identity.findMember(environment.projectId, user.id);
  return member ? [member] : [];
}
