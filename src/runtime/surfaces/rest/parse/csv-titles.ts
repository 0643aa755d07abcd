import { invalidRequest } from '#kernel/errors/request-errors';

/** The titles of the columns of a file: a comma list, or a JSON array of texts, one for each column. */
export function parseTitles(header: string | undefined, columns: number): readonly string[] {
  if (header === undefined || header === '') throw unusable('is missing', columns);
  const titles = header.trimStart().startsWith('[') ? parseArray(header, columns) : header.split(',');
  if (titles.length !== columns) throw unusable(`has ${titles.length} titles for ${columns} columns`, columns);
  return titles;
}

function parseArray(header: string, columns: number): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(header);
    if (Array.isArray(parsed) && parsed.every((title) => typeof title === 'string')) return parsed;
  } catch {
    // The check below refuses it, like anything that is no list of texts.
  }
  throw unusable('is no list of texts', columns);
}

function unusable(problem: string, columns: number) {
  return invalidRequest(`The parameter "header" ${problem}.`, `Send ${columns} titles, separated by commas.`);
}
