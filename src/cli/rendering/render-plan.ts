import type { VariablePlan } from '#flows/deployments/variables-of-deployment';
import type { CodePlan, Plan } from '#flows/plan/plan';
import { singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { renderSizes, sizeText } from './render-deployments.ts';
import { renderSchemaChange } from './render-project.ts';

type Style = Terminal['style'];

/** What a push would change, part by part; the id last, where it is copied from. */
export function renderPlan(plan: Plan, { resultStyle: style }: Terminal): string {
  const { environment, live, isUnchanged } = plan;
  const base = live ? `version ${live.version} (deployment ${live.deployment})` : 'nothing';
  if (isUnchanged) {
    return [`${style.green('✔')} ${environment} serves this already: ${base}.`, ...rightsLines(plan, style)].join('\n');
  }
  return [
    `${style.bold(`Plan for ${plan.project} in ${environment}`)}, which serves ${base} now`,
    ...codeLines(plan.code, style),
    ...dashboardLines(plan, style),
    ...section('Schema', schemaLines(plan.schema, style), style),
    ...section('Variables', variableLines(plan.variables, style), style),
    ...rightsLines(plan, style),
    '',
    ...(plan.isBreaking ? [style.yellow('! Some changes may break what others rely on.')] : []),
    `Do this and nothing else: vendor-cloud push --env ${environment} --plan ${plan.id}`,
  ].join('\n');
}

function codeLines({ isChanged, before, after, packages }: CodePlan, style: Style): readonly string[] {
  const described = ({ digest, sizeBytes, gitCommit }: CodePlan['after']) =>
    `${digest.slice(0, 12)}, ${sizeText(sizeBytes)}${gitCommit ? `, commit ${gitCommit.slice(0, 8)}` : ''}`;
  const line = isChanged ? `${before ? `${described(before)} → ` : ''}${described(after)}` : 'The code is the same.';
  return section('Code', isChanged ? [line, ...renderSizes(packages)] : [line], style);
}

function dashboardLines({ dashboards }: Plan, style: Style): readonly string[] {
  if (dashboards.length === 0) return [];
  const lines = dashboards.map(({ title, charts }) => `${singleLine(title)}, charts: ${charts.length}`);
  return section('Dashboards that come with the code', lines, style);
}

function schemaLines(changes: Plan['schema'], style: Style): readonly string[] {
  if (!changes) return ['It is not known: no agent of the environment has told what it publishes.'];
  if (changes.length === 0) return ['No change.'];
  return changes.map((change) => renderSchemaChange(change, style));
}

function variableLines(variables: VariablePlan | null, style: Style): readonly string[] {
  if (!variables) return ['You may not see those of the environment.'];
  const { before, after, added, removed, missing } = variables;
  const values = before !== null && before !== after ? [`Revision ${before} → ${after}; values may have changed.`] : [];
  const lines = [
    ...added.map((name) => style.green(`+ ${name}`)),
    ...removed.map((name) => `${style.red(`- ${name}`)} ${style.yellow('(breaking)')}`),
    ...values,
    ...missing.map((name) => style.yellow(`! ${name} is not set: every host must bring it along.`)),
  ];
  return lines.length > 0 ? lines : ['No change.'];
}

function rightsLines({ rights, environment }: Plan, style: Style): readonly string[] {
  if (!rights || rights.removed.length + rights.added.length === 0) return [];
  return section(
    'Rights, which a push leaves as they are',
    [
      ...rights.removed.map((sentence) => style.red(`- ${singleLine(sentence)}`)),
      ...rights.added.map((sentence) => style.green(`+ ${singleLine(sentence)}`)),
      `Give them: vendor-cloud permissions apply --env ${environment}`,
    ],
    style,
  );
}

function section(title: string, lines: readonly string[], style: Style): readonly string[] {
  return ['', style.bold(title), ...lines.map((line) => `  ${line}`)];
}
