import type { MeasuredQuery, MissingIndex } from '#contracts/insights';
import type { ReadInsights } from '#flows/insights/read-insights';
import { renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-text.ts';
import { unjudgedLines } from './render-permissions.ts';

/** Queries that are shown; the JSON has all of them. */
const mostQueries = 20;

/** What took the time, what would take less, and what nobody uses. */
export function renderInsights(insights: ReadInsights, terminal: Terminal): string {
  const { resultStyle: style } = terminal;
  const { queries, indexes, since, calls, otherCalls, agentUrl, file } = insights;
  const wasteful = queries.filter(({ readsMuch }) => readsMuch);
  const missing = indexes.flatMap((index) => indexLines(index, terminal));
  const parts = [
    [
      `${singleLine(agentUrl)} has counted ${calls === 1 ? '1 call' : `${calls} calls`} since ${minuteOf(since)} UTC.`,
      ...workerLines(insights),
    ].join('\n'),
    section('Slow and frequent queries', queryTable(queries, terminal), style),
    section('Queries that read much to show little', queryTable(wasteful, terminal), style),
    section('Missing indexes', missing, style),
    section('What no request has used', unusedLines(insights), style),
    section('Rights that nobody needs', rightsLines(insights), style),
  ];
  if (otherCalls > 0) parts.push(`${otherCalls} calls had shapes that were too many to keep apart.`);
  if (file !== null) parts.push(`${style.green('✔')} ${singleLine(file)} has the slow queries.`);
  return parts.join('\n\n');
}

/** What the counts of several workers lack. */
function workerLines({ workers, since }: ReadInsights): readonly string[] {
  if (!workers || workers.count < 2) return [];
  const { count, answered, allSince } = workers;
  return [
    `The counts are those of ${answered === count ? 'all' : `${answered} of`} ${count} workers of the host.`,
    ...(allSince === since
      ? []
      : [
          `One of them began at ${minuteOf(allSince)} UTC, so earlier calls may be missing. What is unused counts from then on.`,
        ]),
  ];
}

function minuteOf(at: string): string {
  return at.slice(0, 16).replace('T', ' ');
}

type Style = Terminal['resultStyle'];

function section(title: string, lines: readonly string[], style: Style): string {
  return [style.bold(title), ...(lines.length > 0 ? lines : [style.dim('  None.')])].join('\n');
}

/** The widest column is the last one, which a narrow terminal cuts. */
function queryTable(queries: readonly MeasuredQuery[], terminal: Terminal): readonly string[] {
  if (queries.length === 0) return [];
  const { resultStyle: style } = terminal;
  const shown = queries.slice(0, mostQueries);
  const rows = shown.map(({ calls, medianMs, p95Ms, read, shown: records, id, isSlow, failed }) => [
    String(calls),
    inMs(medianMs),
    inMs(p95Ms),
    `${read}/${records}`,
    `${isSlow ? 'SLOW ' : ''}${failed > 0 ? `${failed} FAILED ` : ''}${id}`,
  ]);
  const more = queries.length - shown.length;
  return [
    renderTable(['CALLS', 'MEDIAN', 'P95', 'READ/SHOWN', 'QUERY'], rows, terminal),
    ...(more > 0 ? [style.dim(`and ${more} more: --json`)] : []),
  ];
}

function inMs(ms: number): string {
  return `${ms < 10 ? ms : Math.round(ms)} ms`;
}

/** The statement stands by itself, so that it can be copied. */
function indexLines(
  { statement, queries, estimate, note, plan }: MissingIndex,
  { resultStyle: style }: Terminal,
): string[] {
  return [
    statement,
    ...queries.flatMap((id) => wrapWords(singleLine(id), '  for ', 6)),
    ...(estimate
      ? [`  The planner estimates a cost of ${estimate.costThen} with it, and of ${estimate.costNow} now.`]
      : []),
    ...(note === null ? [] : wrapWords(note, '  ', 2)),
    ...plan.map((step) => style.dim(`  ${singleLine(step)}`)),
  ];
}

function unusedLines({ unused: { collections, fields, customizations } }: ReadInsights): string[] {
  const byCollection = Map.groupBy(fields, ({ collection }) => collection);
  return [
    ...(collections.length > 0 ? wrapWords(`collections: ${collections.map(singleLine).join(', ')}`, '  ', 4) : []),
    ...[...byCollection].flatMap(([collection, unused]) =>
      wrapWords(
        `fields of ${singleLine(collection)}: ${unused.map(({ name }) => singleLine(name)).join(', ')}`,
        '  ',
        4,
      ),
    ),
    ...customizations.flatMap(({ kind, collection, name }) =>
      wrapWords(`${kind} "${singleLine(name)}"${collection === null ? '' : ` of ${singleLine(collection)}`}`, '  ', 4),
    ),
  ];
}

function rightsLines({ unneededRights }: ReadInsights): string[] {
  if ('note' in unneededRights) return wrapWords(unneededRights.note, '  ', 2);
  const { days, sentences, unjudged, logSince } = unneededRights;
  const early = unjudged.length > 0 ? unjudgedLines(unjudged, logSince) : [];
  return [
    ...sentences.flatMap((sentence) => wrapWords(singleLine(sentence), '  - ', 4)),
    ...(sentences.length > 0 ? [`  Nobody used these in ${days} days. See: vendor-cloud permissions suggest`] : []),
    ...early.flatMap((line) => wrapWords(line, '  ', 4)),
  ];
}
