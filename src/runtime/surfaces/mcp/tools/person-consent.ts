import { type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import type { AskPreview, McpMark } from '#contracts/mcp-marks';
import { safeText } from '../../../activity/activity-entries.ts';
import { personRequired } from '../marks/session-marks.ts';
import { visibleJson } from '../render/answer-text.ts';
import { declined } from '../safeguards/confirmations.ts';
import type { CallSubject } from '../safeguards/first-use.ts';
import { questionName } from './confirm-call.ts';
import type { Preview } from './preview.ts';
import { type CallToCarryOut, reported } from './reported-call.ts';

/** What the person of a marked session has said, or the question that the client puts to them. */
export type Consent = { readonly question: InputRequiredResult } | Agreed;

interface Agreed {
  readonly by: 'client' | 'platform';
  /** To be called right before the call is carried out. Rejects where the yes was used, or is for something else. */
  redeem(preview: Preview): Promise<void>;
}

/**
 * The yes of the person to a call of a session that has read what people outside can write. It comes by the form of the client, else by the
 * platform: by nothing that the assistant can send. Rejects with `MCP_PERSON_REQUIRED`, `MCP_CONFIRMATION_…`, `MCP_MARK_UNAVAILABLE`.
 */
export async function consentTo(
  received: CallToCarryOut,
  subject: CallSubject,
  mark: McpMark,
  preview: Preview,
): Promise<Consent> {
  const { dialogue, safeguards, session } = received;
  const { confirmations, marks } = safeguards;
  const { confirmation, reply, canAsk } = dialogue;
  const question = { subject, by: 'person' } as const;
  if (canAsk && confirmation !== undefined && reply !== undefined) {
    const opened = await confirmations.open(confirmation, question);
    if (reply === 'no') await reportDeclined(received);
    return { by: 'client', redeem: (now) => opened.redeem(markedPreview(now)) };
  }
  if (canAsk) {
    const { token } = await confirmations.make(question, markedPreview(preview));
    return { question: asked(markQuestion(preview, subject, mark), token) };
  }
  const shown = previewOf(preview, subject);
  const state = await marks.ask(session, subject, shown);
  if (state.answer === null) throw personRequired(state);
  if (state.answer === 'no') await reportDeclined(received);
  return {
    by: 'platform',
    redeem: async (now) => {
      if (!(await marks.useYes(session, subject, previewOf(now, subject)))) throw personRequired(state);
    },
  };
}

/** A call that the person has declined is reported as one that failed. */
async function reportDeclined(received: CallToCarryOut): Promise<never> {
  await reported(received, () => Promise.reject(declined()));
  throw declined();
}

/** An answer to a question that did not say what was read does not count here. */
function markedPreview(preview: Preview) {
  return { marked: true, preview };
}

function asked(message: string, requestState: string): InputRequiredResult {
  const requestedSchema = {
    type: 'object' as const,
    properties: { confirm: { type: 'boolean' as const, title: 'Do it' } },
    required: ['confirm'],
  };
  return inputRequired({
    inputRequests: { [questionName]: inputRequired.elicit({ message, requestedSchema }) },
    requestState,
  });
}

const shownReads = 5;

/** What will be done, and what was read. It goes through the client, so it repeats nothing of that text. */
function markQuestion(preview: Preview, subject: CallSubject, { reads, readCount, markedAt }: McpMark): string {
  const { message, sample, details } = previewOf(preview, subject);
  const records = sample.map(({ id, label }) => visibleJson(label === undefined ? id : `${id}: ${label}`));
  const values = details.map(({ name, value }) => `${name}: ${visibleJson(value)}`);
  const places = reads
    .slice(0, shownReads)
    .map(({ collection, recordId, field }) =>
      visibleJson(`${collection} ${recordId ?? ''} ${field}`.replace('  ', ' ')),
    );
  const more = readCount > shownReads ? ` and ${readCount - shownReads} more` : '';
  return [
    message,
    ...(records.length > 0 ? [`Records: ${records.join(', ')}.`] : []),
    ...(values.length > 0 ? [`Values: ${values.join(', ')}.`] : []),
    `Since ${markedAt} this assistant has read text that people outside can write: ${places.join(', ')}${more}. Such a text may have told it to do this.`,
  ].join('\n');
}

const longestValue = 500;
const most = 50;

function previewOf({ message, count, sample }: Preview, { given }: CallSubject): AskPreview {
  const values = valuesIn(given).map(([name, value]) => ({ name: safeText(name, 255), value: shownValue(value) }));
  const more = values.length - most;
  const rest = { name: '…', value: `${more} more values, which are not shown here` };
  return {
    message: safeText(message, 1_000),
    count,
    sample: sample.map(({ id, label }) => ({
      id: safeText(id, 512),
      ...(label === undefined ? {} : { label: safeText(label, 255) }),
    })),
    details: more > 0 ? [...values.slice(0, most), rest] : values,
  };
}

/** Whoever agrees to a part of a value has to know that it is a part. */
function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= longestValue) return safeText(text, longestValue);
  return `${safeText(text, longestValue)}… (${text.length} characters)`;
}

/** What the message and the records of a preview say already. */
const saidElsewhere: ReadonlySet<string> = new Set([
  ...['collectionName', 'relationName', 'actionName', 'chartName', 'recordId', 'recordIds', 'attributes', 'values'],
]);

/** What a call would write or give to an action, and what else it was told. */
function valuesIn(given: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  const sent = given['attributes'] ?? given['values'] ?? {};
  const read: unknown = typeof sent === 'string' ? JSON.parse(sent) : sent;
  const others = Object.entries(given).filter(([name, value]) => !saidElsewhere.has(name) && value !== undefined);
  return [...others, ...Object.entries(read as Readonly<Record<string, unknown>>)];
}
