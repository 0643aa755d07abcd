import type {
  ExplainedAction,
  ExplainedField,
  ExplainedPath,
  ExplainedPermissions,
  ExplainedQuery,
  ExplainedStep,
  Verdict,
} from '#runtime/index';
import { singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-text.ts';

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
    ...(statement.servers ? ['', style.bold('Who answers'), ...statement.servers.map((server) => `  ${server}`)] : []),
  ].join('\n');
}

function notes({ why, bound }: ExplainedStep): string[] {
  return [...(why === undefined ? [] : [`because ${why}`]), ...(bound === undefined ? [] : [`bound: ${bound}`])];
}

type Style = Terminal['resultStyle'];

/** The user, then the rights on the collection, each with its reason. */
export function renderExplainedPermissions(result: ExplainedPermissions, { resultStyle: style }: Terminal): string {
  const { user, client, collection, rights, scope, segmentQueries, actions, fields, path } = result;
  const person = `${user.fullName} <${user.email}>, user ${user.id}, role ${user.role ?? user.roleId}, level ${user.permissionLevel}`;
  return [
    ...entry(person, '', 0),
    ...heldLines('role', user.roles),
    ...heldLines('team', user.teams),
    ...(client ? entry(clientInWords(client), '  ', 4) : []),
    '',
    style.bold(`Rights on "${singleLine(collection)}"`),
    ...rights.flatMap(({ right, condition, ...verdict }) => [
      ...row(right, verdict, style),
      ...(condition ? note(`only where ${condition}`) : []),
    ]),
    '',
    style.bold('Records'),
    ...scopeLines(scope),
    ...(segmentQueries === null
      ? entry('any query as a segment', '  ', 2)
      : segmentQueries.flatMap((query) => entry(`segment: ${query}`, '  ', 2))),
    ...actions.flatMap((action) => ['', ...actionLines(action, style)]),
    ...fieldLines(fields, style),
    ...(path ? ['', ...pathLines(path, style)] : []),
  ].join('\n');
}

function clientInWords(client: NonNullable<ExplainedPermissions['client']>): string {
  const { name, isRestricted, tools, recordsPerCall, writesPerHour } = client;
  if (!isRestricted) return `through ${name}: it may do what its person may`;
  const limits = [
    ...(tools === null ? [] : [tools.length === 0 ? 'no tool' : `the tools ${tools.join(', ')}`]),
    ...(recordsPerCall === null ? [] : [`${recordsPerCall} records a call`]),
    ...(writesPerHour === null ? [] : [`${writesPerHour} writes an hour`]),
  ];
  return `through ${name}${limits.length === 0 ? '' : `: ${limits.join(', ')}`}`;
}

/** Where somebody has several roles or teams from. */
function heldLines(what: string, held: ExplainedPermissions['user']['roles']): string[] {
  return held.flatMap(({ name, source, group, endsAt }) => {
    const from = sources[source] ?? source;
    const until = endsAt === undefined ? '' : `, until ${endsAt.slice(0, 16).replace('T', ' ')} UTC`;
    return entry(`${what} ${name}: ${from}${group === undefined ? '' : ` "${group}"`}${until}`, '  ', 4);
  });
}

const sources: Readonly<Record<string, string>> = {
  given: 'given by an administrator',
  group: 'of the group',
  elevation: 'an elevation',
  file: 'given by the rights of the environment',
};

function scopeLines(scope: ExplainedPermissions['scope']): string[] {
  if ('unknownBecause' in scope) return entry(`not known: ${scope.unknownBecause}`, '  ', 2);
  if (!scope.isAllowed) return entry(`none: ${scope.because}`, '  ', 2);
  if (scope.condition === null) return entry(`all: ${scope.because}`, '  ', 2);
  return entry(`where ${scope.condition}`, '  ', 2);
}

function actionLines(action: ExplainedAction, style: Style): string[] {
  return [
    style.bold(`Action "${singleLine(action.action)}"`),
    ...row('trigger', action.trigger, style),
    ...action.triggerConditions.map((condition) => `only where ${condition}`).flatMap(note),
    ...entry(approvals[action.needsApproval], `  ${'approval'.padEnd(13)}`, 15),
    ...action.approvalRequiredConditions.map((condition) => `where ${condition}`).flatMap(note),
    ...row('approve', action.approve, style),
    ...action.approveConditions.map((condition) => `only where ${condition}`).flatMap(note),
    ...row('approve own', action.approveOwn, style),
  ];
}

const approvals = {
  never: 'not needed',
  always: 'needed',
  conditional: 'needed when one of the records is among those',
};

function pathLines({ path, collection, uses, ...verdict }: ExplainedPath, style: Style): string[] {
  return [
    style.bold(`Path "${singleLine(path)}"`),
    ...row('query', verdict, style),
    ...note(`ends in "${collection}", whose right to read decides`),
    ...note(uses.length === 0 ? 'serves to nothing' : `serves to ${uses.join(', ')}`),
  ];
}

function fieldLines(fields: ExplainedPermissions['fields'], style: Style): string[] {
  if (fields.length === 0) return [];
  return ['', style.bold('Fields with restrictions'), ...fields.flatMap(fieldLine)];
}

function fieldLine({ field, read, filter, write, writtenBy, because }: ExplainedField): string[] {
  if (read === false) return entry(`${field}: hidden, because ${because}`, '  ', 4);
  const shown = read === true ? 'read' : `read by the mask ${read}`;
  const may = [shown, ...(filter ? ['filter'] : []), ...(write ? [writeInWords(writtenBy)] : [])];
  return entry(`${field}: only ${may.join(', ')}, because ${because}`, '  ', 4);
}

function writeInWords(writtenBy: ExplainedField['writtenBy']): string {
  if (writtenBy === undefined) return 'write';
  return writtenBy === 'add' ? 'write in new records' : 'write in records that are there';
}

function row(what: string, { isAllowed, because }: Verdict, style: Style): string[] {
  const answer = isAllowed ? style.green('yes') : style.red('no ');
  return entry(because, `  ${what.padEnd(13)}${answer}  `, 20);
}

function note(text: string): string[] {
  return entry(text, ' '.repeat(20), 20);
}

function entry(text: string, lead: string, indent: number): string[] {
  return wrapWords(singleLine(text), lead, indent);
}
