import path from 'node:path';
import { type BuiltDashboard, dashboardFileSchema } from '#contracts/dashboards';
import { formatProblems, placeInWords } from '#contracts/permission-problems';
import { dashboardFolder } from '#contracts/project-config';
import { type CloudError, cloudError, type SourceLocation } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import { codeFrame } from './code-frame.ts';
import { placeInJson, readJson } from './json-file.ts';

/** Read the dashboards of a project. Rejects with `DASHBOARD_INVALID` for a file of another format; names of the model are not looked at. */
export async function readDashboards(fs: FileSystem, files: readonly string[]): Promise<readonly BuiltDashboard[]> {
  const dashboards = await Promise.all(files.map((file) => readDashboard(fs, file)));
  return dashboards.filter((dashboard) => dashboard !== undefined);
}

async function readDashboard(fs: FileSystem, file: string): Promise<BuiltDashboard | undefined> {
  const text = await fs.readText(file);
  // It was removed after the folder was read.
  if (text === null) return undefined;
  const name = path.basename(file, '.json');
  const reading = readJson(file, text);
  if ('problem' in reading) throw invalid(`${nameOf(file)} is not JSON: ${reading.problem}.`, reading.location, text);
  const parsed = dashboardFileSchema.safeParse(reading.value);
  if (parsed.success) {
    const { title, charts } = parsed.data;
    return { name, title, charts, lines: charts.map((_, index) => placeInJson(file, text, ['charts', index]).line) };
  }
  const [first = { place: [], message: parsed.error.message }] = parsed.error.issues.flatMap((issue) =>
    formatProblems(issue, [], knownWords),
  );
  const message = `${nameOf(file)} is not valid. ${placeInWords(first.place)}: ${first.message}`;
  throw invalid(message, placeInJson(file, text, first.place), text);
}

/** Every word that the format has a meaning for. */
const knownWords = [
  ...['title', 'charts', 'chart', 'collection', 'type', 'aggregator', 'aggregateFieldName', 'filter', 'objective'],
  ...['groupByFieldName', 'timeRange', 'labelFieldName', 'relationshipFieldName', 'limit'],
  ...['conditions', 'field', 'operator', 'value'],
];

function nameOf(file: string): string {
  return `${dashboardFolder}/${path.basename(file)}`;
}

function invalid(message: string, location: SourceLocation, text: string): CloudError {
  return cloudError(
    'DASHBOARD_INVALID',
    message,
    'Correct the place shown; the format is in docs/actions-and-charts.md.',
    {
      location: { ...location, frame: codeFrame(text, location.line, location.column ?? 1) },
    },
  );
}
