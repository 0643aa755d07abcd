import type { ExplainedQuery, ExplainedStep } from '#runtime/index';
import type { Terminal } from './terminal.ts';

const widest = 78;

/** The steps of a query, those of the agent with their reason and their bound, then the statement. */
export function renderExplained(result: ExplainedQuery, { resultStyle: style }: Terminal): string {
  const places = { database: style.green('database'), agent: style.yellow('agent   ') };
  const lines = result.steps.flatMap((step, index) => [
    ...wrapped(step.what, `${index + 1}. ${places[step.place]}  `, `${index + 1}. database  `.length),
    ...notes(step)
      .flatMap((note) => wrapped(note, '             ', 13))
      .map((line) => style.dim(line)),
  ]);
  const { statement } = result;
  if (!statement) return lines.join('\n');
  return [
    ...lines,
    '',
    style.bold('Statement'),
    ...wrapped(statement.sql, '  ', 2),
    '',
    style.bold('What the database does'),
    ...statement.steps.map((step) => `  ${step}`),
  ].join('\n');
}

function notes({ why, bound }: ExplainedStep): string[] {
  return [...(why === undefined ? [] : [`because ${why}`]), ...(bound === undefined ? [] : [`bound: ${bound}`])];
}

/** Words in lines that fit, the first after `lead`, which is `indent` characters wide on the screen. */
function wrapped(text: string, lead: string, indent: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + word.length >= widest) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line].map((part, index) => `${index === 0 ? lead : ' '.repeat(indent)}${part}`);
}
