import * as z from 'zod';
import { conditionSchema } from './condition.ts';
import { keptText } from './kept-text.ts';

const name = keptText.min(1);

const agentChartSchema = z.strictObject({
  title: name.optional().describe('Default: the name of the chart.'),
  chart: name.describe('The name of a chart that the code adds to the agent.'),
});

const recordChartSchema = z.strictObject({
  title: name,
  collection: name.describe('The collection whose records are counted.'),
  type: z.enum(['Value', 'Objective', 'Pie', 'Line', 'Leaderboard']),
  aggregator: z.enum(['Count', 'Sum', 'Avg', 'Min', 'Max']),
  aggregateFieldName: name.optional().describe('What is added up. "Count" counts records, and takes no field.'),
  filter: conditionSchema.optional().describe('The records that count; all of them without it.'),
  objective: z.number().optional().describe('The number that an "Objective" is compared with.'),
  groupByFieldName: name.optional().describe('For "Pie" and "Line".'),
  timeRange: z.enum(['Day', 'Week', 'Month', 'Quarter', 'Year']).optional().describe('For "Line".'),
  labelFieldName: name.optional().describe('For "Leaderboard": the field that names a record.'),
  relationshipFieldName: name.optional().describe('For "Leaderboard": the relation whose records are measured.'),
  limit: z.int().min(1).max(1000).optional().describe('For "Leaderboard": how many records. Default 10.'),
});

/** In the rights a chart may go without a title. */
const listedChartSchema = recordChartSchema.extend({ title: keptText });

const chartSchema = z.union([agentChartSchema, recordChartSchema]);

/** `dashboards/<name>.json`: a title, and charts in their order. */
export const dashboardFileSchema = z.strictObject({
  $schema: z.string().optional().describe('Where editors find this schema.'),
  title: name,
  charts: z.array(chartSchema).min(1),
});

export type RecordChart = z.infer<typeof recordChartSchema>;
export type DashboardChart = z.infer<typeof chartSchema>;

/** The charts over records that the rights list for somebody. */
export interface ListedCharts {
  readonly charts: readonly RecordChart[];
}

/** A chart over records that the rights define; `undefined` for one of another kind. */
export function recordChartOf({
  name: title,
  sourceCollectionName: collection,
  ...rest
}: Readonly<Record<string, unknown>>) {
  return listedChartSchema.safeParse({ title: title ?? '', collection, ...rest }).data;
}

/** A dashboard as the built code carries it. */
export interface BuiltDashboard {
  /** The name of its file without the ending. */
  readonly name: string;
  readonly title: string;
  readonly charts: readonly DashboardChart[];
  /** The line of the file that each chart begins in. */
  readonly lines: readonly number[];
}

const beginning = '\n//# dashboards=';
const sourceMap = '\n//# sourceMappingURL=';

/**
 * Built code with the dashboards of its project in a comment before its source map, which moves no line of it. They travel, swap and
 * roll back with the code then.
 */
export function withDashboards(code: string, dashboards: readonly BuiltDashboard[]): string {
  if (dashboards.length === 0) return code;
  // Two characters end a line of code and may be in JSON.
  const json = JSON.stringify(dashboards).replace(/[\u2028\u2029]/g, (end) =>
    end === '\u2028' ? '\\u2028' : '\\u2029',
  );
  const end = endOf(code);
  return code.slice(0, end) + beginning + json + code.slice(end);
}

/** The dashboards that built code carries. */
export function dashboardsOf(code: string): readonly BuiltDashboard[] {
  const end = endOf(code);
  const start = code.lastIndexOf('\n', end - 1);
  if (start === -1 || !code.startsWith(beginning, start)) return [];
  return JSON.parse(code.slice(start + beginning.length, end)) as BuiltDashboard[];
}

function endOf(code: string): number {
  const end = code.lastIndexOf(sourceMap);
  return end === -1 ? code.length : end;
}
