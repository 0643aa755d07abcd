import type { KeptRead, ListedAsk, ListedMark } from '#contracts/mcp-marks';
import { escaped, renderPage } from '#node/http/html-page';

/** A marked session, and the environment that it works in. */
export interface MarkOnPage {
  readonly project: string;
  readonly environmentId: number;
  readonly mark: ListedMark;
}

/** The page on which people see what their assistants have read, and answer what these ask. */
export interface AssistantsPage {
  readonly marks: readonly MarkOnPage[];
  /** Every form carries it. */
  readonly formToken: string;
}

export const assistantsPagePath = '/settings/assistants';

export function renderAssistantsPage(page: AssistantsPage): string {
  const { marks } = page;
  const introduction =
    marks.length === 0
      ? '<p>None of your assistants waits for you. An assistant asks here once it has read text that people outside can write.</p>'
      : '<p>These assistants have read text that people outside can write. Such a text may tell an assistant what to do. So they ask you before they change anything.</p>';
  return renderPage({
    title: 'Your assistants',
    html: [
      introduction,
      ...marks.map((mark) => markSection(mark, page)),
      '<p><a href="/oidc/session/end">Sign out of the platform</a></p>',
    ].join('\n'),
  });
}

function markSection({ project, environmentId, mark }: MarkOnPage, page: AssistantsPage): string {
  const { id, environment, asks, reads, readCount, markedAt } = mark;
  const label = escaped(nameOf(mark));
  const more = readCount > reads.length ? `<li>and ${readCount - reads.length} more</li>` : '';
  const target = { environment: String(environmentId), formToken: page.formToken };
  return `<section aria-labelledby="mark-${id}">
<h2 id="mark-${id}">${label}</h2>
<p class="hint">${escaped(project)}, ${escaped(environment)}</p>
${asks.map((ask) => askArticle(ask, target)).join('\n')}
<p>It has read since ${timeOf(markedAt)}:</p>
<ul>${reads.map((read) => `<li>${escaped(readInWords(read))} <span class="hint">${timeOf(read.readAt)}</span></li>`).join('')}${more}</ul>
${form({ ...target, do: 'clear', id: String(id) }, 'It may go on without asking', ' class="second"')}
</section>`;
}

function nameOf({ client, clientName }: ListedMark): string {
  if (client === '') return 'Programs with a token of yours';
  return clientName ?? client;
}

/** In UTC, to the minute. */
function timeOf(time: string): string {
  return `<time datetime="${time}">${time.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

function readInWords({ collection, recordId, field }: KeptRead): string {
  return recordId === null ? `${collection}: ${field}` : `${collection} ${recordId}: ${field}`;
}

function askArticle({ id, preview, answer }: ListedAsk, target: Readonly<Record<string, string>>): string {
  const { message, count, sample, details } = preview;
  const records = sample.map(
    ({ id: record, label }) => `<li>${escaped(label === undefined ? record : `${record}: ${label}`)}</li>`,
  );
  const others = count > sample.length && sample.length > 0 ? `<li>and ${count - sample.length} more</li>` : '';
  const values = details.map(({ name, value }) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`);
  const forms =
    answer === null
      ? [
          form({ ...target, do: 'yes', id }, 'Yes, do it', ` aria-describedby="ask-${id}"`),
          form({ ...target, do: 'no', id }, 'No', ` class="second" aria-describedby="ask-${id}"`),
        ].join('\n')
      : `<p>You said ${answer}. The assistant has to make its call again.</p>`;
  return `<article aria-labelledby="ask-${id}">
<p id="ask-${id}"><strong>${escaped(message)}</strong></p>
${records.length > 0 ? `<ul>${records.join('')}${others}</ul>` : ''}
${values.length > 0 ? `<dl>${values.join('')}</dl>` : ''}
${forms}
</article>`;
}

function form(fields: Readonly<Record<string, string>>, text: string, style: string): string {
  const hidden = Object.entries(fields).map(
    ([name, value]) => `  <input type="hidden" name="${name}" value="${escaped(value)}">`,
  );
  return `<form method="post" action="${assistantsPagePath}">
${hidden.join('\n')}
  <button${style}>${text}</button>
</form>`;
}
