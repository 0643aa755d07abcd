import type { ExplainedQuery, ExplainedStep } from '#runtime/index';
import type { Terminal } from './terminal.ts';
import { wrapWords } from './wrap-words.ts';

/** The steps of a query, those of the agent with their reason and their bound, then the statement. */
export function renderExplained(result: ExplainedQuery, { resultStyle: style }: Terminal): string {
  const places = { database: style.green('database'), agent: style.yellow('agent   ') };
  const lines = result.steps.flatMap((step, index) => [
    ...wrapWords(step.what, `${index + 1}. ${places[step.place]}  `, `${index + 1}. database  `.length),
    ...notes(step)
      .flatMap((note) => wrapWords(note, '             ', 13))
      .map((line) => style.dim(line)),
  ]);
  const { statement } = result;
  if (!statement) return lines.join('\n');
  return [
    ...lines,
    '',
    style.bold('Statement'),
    ...wrapWords(statement.sql, '  ', 2),
    '',
    style.bold('What the database does'),
    ...statement.steps.map((step) => `  ${step}`),
  ].join('\n');
}

function notes({ why, bound }: ExplainedStep): string[] {
  return [...(why === undefined ? [] : [`because ${why}`]), ...(bound === undefined ? [] : [`bound: ${bound}`])];
}
