import type { Approval, ApprovalContent } from '#contracts/approvals';
import type { GrantedApproval, ListedApprovals } from '#flows/approvals/answer-requests';
import { renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { renderAction } from './render-run.ts';

export function renderApprovals({ environment, approvals }: ListedApprovals, terminal: Terminal): string {
  if (approvals.length === 0)
    return `There is no request for an approval in ${environment} that you have made or may decide on.`;
  const rows = approvals.map((approval) => [
    String(approval.id),
    approval.person.email,
    approval.action,
    `${approval.records} of ${approval.collection}`,
    approval.mayDecide ? 'asked, yours to decide' : stateOf(approval),
    minuteOf(approval.askedAt),
    approval.comments.at(-1)?.text ?? '',
  ]);
  return renderTable(['ID', 'E-MAIL', 'ACTION', 'RECORDS', 'STATE', 'ASKED (UTC)', 'COMMENT'], rows, terminal);
}

/** What became of one request. */
export function renderApproval(approval: Approval, { resultStyle: style }: Terminal): string {
  const { id, person, action, collection, comments } = approval;
  const what = `The request ${id} of ${style.bold(singleLine(person.email))} to run ${style.bold(singleLine(action))} on ${collection}`;
  const said = comments.map((each) => `  ${each.person.email}: ${singleLine(each.text)}`);
  return [`${style.green('✔')} ${what}: ${stateOf(approval)}.`, ...said].join('\n');
}

/** Form values, records, what keeps the request from being granted, and what the action has answered. */
export function renderApprovalContent(content: ApprovalContent): string {
  const { collection, action, values, records, problem } = content;
  const lines = Object.entries(values).map(([name, value]) => `  ${name}: ${textOf(value)}`);
  const shown = records.map(
    ({ id, values: of }) =>
      `  ${id}: ${Object.entries(of)
        .map(([name, value]) => `${name} ${textOf(value)}`)
        .join(', ')}`,
  );
  return [
    singleLine(`${action} on ${collection}`),
    ...(lines.length > 0 ? ['', 'Form', ...lines] : []),
    ...(shown.length > 0 ? ['', 'Records, as they were when somebody asked', ...shown] : []),
    ...(problem === null ? [] : ['', problem]),
    ...resultLines(content),
  ].join('\n');
}

function resultLines({ result, fileIsWith }: ApprovalContent): readonly string[] {
  if (!result) return [];
  const { type, message, html, isHtmlLeftOut, fileName = '', path } = result;
  const said = {
    success: message === undefined || message === '' ? 'Done.' : message,
    error: `It failed: ${message ?? ''}`,
    file: `The file ${fileName}${fileIsWith === undefined ? '' : `, which ${fileIsWith} has`}.`,
    redirect: `A way on: ${path ?? ''}`,
    webhook: 'A call of another server, for the browser of whoever granted the request.',
  }[type];
  return [
    ...['', 'Answer of the action', `  ${singleLine(said)}`],
    ...(html === undefined ? [] : [`  ${textOf(html)}`]),
    ...(isHtmlLeftOut ? ['  It answered with more HTML than is kept.'] : []),
  ];
}

function stateOf({ state, outcome, decidedBy }: Approval): string {
  const by = decidedBy && state !== 'withdrawn' ? ` by ${decidedBy.email}` : '';
  if (state !== 'granted') return `${state}${by}`;
  return `${state}${by}, ${outcome ?? 'not known how it ended'}`;
}

const longestValue = 200;

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const line = singleLine(text);
  return line.length > longestValue ? `${line.slice(0, longestValue)}…` : line;
}

function minuteOf(at: string): string {
  return at.slice(0, 16).replace('T', ' ');
}

/** What the action answered, once it was granted. A file is for who asked: the console gives it to them. */
export function renderGrantedApproval({ id, run }: GrantedApproval, terminal: Terminal): string {
  if (!run) return `The request ${id} still waits. Nothing ran.`;
  const { answer } = run;
  if (answer.type === 'file')
    return `${terminal.resultStyle.green('✔')} The action ran, and made the file ${answer.name}.`;
  return renderAction({ ...run, answer }, terminal);
}
