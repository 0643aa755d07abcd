import type { ApprovalMailEvent } from '#contracts/approvals';
import type { Mail } from '#kernel/ports/mailer';

export interface ApprovalMailFacts {
  readonly event: ApprovalMailEvent;
  readonly request: {
    readonly id: number;
    readonly collection: string;
    readonly action: string;
    readonly records: number;
    /** Milliseconds since the epoch. */
    readonly lapsesAt: number;
  };
  readonly environment: { readonly name: string; readonly projectName: string };
  /** Names. */
  readonly askedBy: string;
  readonly doneBy: string;
  /** The page of the request. */
  readonly url: string;
}

/** What a mail says of a request: names and numbers. Values and comments are in the console, for who may see them there. */
export function approvalMailText(facts: ApprovalMailFacts): Pick<Mail, 'subject' | 'text'> {
  const { event, environment, url } = facts;
  const { id, lapsesAt, records } = facts.request;
  const action = oneLine(facts.request.action);
  const collection = oneLine(facts.request.collection);
  const names = { asked: oneLine(facts.askedBy), done: oneLine(facts.doneBy) };
  const [what, sentence] = {
    asked: ['waits for an approval', `${names.asked} asks for an approval.`],
    granted: ['was granted', `${names.done} has granted your request.`],
    refused: ['was refused', `${names.done} has refused your request.`],
    commented: ['has a comment', `${names.done} has written a comment on your request.`],
  }[event];
  const why =
    event === 'asked'
      ? `The request lapses on ${new Date(lapsesAt).toISOString().slice(0, 10)}. You get this mail because you may grant it.`
      : 'You get this mail because you have asked for the approval.';
  const lines = [
    sentence,
    '',
    `Request ${id}: the action "${action}" of "${collection}"${countOf(records)}`,
    `Asked by: ${names.asked}`,
    `Environment: ${oneLine(environment.name)} of ${oneLine(environment.projectName)}`,
    '',
    event === 'asked' ? 'Read and answer it in the console:' : 'Read more in the console:',
    url,
    '',
    why,
    'You can switch these mails off in the settings of the console.',
    '',
  ];
  return { subject: `Request ${id} ${what}: ${action} of ${collection}`, text: lines.join('\n') };
}

function countOf(records: number): string {
  if (records === 0) return '';
  return records === 1 ? ', 1 record' : `, ${records} records`;
}

const longestName = 100;

/** A name without what would break a line, or turn its direction. */
function oneLine(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();
  return plain.length > longestName ? `${plain.slice(0, longestName)}…` : plain;
}
